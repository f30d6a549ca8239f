/** Shows one question on stderr and reads its answer from the keyboard. Loaded only when somebody is asked. */
import { Writable } from 'node:stream';
import { confirm, input, password, select } from '@inquirer/prompts';
import { InterruptedError, UsageError } from '../errors.ts';
import { withoutControls } from '../text/controls.ts';
import type { Io } from './io.ts';
import { asMeant, asShown, Keyboard } from './keyboard.ts';
import type { Choice, Question } from './prompt.ts';

/** Asks for a checked answer. */
export async function ask(io: Io, question: Question<unknown>): Promise<unknown> {
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

/** Asks for yes or no; Enter alone means no. */
export async function askYesNo(io: Io, message: string): Promise<boolean> {
  return leaveable(io, (where) => confirm({ message: withoutControls(message), default: false }, where));
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
