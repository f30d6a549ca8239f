/** Asking a person for what the command line left out. Questions go to stderr; where nobody can be asked, that is said. */
import { InterruptedError, UsageError } from './errors.ts';
import type { Io } from './io.ts';

export interface Choice<T> {
  name: string;
  value: T;
}

/** How a missing flag is asked for: free text with a check, shown or not as it is typed, or a choice from a live list. */
export type Question<T> =
  | { flag: string; message: string; parse: (text: string) => T; isSecret?: true }
  | { flag: string; message: string; choices: () => Promise<Choice<T>[]> };

type Answers<Q> = { [K in keyof Q]: Q[K] extends Question<infer T> ? T : never };

/**
 * The given values, with those that are missing asked for one by one. Where nobody can be asked, throws a UsageError that
 * names all the missing flags at once.
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
  for (const name of missing) answers[name] = await ask(io, questions[name] as Question<unknown>);
  return answers as Answers<Q>;
}

async function ask(io: Io, question: Question<unknown>): Promise<unknown> {
  const { input, password, select } = await import('@inquirer/prompts');
  if ('choices' in question) {
    const choices = await question.choices();
    if (choices.length === 0) throw new UsageError(`Missing: ${question.flag}, and there is nothing to choose from.`);
    return leaveable(io, (where) => select({ message: question.message, choices }, where));
  }
  const validate = (text: string) => {
    try {
      question.parse(text);
      return true;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const askText = question.isSecret ? password : input;
  return question.parse(await leaveable(io, (where) => askText({ message: question.message, validate }, where)));
}

/** A yes or no; no is the answer of a bare Enter. Only where somebody can be asked. */
export async function confirm(io: Io, message: string): Promise<boolean> {
  const { confirm: askYesNo } = await import('@inquirer/prompts');
  return leaveable(io, (where) => askYesNo({ message, default: false }, where));
}

interface Where {
  input: Io['streams']['stdin'];
  output: Io['streams']['stderr'];
}

async function leaveable<T>(io: Io, prompt: (where: Where) => Promise<T>): Promise<T> {
  // What was noted so far is what the answer depends on.
  io.releaseNotes();
  try {
    return await prompt({ input: io.streams.stdin, output: io.streams.stderr });
  } catch (error) {
    if ((error as Error).name === 'ExitPromptError') throw new InterruptedError();
    throw error;
  }
}
