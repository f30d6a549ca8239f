/**
 * The keyboard of a person who is asked. Pasted text must be distinguished from typed text, because a pasted line break must
 * not count as the Enter key: the first line would become the whole answer, and the others would answer the next questions.
 */
import { EventEmitter } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as turn } from 'node:timers/promises';
import type { Streams } from './io.ts';

/** The marks that a terminal puts around pasted text if asked to. */
const PASTE_BEGIN = '\u001b[200~';
const PASTE_END = '\u001b[201~';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the marks begin with an escape character
const PASTES = /(\u001b\[200~.*?\u001b\[201~)/s;
/** A paste without an end, or the beginning of a mark. An Escape alone is a key. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the marks begin with an escape character
const UNFINISHED = /\u001b\[200~.*|\u001b\[20{0,2}$/s;
const ASK_FOR_MARKS = '\u001b[?2004h';
const ASK_FOR_NO_MARKS = '\u001b[?2004l';

/** Stand-ins for a pasted line break or tab in a line of input: characters that do not occur in text. */
const BREAK = '\ufdd0';
const TAB = '\ufdd1';

/**
 * Text read at once with a line break in the middle: nobody types that fast, so it was pasted at a terminal that does not mark
 * pasted text. A line break at the end is the Enter key.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys that are not text follow an Enter, and begin with these
const UNMARKED_PASTE = /[\r\n][^\r\n\u0000-\u0008\u001b\u007f]/;

/**
 * A pasted text as one line of input: breaks and tabs become stand-ins, and other characters that would act as keys are
 * removed.
 */
export function asInput(pasted: string): string {
  return (
    pasted
      .replace(/\r\n|\r|\n/g, BREAK)
      .replaceAll('\t', TAB)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
      .replace(/[\u0000-\u001f\u007f-\u009f]/g, '')
  );
}

/** The line of input as the user meant it, without line breaks at its end: they come with a paste unintentionally. */
export function asMeant(input: string): string {
  return input.replaceAll(BREAK, '\n').replaceAll(TAB, '\t').replace(/\n+$/, '');
}

/** A line of input as it is shown while it is typed. */
export function asShown(input: string): string {
  return input.replaceAll(BREAK, '⏎').replaceAll(TAB, ' ');
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
/** Typed instead of an answer, where that is offered. */
const CTRL_G = '\u0007';

/** A run of text, an escape sequence, or another single key. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys that are not text are control characters
const KEYS = /[^\u0000-\u001f\u007f]+|\u001b(?:\[[\d;]*[A-Za-z~]|O?[^\u001b])?|./gs;

/**
 * An input for Node's readline: it emits typed keys as `data`, and each text that came as a whole as one `keypress`. Keys that
 * came together are emitted one in each turn of the event loop, because a question needs that long to take one.
 */
export class Keyboard extends EventEmitter {
  readonly isTTY = true;
  readonly #streams: Streams;
  readonly #decoder = new StringDecoder('utf8');
  readonly #hear = (chunk: Buffer | string) => this.#take(this.#decoder.write(chunk as Buffer));
  /** Whoever was to type has gone: the terminal was closed. */
  readonly #leave = () => this.emit('data', Buffer.from(CTRL_C));
  readonly #onEditor: (() => void) | undefined;
  /** What is waited for before a key is emitted: the search, and the keys before it. */
  #ready: Promise<unknown> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;
  /** A paste whose end has not arrived, or the beginning of a mark. */
  #unread = '';

  private constructor(streams: Streams, onEditor: (() => void) | undefined) {
    super();
    this.#streams = streams;
    this.#onEditor = onEditor;
  }

  /**
   * Discards what was typed before the question appeared: it was not meant as the answer. Only Ctrl-C is kept. `onEditor` is
   * called at Ctrl-G.
   */
  static async open(streams: Streams, onEditor?: () => void): Promise<Keyboard> {
    const keyboard = new Keyboard(streams, onEditor);
    let isLeft = false;
    const letGo = (chunk: Buffer | string) => {
      isLeft ||= String(chunk).includes(CTRL_C);
    };
    // Input that waits in the terminal's line buffer arrives only after that is switched off.
    keyboard.setRawMode(true);
    streams.stdin.on('data', letGo);
    // One turn of the event loop, in whatever phase this runs.
    await turn();
    await turn();
    streams.stdin.on('data', keyboard.#hear);
    streams.stdin.on('end', keyboard.#leave);
    streams.stdin.off('data', letGo);
    streams.stderr.write(ASK_FOR_MARKS);
    if (isLeft) void turn().then(keyboard.#leave);
    return keyboard;
  }

  close(): void {
    const { stdin, stderr } = this.#streams;
    stdin.off('data', this.#hear);
    stdin.off('end', this.#leave);
    this.#isOver = true;
    this.setRawMode(false);
    stdin.pause();
    stderr.write(ASK_FOR_NO_MARKS);
  }

  /**
   * Keeps keys back, except those that end the question, until a search is done: meanwhile the library would take the choice of
   * the search before.
   */
  holdUntil<T>(search: Promise<T>): Promise<T> {
    this.#ready = Promise.allSettled([this.#ready, search]);
    return search;
  }

  setRawMode(isRaw: boolean): this {
    (this.#streams.stdin as Partial<NodeJS.ReadStream>).setRawMode?.(isRaw);
    return this;
  }

  pause(): this {
    this.#streams.stdin.pause();
    return this;
  }

  resume(): this {
    this.#streams.stdin.resume();
    return this;
  }

  #take(chunk: string): void {
    const text = this.#unread + chunk;
    const [open] = UNFINISHED.exec(text.slice(text.lastIndexOf(PASTE_END) + 1)) ?? [''];
    this.#unread = open;
    for (const part of text.slice(0, text.length - open.length).split(PASTES)) {
      if (part.startsWith(PASTE_BEGIN)) this.#paste(part.slice(PASTE_BEGIN.length, -PASTE_END.length));
      else if (UNMARKED_PASTE.test(part)) this.#paste(part);
      else this.#type(part);
    }
  }

  #type(text: string): void {
    for (const key of text.match(KEYS) ?? []) {
      if (key === CTRL_C || key === CTRL_D) {
        // At once: nobody waits for what was typed before.
        this.#isOver = true;
        this.#leave();
      } else if (key === CTRL_G && this.#onEditor !== undefined) this.#inTurn(this.#onEditor);
      else if (key.length > 1 && !key.startsWith('\u001b')) this.#paste(key);
      else this.#inTurn(() => this.emit('data', Buffer.from(key)));
    }
  }

  #paste(text: string): void {
    const sequence = asInput(text);
    const key = { sequence, name: undefined, ctrl: false, meta: false, shift: false };
    this.#inTurn(() => this.emit('keypress', sequence, key));
  }

  #inTurn(emit: () => void): void {
    this.#last = this.#last.then(async () => {
      for (let ready: unknown; ready !== this.#ready; ) {
        ready = this.#ready;
        await ready;
        // The question takes what was found.
        await turn();
      }
      if (!this.#isOver) emit();
    });
  }
}
