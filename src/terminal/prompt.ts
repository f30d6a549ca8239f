/**
 * Asks a person for flags that the command line left out. Questions go to stderr; if nobody can answer, missing flags are an
 * error.
 */
import { Writable } from 'node:stream';
import { InterruptedError, UsageError } from '../errors.ts';
import { withoutControls } from '../text/controls.ts';
import type { Io } from './io.ts';
import { asMeant, asShown, Keyboard } from './keyboard.ts';

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
  for (const name of missing) answers[name] = await ask(io, questions[name] as Question<unknown>);
  return answers as Answers<Q>;
}

async function ask(io: Io, question: Question<unknown>): Promise<unknown> {
  const { input, password, select } = await import('@inquirer/prompts');
  if ('choices' in question) {
    const choices = await question.choices();
    if (choices.length === 0) throw new UsageError(`Missing: ${question.flag}, and there is nothing to choose from.`);
    return leaveable(io, (where) =>
      select({ message: withoutControls(question.message), choices: shownSafely(choices) }, where),
    );
  }
  const parse = (text: string) => {
    const meant = asMeant(text);
    if (meant.includes('\n') && !question.mayHaveLines)
      throw new UsageError('Several lines were pasted, but the answer is one line.');
    return question.parse(meant);
  };
  const validate = (text: string) => {
    try {
      parse(text);
      return true;
    } catch (error) {
      return withoutControls((error as Error).message);
    }
  };
  const message = withoutControls(question.message);
  return parse(
    await leaveable(io, (where) =>
      question.isSecret
        ? password({ message, validate }, where)
        : input({ message, validate, transformer: asShown }, where),
    ),
  );
}

/** Names come from others, so control characters are removed. */
function shownSafely<T>(choices: readonly Choice<T>[]): Choice<T>[] {
  return choices.map(({ name, value }) => ({ name: withoutControls(name), value }));
}

/** Asks for yes or no; Enter alone means no. Only if somebody can answer. */
export async function confirm(io: Io, message: string): Promise<boolean> {
  const { confirm: askYesNo } = await import('@inquirer/prompts');
  return leaveable(io, (where) => askYesNo({ message: withoutControls(message), default: false }, where));
}

interface Where {
  input: NodeJS.ReadableStream;
  output: Writable;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape character
const COLOURS = /\u001b\[[\d;]*m/g;

/** A stream that removes colours, because the library that asks questions always writes them. */
function withoutColours(stream: Io['streams']['stderr']): Writable {
  const plain = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => void stream.write(String(chunk).replace(COLOURS, ''), done),
  });
  // The library needs the size of the real terminal to lay a question out.
  return Object.defineProperties(plain, {
    isTTY: { get: () => stream.isTTY },
    columns: { get: () => (stream as Partial<NodeJS.WriteStream>).columns },
    rows: { get: () => (stream as Partial<NodeJS.WriteStream>).rows },
  });
}

async function leaveable<T>(io: Io, prompt: (where: Where) => Promise<T>): Promise<T> {
  // The notes so far may be what the answer depends on.
  io.releaseNotes();
  const keyboard = await Keyboard.open(io.streams);
  const { stderr } = io.streams;
  try {
    const output = io.colorsStderr ? stderr : withoutColours(stderr);
    return await prompt({ input: keyboard as unknown as NodeJS.ReadableStream, output });
  } catch (error) {
    if ((error as Error).name === 'ExitPromptError') throw new InterruptedError();
    throw error;
  } finally {
    keyboard.close();
  }
}
