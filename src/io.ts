/** The process's streams and what is known of its terminal, as one value. stdout is data, stderr is talk. */
import { createReadStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { InterruptedError, systemCode, UsageError } from './errors.ts';
import { fileError } from './files.ts';
import { Redactor } from './redact.ts';

export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
}

/** The reader of stdout has gone (`| head -1`): there is nothing left to do, and nothing to complain about. */
export class OutputClosed extends Error {}

/** Names and words of others may be in what is said: nothing in them commands the terminal, or turns the text around. */
function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, ' ');
}

/** What a path given on the command line is called in messages. */
export function sourceName(path: string): string {
  return path === '-' ? 'Standard input' : path;
}

/** Bytes of a file that are read at a time. */
const CHUNK_BYTES = 1 << 18;

export class Io {
  readonly redactor = new Redactor();
  readonly #streams: Streams;
  readonly #signal: AbortSignal;
  #held: string[] | undefined;
  #isStdinTaken = false;
  /** Set by --quiet: only errors are said. */
  isQuiet = false;
  /** Set by --no-input: nothing is asked. */
  mayAsk = true;
  /** Set by --no-color, NO_COLOR and FORCE_COLOR; the terminal decides otherwise. */
  wantsColor: boolean | undefined;

  constructor(streams: Streams, signal: AbortSignal) {
    this.#streams = streams;
    this.#signal = signal;
    // What a write meets is told to whoever wrote; what nobody can be told is let go.
    streams.stdout.on('error', () => {});
    streams.stderr.on('error', () => {});
  }

  get streams(): Streams {
    return this.#streams;
  }

  get stdoutIsTerminal(): boolean {
    return this.#streams.stdout.isTTY === true;
  }

  get stderrIsTerminal(): boolean {
    return this.#streams.stderr.isTTY === true;
  }

  /** Whether a person is there to be asked. */
  get canAsk(): boolean {
    return this.mayAsk && this.#streams.stdin.isTTY === true && this.stderrIsTerminal && !this.#isStdinTaken;
  }

  get colorsStdout(): boolean {
    return this.wantsColor ?? this.stdoutIsTerminal;
  }

  /** Characters to a line of the terminal. */
  get columns(): number {
    // A terminal that does not know its size says 0.
    return this.#streams.stdout.columns || 80;
  }

  /**
   * Writes data, and resolves when it has been taken. Throws OutputClosed once the reader has gone, and a FileError where
   * stdout cannot be written.
   */
  async data(text: string): Promise<void> {
    const { stdout } = this.#streams;
    const shown = this.redactor.redact(text);
    const failure = await new Promise<Error | null | undefined>((resolve) => stdout.write(shown, resolve));
    if (failure == null) return;
    // After the first failure the stream only says that it is gone.
    const cause = stdout.errored ?? failure;
    throw systemCode(cause) === 'EPIPE' ? new OutputClosed() : fileError(cause, 'write', 'standard output');
  }

  /** Says something to the person, unless they asked for quiet. */
  note(text: string): void {
    if (this.isQuiet) return;
    if (this.#held === undefined) this.error(text);
    else this.#held.push(text);
  }

  /** From now on notes wait: where errors are JSON, one must stand alone on stderr, and drops them. */
  holdNotes(): void {
    this.#held = [];
  }

  /** Says the notes that waited. */
  releaseNotes(): void {
    for (const text of this.#held ?? []) this.error(text);
    this.#held = undefined;
  }

  warn(text: string): void {
    this.note(`Warning: ${text}`);
  }

  error(text: string): void {
    this.#streams.stderr.write(`${harmless(this.redactor.redact(text))}\n`);
  }

  /** All bytes of a file, or of stdin for `-`; `flag` names who wants them. Throws FileError. */
  async read(path: string, flag: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.chunks(path, flag)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** The same bytes as they come. An interrupt ends them with InterruptedError. */
  async *chunks(path: string, flag: string): AsyncGenerator<Buffer> {
    // An interrupt that came before is told to nobody who listens only now.
    this.#throwIfInterrupted();
    const source = path === '-' ? this.#takeStdin(flag) : createReadStream(path, { highWaterMark: CHUNK_BYTES });
    const stop = () => source.destroy();
    this.#signal.addEventListener('abort', stop);
    try {
      for await (const chunk of source) yield chunk as Buffer;
    } catch (error) {
      if (!this.#signal.aborted) throw fileError(error, 'read', sourceName(path));
    } finally {
      this.#signal.removeEventListener('abort', stop);
    }
    this.#throwIfInterrupted();
  }

  #throwIfInterrupted(): void {
    if (this.#signal.aborted) throw new InterruptedError();
  }

  /** Stdin can be read once. */
  #takeStdin(flag: string): Readable {
    if (this.#isStdinTaken) throw new UsageError(`${flag}: standard input can be read only once.`);
    this.#isStdinTaken = true;
    const { stdin } = this.#streams;
    if (stdin.isTTY) this.note(`${flag}: reading from the terminal, end with Ctrl-D.`);
    return stdin;
  }
}
