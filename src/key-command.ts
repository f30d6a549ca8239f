/** A key from a command of the operator's own, so that any password manager serves. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { CredentialsError, InterruptedError } from './errors.ts';
import type { Io } from './io.ts';
import { Redactor } from './redact.ts';

export interface KeyCommandOptions {
  io: Io;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** Milliseconds: long enough, where nobody says otherwise, to unlock a password manager by hand. */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT = 60_000;
/** Bytes of each stream: a key is far shorter, and what is said beyond that nobody reads. */
const MAX_OUTPUT_BYTES = 4096;
const MAX_NOTED_LINES = 20;
const LONGEST_QUOTE = 300;

const WINDOWS = process.platform === 'win32';

/**
 * Runs a line of the shell (`/bin/sh`; on Windows `cmd.exe`) and returns the one word that it prints. The key is masked from
 * then on, and what the command said on stderr becomes notes. Throws CredentialsError, and InterruptedError at Ctrl-C.
 */
export async function keyFromCommand(command: string, options: KeyCommandOptions): Promise<string> {
  const { io } = options;
  const { ending, printed, said } = await runToEnd(command, options);
  const key = printed.trim();
  const isWhole = ending === 'exit code 0' && key !== '' && !/\s/.test(key);
  if (!isWhole) throw explain(command, ending, key, said);
  io.redactor.add(key);
  for (const line of linesOf(said).slice(0, MAX_NOTED_LINES)) io.note(`api_key_command: ${line}`);
  return key;
}

interface Run {
  /** How it ended, in words. */
  ending: string;
  printed: string;
  said: string;
}

const TOO_MUCH = 'too much output';

function runToEnd(command: string, { signal, timeoutMs = DEFAULT_TIMEOUT }: KeyCommandOptions): Promise<Run> {
  if (signal.aborted) return Promise.reject(new InterruptedError());
  return new Promise((resolve, reject) => {
    // A process group of its own, so that all of a pipeline can be ended: one member alone would keep stdout open.
    let child: ChildProcessByStdio<null, Readable, Readable>;
    try {
      child = spawn(command, {
        shell: true,
        detached: !WINDOWS,
        windowsHide: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    } catch {
      // It is too long for the system, or holds a NUL.
      return resolve({ ending: 'it cannot be run', printed: '', said: '' });
    }
    const printed = new Capped();
    const said = new Capped();
    let isOver = false;
    const end = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(deadline);
      signal.removeEventListener('abort', interrupt);
      settle();
    };
    const settleWith = (ending: string) =>
      end(() => resolve({ ending, printed: printed.text(), said: said.wholeLines() }));
    const cutOff = (ending: string) => {
      endAll(child);
      settleWith(ending);
    };
    const interrupt = () => {
      endAll(child);
      end(() => reject(new InterruptedError()));
    };
    const deadline = setTimeout(() => cutOff(`no end within ${timeoutMs / 1000} s`), timeoutMs);
    signal.addEventListener('abort', interrupt);
    child.stdout.on('data', (chunk: Buffer) => {
      if (!printed.take(chunk)) cutOff(TOO_MUCH);
    });
    child.stderr.on('data', (chunk: Buffer) => void said.take(chunk));
    child.on('error', ({ message }) => settleWith(message));
    child.on('close', (code, by) => settleWith(by === null ? `exit code ${code}` : `ended by ${by}`));
  });
}

/** The command and everything that it started. */
function endAll(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  try {
    if (WINDOWS || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** The beginning of what a stream brings. */
class Capped {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** False once there is more than is kept. */
  take(chunk: Buffer): boolean {
    this.#chunks.push(chunk.subarray(0, Math.max(0, MAX_OUTPUT_BYTES - this.#bytes)));
    this.#bytes += chunk.length;
    return this.#bytes <= MAX_OUTPUT_BYTES;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  /** The lines that came to their end before the limit: in one that was cut, half of a key would not be known for one. */
  wholeLines(): string {
    const text = this.text();
    return this.#bytes <= MAX_OUTPUT_BYTES ? text : text.slice(0, text.search(/[^\r\n]*$/));
  }
}

/** What was printed may be a part of the key, or the key among other words: it is shown nowhere, whoever repeats it. */
function explain(command: string, ending: string, printed: string, said: string): CredentialsError {
  const words = new Redactor();
  for (const word of printed.split(/\s+/)) words.add(word);
  const quote = shortened(linesOf(words.redact(said)).join(' '));
  const hint = `Run it by hand: ${words.redact(command)}`;
  if (ending === TOO_MUCH || (ending === 'exit code 0' && printed !== '')) {
    return new CredentialsError('api_key_command printed more than a key.', { hint });
  }
  const what = ending === 'exit code 0' ? 'printed nothing' : 'failed';
  const why = ending === 'exit code 0' ? '' : ` (${ending})`;
  const told = quote === '' ? '' : `: ${quote.replace(/[.!?]$/, '')}`;
  return new CredentialsError(`api_key_command ${what}${told}${why}.`, { hint });
}

function linesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function shortened(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}
