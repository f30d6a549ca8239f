/**
 * The life of one process of the program, which runs within the test's: it ends at a call of the file system, at the beginning or the
 * end of a transaction or at a step of a request, and from then on it changes nothing any more. The functions of `systemFiles`, and
 * that by which SQLite begins and ends a transaction, are exchanged while it lives.
 */
import { type FileSystem, systemFiles } from '../../../src/storage/files/file-system.ts';
import { FaultyFiles, hastyFiles } from '../faulty-files.ts';
import { meetTransactions } from '../struck-database.ts';
import type { Fault } from './world.ts';

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
