/** The states of contacts, as a list on the command line. */
import { InvalidArgumentError } from 'commander';
import { type Described, names, oneOf } from '../../cli/flags/values.ts';

/** Reads `busy,no_answer`, each once. */
export function stateListOf<S extends string>(states: readonly S[]): ((text: string) => S[]) & Described {
  const one = oneOf(states);
  const read = (text: string): S[] => {
    const found = names(text).map(one);
    const twice = found.find((state, at) => found.indexOf(state) !== at);
    if (twice !== undefined) throw new InvalidArgumentError(`${twice} is there twice.`);
    return found;
  };
  return Object.assign(read, { choices: states });
}
