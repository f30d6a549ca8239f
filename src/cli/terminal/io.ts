/** The process's streams and the facts about its terminal, as one value. stdout is for data, stderr for messages. */
import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { FileError, InterruptedError, systemCode, UsageError } from '../../errors.ts';
import { fileError } from '../../storage/files/file-system.ts';
import { withEscapedControls, withoutControls, withoutControlsButColours } from '../../text/controls.ts';
import { Redactor } from '../../text/redact.ts';
import { type GlobalFlags, isJson } from '../flags/global.ts';
import type { Answer } from '../flags/written.ts';
import { inAscii, type TerminalFacts, terminalFacts } from './environment.ts';
import { fitMessage } from './fit-message.ts';
import type { Filter } from './jq.ts';
import type { Page } from './page.ts';
import { closed, OutputClosed } from './standard-output.ts';

export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
}

/** The name in messages of a path given on the command line. */
export function sourceName(path: string): string {
  return path === '-' ? 'Standard input' : path;
}

/** Bytes of a file read at a time. */
const CHUNK_BYTES = 1 << 18;
/** Bytes that are read into memory at most: the longest request that the interface's own engine takes. */
const LONGEST_INPUT = 256 * 1024 * 1024;

export class Io {
  readonly redactor = new Redactor();
  /** What a person has answered so far, for the command line that would have said it. */
  readonly answers: Answer[] = [];
  readonly streams: Streams;
  /** Aborts when the operator interrupts. */
  readonly signal: AbortSignal;
  /** The system's time in milliseconds since the epoch. */
  readonly now: () => number;
  /** What repaints itself makes room for whatever is said. */
  picture: { erase(): void } | undefined;
  readonly #facts: TerminalFacts;
  #flags: GlobalFlags = {};
  #held: string[] | undefined;
  #isStdinTaken = false;
  #filter: Filter | undefined;
  /** What `--jq` is to filter at the end; undefined where it filters each part as it comes. */
  #unfiltered: string | undefined;
  #page: Page | undefined;
  /** What is said while a page is shown, for after it. */
  #said: string[] = [];

  constructor(
    streams: Streams,
    signal: AbortSignal,
    { facts = terminalFacts({}), now }: { facts?: TerminalFacts; now: () => number },
  ) {
    this.now = now;
    this.#facts = facts;
    this.streams = streams;
    this.signal = signal;
    // A failed write is reported to its caller; without a listener, the event would end the process.
    streams.stdout.on('error', () => {});
    streams.stderr.on('error', () => {});
  }

  /** Applies the command line's flags. */
  configure(flags: GlobalFlags): void {
    this.#flags = flags;
    // With JSON errors, an error must be alone on stderr: notes wait until the end, and an error discards them.
    if (isJson(flags)) this.#held = [];
  }

  get stdoutIsTerminal(): boolean {
    return this.streams.stdout.isTTY === true;
  }

  get stderrIsTerminal(): boolean {
    return this.streams.stderr.isTTY === true;
  }

  /** Whether a person is there to answer questions. */
  get canAsk(): boolean {
    return !this.#flags.noInput && this.streams.stdin.isTTY === true && this.stderrIsTerminal && !this.#isStdinTaken;
  }

  get colorsStdout(): boolean {
    return !this.#flags.noColor && (this.#facts.wantsColor ?? this.stdoutIsTerminal);
  }

  get colorsStderr(): boolean {
    return !this.#flags.noColor && (this.#facts.wantsColor ?? this.stderrIsTerminal);
  }

  /** Whether the terminal may lack all characters but those of ASCII. */
  get isAscii(): boolean {
    return this.#facts.isAscii;
  }

  /** Whether stderr shows how far long work is. */
  get hasProgress(): boolean {
    return !this.#flags.quiet && this.stderrIsTerminal && !this.isPlain;
  }

  /** Whether nothing is shown anew in its place: the terminal cannot, or what it shows is kept as a log. */
  get isPlain(): boolean {
    return !this.#facts.canRepaint;
  }

  /** Whether stdout can show something anew in its place. */
  get canRepaint(): boolean {
    return this.stdoutIsTerminal && !this.isPlain;
  }

  /** The width of the terminal in characters. */
  get columns(): number {
    // A terminal that does not know its size reports 0.
    return this.streams.stdout.columns || 80;
  }

  /** The height of the terminal in lines. */
  get rows(): number {
    return this.streams.stdout.rows || 24;
  }

  /**
   * Writes data, and resolves when it has been taken. Throws OutputClosed if the reader has gone, and a FileError if stdout
   * cannot be written.
   */
  async data(text: string): Promise<void> {
    if (this.#unfiltered !== undefined) this.#unfiltered += text;
    else if (this.#filter !== undefined) await this.#writeFiltered(text, this.#filter);
    else await this.#write(text, withEscapedControls);
  }

  /** All data goes through a filter of jq. `isLive`: each part of it as it comes. Throws UsageError if it is no filter. */
  async filterBy(filter: string, isLive: boolean): Promise<void> {
    const { Filter } = await import('./jq.ts');
    this.#filter = new Filter(filter, this.signal);
    await this.#filter.check();
    this.#unfiltered = isLive ? undefined : '';
  }

  /** Writes what the filter makes of all data. Throws UsageError where it fails. */
  async endData(): Promise<void> {
    const text = this.#unfiltered;
    this.#unfiltered = undefined;
    if (text && this.#filter !== undefined) await this.#writeFiltered(text, this.#filter);
  }

  /** Ends what runs beside the program. */
  close(): void {
    void this.#filter?.close();
  }

  async #writeFiltered(input: string, filter: Filter): Promise<void> {
    const { text, said, rounded, failure } = await filter.apply(this.redactor.redact(input), this.stdoutIsTerminal);
    await this.#write(text, withEscapedControls);
    if (said !== '') this.note(said);
    if (rounded !== undefined)
      this.warn(`--jq: ${rounded} may be rounded: the filter calculates exactly up to 2^53 only.`);
    if (failure !== undefined) throw failure;
  }

  /** The same for text with vagent's own colours, from which other escape characters have been removed. */
  async styled(text: string): Promise<void> {
    await this.#write(text, withoutControlsButColours);
  }

  /**
   * The same for a result that is laid out for a person. At a terminal it is shown at the end of the command, and through the pager
   * if it is longer than the screen. Throws OutputClosed if the pager was left before the end.
   */
  async screen(text: string): Promise<void> {
    const page = await this.#pageOf();
    if (page === undefined) return this.styled(text);
    const unpaged = await page.write(this.#safe(text, withoutControlsButColours));
    if (unpaged !== '') await this.put(unpaged);
  }

  /** A line as it may be shown at a terminal. */
  shown(line: string): string {
    return this.#safe(line, withoutControlsButColours);
  }

  async #pageOf(): Promise<Page | undefined> {
    const { pager } = this.#facts;
    const { rows } = this.streams.stdout;
    if (this.#page !== undefined || !this.stdoutIsTerminal) return this.#page;
    if (this.#flags.noPager || pager === undefined || !rows) return undefined;
    const { isThere, Page } = await import('./page.ts');
    if (isThere(pager)) this.#page = new Page(pager, { columns: this.columns, rows });
    return this.#page;
  }

  /** Waits until the pager is left, then says what was said meanwhile. */
  async endScreen(): Promise<void> {
    const page = this.#page;
    if (page === undefined) return;
    try {
      const rest = await page.end();
      if (rest !== '') await this.put(rest);
    } finally {
      this.#page = undefined;
      for (const text of this.#said.splice(0)) this.error(text);
    }
  }

  async #write(text: string, safe: (text: string) => string): Promise<void> {
    await this.endScreen();
    await this.put(this.#safe(text, safe));
  }

  /** `safe` is for a terminal: files and pipes get the text unchanged. */
  #safe(text: string, safe: (text: string) => string): string {
    const redacted = this.redactor.redact(text);
    if (!this.stdoutIsTerminal) return redacted;
    return this.isAscii ? inAscii(safe(redacted)) : safe(redacted);
  }

  /** Writes what is safe already, or moves the cursor. Throws as `data` does. */
  async put(text: string | Uint8Array): Promise<void> {
    const { stdout } = this.streams;
    this.#require(await new Promise<Error | null | undefined>((resolve) => stdout.write(text, resolve)));
  }

  /** Ends stdout after the last data: see `data`. */
  async end(): Promise<void> {
    await this.endData();
    await this.endScreen();
    this.#require(await closed(this.streams.stdout));
  }

  #require(failure: Error | null | undefined): void {
    if (failure == null) return;
    // After its first failure, the stream reports only that it is destroyed.
    const cause = this.streams.stdout.errored ?? failure;
    throw systemCode(cause) === 'EPIPE' ? new OutputClosed() : fileError(cause, 'write', 'standard output');
  }

  /** Shows the person a message, unless --quiet was given. */
  note(text: string): void {
    if (this.#flags.quiet) return;
    if (this.#held === undefined) this.error(text);
    else this.#held.push(text);
  }

  /** Shows the notes that waited. */
  releaseNotes(): void {
    for (const text of this.#held ?? []) this.error(text);
    this.#held = undefined;
  }

  warn(text: string): void {
    this.note(`Warning: ${text}`);
  }

  error(text: string): void {
    if (this.#page !== undefined) return void this.#said.push(text);
    this.picture?.erase();
    const plain = withoutControls(this.redactor.redact(text));
    const columns = this.streams.stderr.columns || this.columns;
    this.#say(this.stderrIsTerminal ? fitMessage(plain, columns) : plain);
  }

  /** An error for a program to read: one line, however long. */
  errorData(line: string): void {
    this.#say(withoutControls(this.redactor.redact(line)));
  }

  #say(text: string): void {
    this.streams.stderr.write(`${this.stderrIsTerminal && this.isAscii ? inAscii(text) : text}\n`);
  }

  /**
   * All bytes of a file, or of stdin for `-`; `flag` is the flag that names it. Throws FileError, also if there are more than
   * `most`.
   */
  async read(path: string, flag: string, most = LONGEST_INPUT): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.chunks(path, flag)) {
      bytes += chunk.length;
      if (bytes > most) throw new FileError(`${sourceName(path)} is too long: it has more than ${most} bytes.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** The same bytes as they arrive. An interrupt ends them with InterruptedError. */
  async *chunks(path: string, flag: string): AsyncGenerator<Buffer> {
    const source = path === '-' ? this.#takeStdin(flag) : createReadStream(path, { highWaterMark: CHUNK_BYTES });
    try {
      for await (const chunk of addAbortSignal(this.signal, source)) yield chunk as Buffer;
    } catch (error) {
      if (!this.signal.aborted) throw fileError(error, 'read', sourceName(path));
    }
    if (this.signal.aborted) throw new InterruptedError();
  }

  /** Stdin can be read only once. */
  #takeStdin(flag: string): Readable {
    if (this.#isStdinTaken) throw new UsageError(`${flag}: standard input can be read only once.`);
    this.#isStdinTaken = true;
    const { stdin } = this.streams;
    if (stdin.isTTY) this.note(`${flag}: reading from the terminal, end with Ctrl-D.`);
    return stdin;
  }
}
