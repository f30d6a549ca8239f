/** Runs other programs of the operator's to their end: a line of the shell, or a program with its arguments. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { InterruptedError } from '../errors.ts';
import { quietly } from '../storage/files/file-system.ts';
import { SECOND } from '../text/units.ts';
import type { Environment } from './folders.ts';

export interface ChildOptions {
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** Milliseconds. */
  timeoutMs: number;
  /** What it reads; nothing by default. */
  input?: string | Buffer;
  /** By default that of this process. */
  env?: Environment;
  /** Bytes of what it prints; with more it is ended. 0: nobody reads it, however much it is. */
  mostBytes?: number;
}

export interface Ended {
  /** In words, such as `exit code 0`. */
  ending: string;
  /** Null if it did not end by itself. */
  code: number | null;
  stdout: Buffer;
  /** Its beginning, without a line that was cut. */
  stderr: string;
}

/** Bytes of each stream: a key is far shorter, and so is any useful explanation. */
const MOST_BYTES = 4096;
export const TOO_MUCH = 'too much output';

const WINDOWS = process.platform === 'win32';

/** A text is a line for the shell (`/bin/sh`; on Windows `cmd.exe`). Throws InterruptedError. */
export async function runToEnd(command: string | readonly string[], options: ChildOptions): Promise<Ended> {
  const { signal, timeoutMs, input, env, mostBytes = MOST_BYTES } = options;
  if (signal.aborted) throw new InterruptedError();
  // In its own process group, so that a whole pipeline can be ended: one member alone would keep stdout open.
  const own = { detached: !WINDOWS, windowsHide: true, ...(env !== undefined && { env }) } as const;
  const piped = (isUsed: boolean) => (isUsed ? 'pipe' : 'ignore');
  const stdio = [piped(input !== undefined), piped(mostBytes > 0), 'pipe'] as const;
  const child = quietly((): ChildProcess => {
    if (typeof command === 'string') return spawn(command, { ...own, stdio: [...stdio], shell: true });
    const [file = '', ...args] = command;
    return spawn(file, args, { ...own, stdio: [...stdio] });
  });
  // The command is too long for the system, or contains a NUL.
  if (child === undefined) return { ending: 'it cannot be run', code: null, stdout: Buffer.alloc(0), stderr: '' };
  const tooMuch = new AbortController();
  const stdout = beginningOf(child.stdout, mostBytes, () => tooMuch.abort());
  const stderr = beginningOf(child.stderr, MOST_BYTES);
  // What comes after its end is nobody's any more; it need not read what it is given.
  child.on('error', () => {});
  child.stdin?.on('error', () => {}).end(input);
  const limit = AbortSignal.timeout(timeoutMs);
  const until = AbortSignal.any([signal, limit, tooMuch.signal]);
  const [ending, code] = await once(child, 'close', { signal: until }).then(
    ([exit, by]): [string, number | null] => [by === null ? `exit code ${exit}` : `ended by ${by}`, exit],
    ({ message }: Error): [string, null] => {
      endAll(child);
      if (signal.aborted) throw new InterruptedError();
      if (tooMuch.signal.aborted) return [TOO_MUCH, null];
      return [limit.aborted ? `no end within ${timeoutMs / SECOND} s` : message, null];
    },
  );
  // In a line that was cut, part of the key would not be recognised.
  const said = stderr.isCut() ? stderr.text().replace(/[^\r\n]*$/, '') : stderr.text();
  return { ending, code, stdout: stdout.bytes(), stderr: said };
}

/** Ends the command and everything that it started. */
function endAll(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  const { pid } = child;
  // It may have ended by itself.
  quietly(() => (WINDOWS || pid === undefined ? child.kill('SIGKILL') : process.kill(-pid, 'SIGKILL')));
}

/** Keeps the beginning of a stream; `onMore` is called when more has come than is kept. */
function beginningOf(stream: Readable | null, most: number, onMore = () => {}) {
  const kept: Buffer[] = [];
  let [length, isCut] = [0, false];
  stream?.on('data', (chunk: Buffer) => {
    if (isCut) return;
    kept.push(chunk.subarray(0, most - length));
    isCut = length + chunk.length > most;
    length = Math.min(most, length + chunk.length);
    if (isCut) onMore();
  });
  const bytes = () => Buffer.concat(kept);
  return { bytes, text: () => bytes().toString('utf8'), isCut: () => isCut };
}

/** Those that say something. */
export function linesOf(text: string): string[] {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line !== '');
}
