/** The states of contacts, as a list on the command line. */
import { InvalidArgumentError } from 'commander';
import { CONTACT_STATES, type ContactState } from '../../../calls/attribution/states.ts';
import { type Described, names, oneOf } from '../../../flags/values.ts';

const one = oneOf(CONTACT_STATES);

/** `busy,no_answer`, each once. */
export const stateList: ((text: string) => ContactState[]) & Described = Object.assign(
  (text: string): ContactState[] => {
    const states = names(text).map(one);
    const twice = states.find((state, at) => states.indexOf(state) !== at);
    if (twice !== undefined) throw new InvalidArgumentError(`${twice} is there twice.`);
    return states;
  },
  { choices: CONTACT_STATES },
);
