/** The process's streams and what is known of its terminal, as one value. stdout is data, stderr is talk. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
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

/** What a path given on the command line is called in messages. */
export function sourceName(path: string): string {
  return path === '-' ? 'Standard input' : path;
}

export class Io {
  readonly redactor = new Redactor();
  readonly #streams: Streams;
  readonly #signal: AbortSignal;
  #isOutputClosed = false;
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
    streams.stdout.on('error', (error) => {
      if (systemCode(error) !== 'EPIPE') throw error;
      this.#isOutputClosed = true;
    });
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
    return this.#streams.stdout.columns ?? 80;
  }

  /** Writes data, waiting where the reader is slower. Throws OutputClosed once the reader has gone. */
  async data(text: string): Promise<void> {
    if (this.#isOutputClosed) throw new OutputClosed();
    const { stdout } = this.#streams;
    if (!stdout.write(this.redactor.redact(text))) {
      await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]).catch(() => {});
    }
    if (this.#isOutputClosed) throw new OutputClosed();
  }

  /** Says something to the person, unless they asked for quiet. */
  note(text: string): void {
    if (!this.isQuiet) this.error(text);
  }

  warn(text: string): void {
    this.note(`Warning: ${text}`);
  }

  error(text: string): void {
    this.#streams.stderr.write(`${this.redactor.redact(text)}\n`);
  }

  /** All bytes of a file, or of stdin for `-`; `flag` names who wants them. Throws FileError. */
  async read(path: string, flag: string): Promise<Buffer> {
    if (path === '-') return this.#readStdin(flag);
    try {
      return readFileSync(path);
    } catch (error) {
      throw fileError(error, 'read', path);
    }
  }

  /** All of stdin, which can be read once. */
  async #readStdin(flag: string): Promise<Buffer> {
    if (this.#isStdinTaken) throw new UsageError(`${flag}: standard input can be read only once.`);
    this.#isStdinTaken = true;
    const { stdin } = this.#streams;
    if (stdin.isTTY) this.note(`${flag}: reading from the terminal, end with Ctrl-D.`);
    const stop = () => stdin.destroy();
    this.#signal.addEventListener('abort', stop);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stdin) chunks.push(chunk as Buffer);
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    } finally {
      this.#signal.removeEventListener('abort', stop);
    }
    if (this.#signal.aborted) throw new InterruptedError();
    return Buffer.concat(chunks);
  }
}
