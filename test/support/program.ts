/** The built program as a child process, in a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { clearLine, cursorTo, moveCursor } from 'node:readline';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { main } from '../../src/main.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
export const BIN = join(ROOT, 'bin/vagent.js');

export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  input?: string | Buffer;
  cwd?: string;
  /** ISO 8601: the program sees the system's clock stand still there. */
  frozenAt?: string;
  /** In this process: stdin, instead of `input`. */
  keyboard?: Readable;
  /** In this process: stdout and stderr say that they are a terminal. */
  isTerminal?: boolean;
  /** In this process: characters to a line of the terminal. */
  columns?: number;
  /** In this process: stderr is shown where stdout is. */
  isOneScreen?: boolean;
  /** In this process: the error of the system that a write to stdout meets, once it has taken `room` bytes. */
  stdoutFails?: string;
  room?: number;
  /** In this process: aborts where a person would press Ctrl-C. */
  signal?: AbortSignal;
  /** In this process: told of each text as it is written. */
  hears?: (text: string, stream: 'stdout' | 'stderr') => void;
}

/** A temporary folder; all of them go when the run ends (`vitest.config.ts`). */
export function temporaryFolder(): string {
  return mkdtempSync(join(process.env.VAGENT_TEST_TMP ?? tmpdir(), 'vagent-test-'));
}

/** The environment of a person who has never used vagent: nothing of this machine's settings comes along. */
export function freshEnvironment(home: string, { frozenAt }: RunOptions = {}): Record<string, string> {
  const frozen = frozenAt === undefined ? {} : { VAGENT_TEST_CLOCK: frozenAt, NODE_OPTIONS: frozenClockOption() };
  return { HOME: home, PATH: process.env.PATH ?? '', TZ: 'UTC', ...frozen };
}

function frozenClockOption(): string {
  return `--require=${join(ROOT, 'test/support/frozen-clock.cjs')}`;
}

async function inThisProcess(
  args: readonly string[],
  {
    env,
    input,
    keyboard,
    frozenAt,
    isTerminal = false,
    columns = 80,
    isOneScreen = false,
    stdoutFails,
    room = 0,
    signal = new AbortController().signal,
    hears = () => {},
  }: RunOptions & { env: Record<string, string> },
): Promise<Outcome> {
  const stdin = keyboard ?? new PassThrough().end(input ?? '');
  const terminal = { isTTY: isTerminal, columns };
  const stdout = new Screen({ ...terminal, failure: stdoutFails, room, hears: (text) => hears(text, 'stdout') });
  const stderr = new Screen({ ...terminal, hears: (text) => hears(text, 'stderr') });
  if (isOneScreen) stderr.isShownOn(stdout);
  const frozen = frozenAt === undefined ? undefined : Date.parse(frozenAt);
  const clock = frozen === undefined ? {} : { systemNow: () => frozen };
  // As it is built: it loads in a tenth of the time that its source takes.
  const built: { main: typeof main } = await import(pathToFileURL(join(ROOT, 'dist/main.cjs')).href);
  // Of the waits before a request is repeated, the shortest.
  const random = () => 0;
  const code = await built.main({ argv: args, env, streams: { stdin, stdout, stderr }, signal, random, ...clock });
  // A process that runs one command spares its memory; one that runs thousands would only collect garbage all the time.
  setFlagsFromString('--heap-growing-percent=0');
  // What was given up at the end has its say.
  await nextTurn();
  return { code, signal: null, stdout: stdout.text, stderr: isOneScreen ? '' : stderr.text };
}

interface ScreenParts {
  isTTY: boolean;
  columns: number;
  /** The error of the system that a write meets, once so many bytes are there. */
  failure?: string | undefined;
  room?: number;
  hears: (text: string) => void;
}

/** Keeps what is written to it, or fails with an error of the system. */
class Screen extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  #shown: Buffer[] = [];
  readonly #parts: ScreenParts;
  #room: number;

  constructor(parts: ScreenParts) {
    super();
    this.isTTY = parts.isTTY;
    this.columns = parts.columns;
    this.#parts = parts;
    this.#room = parts.failure === undefined ? Number.POSITIVE_INFINITY : (parts.room ?? 0);
  }

  /** What is written from now on is shown by the other. */
  isShownOn(other: Screen): void {
    this.#shown = other.#shown;
  }

  /** A byte order mark stays. */
  get text(): string {
    return Buffer.concat(this.#shown).toString();
  }

  /** What a spinner asks of a terminal, on a machine that is busy enough to see one. */
  cursorTo = (column: number) => cursorTo(this, column);
  clearLine = (direction: -1 | 0 | 1) => clearLine(this, direction);
  moveCursor = (columns: number, rows: number) => moveCursor(this, columns, rows);

  /** A process's own streams are not ended by what is piped to them. */
  override end(): this {
    return this;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#room -= bytes.length;
    const { failure, hears } = this.#parts;
    if (this.#room < 0) return void done(Object.assign(new Error(failure), { code: failure }));
    this.#shown.push(bytes);
    hears(bytes.toString());
    done();
  }
}

/** A person with a home folder, who runs commands one after the other. */
export class Operator {
  readonly home = temporaryFolder();
  readonly #defaults: RunOptions;

  constructor(defaults: RunOptions = {}) {
    this.#defaults = defaults;
  }

  /** In which its commands run. */
  get environment(): Record<string, string> {
    return { ...freshEnvironment(this.home, this.#defaults), ...this.#defaults.env };
  }

  start(args: readonly string[], options: RunOptions = {}): ChildProcess {
    const merged = { ...this.#defaults, ...options };
    return spawn(process.execPath, [BIN, ...args], {
      cwd: merged.cwd ?? this.home,
      env: { ...freshEnvironment(this.home, merged), ...this.#defaults.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /**
   * Runs a command. In this process, over buffers: a start of the program takes twenty times as long. Commands that are
   * told the same working folder run side by side, others alone. What needs a process of its own (signals, locks, what Node reads
   * from its environment) takes `runProgram`.
   */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const merged = { ...this.#defaults, ...options };
    const env = { ...freshEnvironment(this.home), ...this.#defaults.env, ...options.env };
    if (Object.keys(env).some((name) => name.startsWith('NODE_'))) return this.runProgram(args, options);
    const place = { folder: merged.cwd ?? this.home, zone: env.TZ ?? 'UTC', isShared: merged.cwd !== undefined };
    return withinPlace(place, () => inThisProcess(args, { ...merged, env }));
  }

  /** Runs a command in a process of its own: the program as it is built. */
  async runProgram(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const child = this.start(args, options);
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
    return finished(child);
  }

  /** Pastes a line such as `vagent logs list` into bash, word for word; only `flags` are added. */
  async paste(
    line: string,
    { input = '', flags = '' }: { input?: string | Buffer; flags?: string } = {},
  ): Promise<Outcome> {
    const script = `vagent() { '${process.execPath}' '${BIN}' ${flags} "$@"; }; ${line}`;
    const child = spawn('bash', ['-c', script], { cwd: this.home, env: this.environment });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    return finished(child);
  }

  /** Runs a command that must succeed and returns what it printed as JSON. */
  async json<T = Record<string, unknown>>(args: readonly string[], options: RunOptions = {}): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], options);
    if (code !== 0) throw new Error(`vagent ${args.join(' ')} exited with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }
}

export function finished(child: ChildProcess): Promise<Outcome> {
  const collected = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      collected[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...collected }));
  });
}

// The working folder and the time zone of this process. It has only one of each: work that shares them runs side by side, other
// work waits until that is done, and nothing overtakes what waits.

interface Place {
  folder: string;
  zone: string;
  /** Whether other work of this place may run beside it. */
  isShared: boolean;
}

interface Work extends Place {
  begin(): void;
}

let current: Work | undefined;
let running = 0;
const waiting: Work[] = [];

async function withinPlace<T>(place: Place, work: () => Promise<T>): Promise<T> {
  await new Promise<void>((begin) => {
    waiting.push({ ...place, begin });
    beginWhatMay();
  });
  try {
    return await work();
  } finally {
    running -= 1;
    if (running === 0) useZone('UTC');
    beginWhatMay();
  }
}

function beginWhatMay(): void {
  for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
    const isSame = next.folder === current?.folder && next.zone === current.zone;
    const fits = isSame && next.isShared && current?.isShared;
    if (running > 0 && !fits) return;
    if (next.folder !== current?.folder) process.chdir(next.folder);
    useZone(next.zone);
    current = next;
    running += 1;
    waiting.shift();
    next.begin();
  }
}

function useZone(zone: string): void {
  if (zone !== process.env.TZ) process.env.TZ = zone;
}
