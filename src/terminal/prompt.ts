/**
 * Asks a person for flags that the command line left out. Questions go to stderr; if nobody can answer, missing flags are an
 * error.
 */
import { UsageError } from '../errors.ts';
import type { Io } from './io.ts';

export interface Choice<T> {
  name: string;
  value: T;
}

/**
 * How a missing flag is asked for: as checked text, shown or hidden while it is typed, of one line or several, or as a choice
 * from a current list.
 */
export type Question<T> =
  | { flag: string; message: string; parse: (text: string) => T; isSecret?: true; mayHaveLines?: true }
  | { flag: string; message: string; choices: () => Promise<Choice<T>[]> };

type Answers<Q> = { [K in keyof Q]: Q[K] extends Question<infer T> ? T : never };

/**
 * The given values, with those that are missing asked for one by one. If nobody can answer, throws a UsageError that names all
 * missing flags at once.
 */
export async function complete<Q extends Record<string, Question<unknown>>>(
  io: Io,
  given: { [K in keyof Q]: Answers<Q>[K] | undefined },
  questions: Q,
): Promise<Answers<Q>> {
  const missing = Object.keys(questions).filter((name) => given[name] === undefined);
  if (missing.length > 0 && !io.canAsk) {
    const flags = missing.map((name) => questions[name]?.flag);
    throw new UsageError(`Missing: ${flags.join(', ')}.`);
  }
  const answers: Record<string, unknown> = { ...given };
  if (missing.length === 0) return answers as Answers<Q>;
  const { ask } = await import('./question.ts');
  for (const name of missing) answers[name] = await ask(io, questions[name] as Question<unknown>);
  return answers as Answers<Q>;
}

/** Asks for yes or no; Enter alone means no. Only if somebody can answer. */
export async function confirm(io: Io, message: string): Promise<boolean> {
  const { askYesNo } = await import('./question.ts');
  return askYesNo(io, message);
}
