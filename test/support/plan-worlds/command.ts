/** A command of the source, in the test's process, over buffers and a clock that obeys, and its life. */
import { PassThrough, Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import '../../../src/commands/plan/run.ts';
import { run } from '../../../src/run.ts';
import { type FileSystem, systemFiles } from '../../../src/storage/files/file-system.ts';
import { FaultyFiles, hastyFiles } from '../faulty-files.ts';
import { meetTransactions } from '../struck-database.ts';
import type { Fault } from './world.ts';

export interface Ended {
  args: readonly string[];
  code: number;
  stdout: string;
  stderr: string;
  /** It was killed. */
  isDead: boolean;
  /** A call of the file system failed. */
  isStruck: boolean;
}

export interface Machine {
  /** Where the program keeps everything. */
  home: string;
  env: Record<string, string>;
  /** The clock of this machine in milliseconds since the epoch. */
  now: () => number;
}

export interface Hooks {
  fault?: Fault | undefined;
  onBirth?: (life: Life) => void;
  /** Told of each as it ends. */
  onEnd?: ((ended: Ended) => Promise<void>) | undefined;
}

// A process that runs one command spares its memory; one that runs thousands would only collect garbage all the time.
setFlagsFromString('--heap-growing-percent=0');

/** Milliseconds of real time after which a command hangs: also one that waits for nothing that could ever come. */
const PATIENCE = 300_000;

/** Several commands at once, which live and die together. */
export async function runTogether(
  { home, env, now }: Machine,
  commands: readonly (readonly string[])[],
  { fault, onBirth = () => {}, onEnd = async () => {} }: Hooks = {},
): Promise<Ended[]> {
  const life = new Life(home, fault);
  onBirth(life);
  const one = async (args: readonly string[]): Promise<Ended> => {
    const [stdout, stderr] = [new Kept(), new Kept()];
    const streams = { stdin: new PassThrough().end(), stdout, stderr };
    let timer: NodeJS.Timeout | undefined;
    const hanging = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`vagent ${args.join(' ')} hangs. ${stderr.text}`)), PATIENCE);
    });
    const running = run({ argv: args, env, streams, signal: life.signal, systemNow: now, random: () => 0 });
    const code = await Promise.race([running, hanging]).finally(() => clearTimeout(timer));
    const said = { stdout: stdout.text, stderr: stderr.text };
    const ended = { args, code, ...said, isDead: life.isOver, isStruck: life.isStruck };
    await onEnd(ended);
    return ended;
  };
  return life.around(() => Promise.all(commands.map(one)));
}

class Kept extends Writable {
  text = '';
  readonly isTTY = false;

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += bytes.toString();
    done();
  }
}

/**
 * The life of one process of the program, which runs within the test's: it ends at a call of the file system, at the beginning
 * or the end of a transaction or at a step of a request, and from then on it changes nothing any more. The functions of
 * `systemFiles`, and that by which SQLite begins and ends a transaction, are exchanged while it lives.
 */
export class Life {
  readonly #faulty: FaultyFiles;
  readonly #dead = new AbortController();
  /** The step at which it ends. */
  readonly #endsAt: number;
  #steps = 0;
  /** Told when the machine sleeps. */
  onSleep: (minutes: number, isClockStill: boolean) => void = () => {};

  constructor(folder: string, fault: Fault | undefined) {
    this.#faulty = new FaultyFiles(folder);
    this.#endsAt = fault?.on === 'life' ? fault.at : Number.POSITIVE_INFINITY;
    if (fault?.on === 'disk') this.#faulty.fault = { kind: fault.kind, at: fault.at };
    this.#faulty.beforeCall = () => {
      // Half of a write is there, of anything else nothing.
      if (this.#isEnd()) this.#faulty.fault = { kind: 'power cut', at: this.#faulty.calls.length + 1 };
      if (fault?.on === 'sleep' && this.#steps === fault.at) this.onSleep(fault.minutes, false);
    };
  }

  get isOver(): boolean {
    return this.#dead.signal.aborted;
  }

  /** Aborts when it ends: nothing waits any more. */
  get signal(): AbortSignal {
    return this.#dead.signal;
  }

  /** Whether the fault met a call: there may have been fewer. */
  get isStruck(): boolean {
    const { fault, calls } = this.#faulty;
    return this.isOver || (fault !== undefined && calls.length >= fault.at);
  }

  /** It ends now. */
  end(): void {
    this.#dead.abort(new Error('killed'));
    this.#faulty.beforeCall = refuse;
  }

  /** A step of a request. Whether it is the last one, or there has been a last one before. */
  step(): boolean {
    if (!this.isOver && this.#isEnd()) this.end();
    return this.isOver;
  }

  /** Before it, or after it: then it counts, but nobody is told. */
  #execute(text: string, execute: () => void): void {
    if (text !== 'rollback') this.#meet(text, execute);
    execute();
  }

  #meet(text: string, execute: () => void): void {
    if (this.isOver) refuse();
    this.#faulty.beforeCall();
    const number = this.#faulty.calls.push(text);
    const { fault } = this.#faulty;
    if (fault?.at !== number) return;
    if (fault.kind !== 'power cut') throw ofSqlite(fault.kind === 'EIO' ? 10 : 13);
    if (number % 2 === 0) execute();
    this.end();
    refuse();
  }

  #isEnd(): boolean {
    this.#steps += 1;
    if (this.#steps < this.#endsAt) return false;
    this.#dead.abort(new Error('killed'));
    return true;
  }

  async around<T>(work: () => Promise<T>): Promise<T> {
    Object.assign(systemFiles, this.#faulty.files);
    meetTransactions((text, execute) => this.#execute(text, execute));
    try {
      return await work();
    } finally {
      meetTransactions(undefined);
      Object.assign(systemFiles, untouched);
      this.#faulty.die();
    }
  }
}

/** As they are when nothing is exchanged. */
const untouched: FileSystem = { ...hastyFiles, fsyncSync: systemFiles.fsyncSync };

function ofSqlite(errcode: number): Error {
  return Object.assign(new Error('made to fail'), { code: 'ERR_SQLITE_ERROR', errcode });
}

function refuse(): never {
  throw Object.assign(new Error('EIO: the process is dead'), { code: 'EIO' });
}
