/** Gets the key from a command of the operator's, so that any password manager can be used. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Io } from '../cli/terminal/io.ts';
import { CredentialsError, InterruptedError } from '../errors.ts';
import { quietly } from '../storage/files/file-system.ts';
import { Redactor } from '../text/redact.ts';
import { MINUTE, SECOND } from '../text/units.ts';

export interface KeyCommandOptions {
  io: Io;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** Milliseconds; by default long enough to unlock a password manager by hand. */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT = MINUTE;
/** Bytes of each stream: a key is far shorter, and so is any useful explanation. */
const MAX_OUTPUT_BYTES = 4096;
const MAX_NOTED_LINES = 20;
const LONGEST_QUOTE = 300;

const WINDOWS = process.platform === 'win32';

/**
 * Runs a shell line (`/bin/sh`; on Windows `cmd.exe`) and returns the one word that it prints. The key is masked from then on,
 * and the command's stderr becomes notes. Throws CredentialsError, and InterruptedError at Ctrl-C.
 */
export async function keyFromCommand(command: string, options: KeyCommandOptions): Promise<string> {
  const { io } = options;
  const { ending, stdout, stderr } = await runToEnd(command, options);
  const key = stdout.trim();
  const isWhole = ending === 'exit code 0' && key !== '' && !/\s/.test(key);
  if (!isWhole) throw failureOf(command, ending, key, stderr);
  io.redactor.add(key);
  for (const line of linesOf(stderr).slice(0, MAX_NOTED_LINES)) io.note(`api_key_command: ${line}`);
  return key;
}

const TOO_MUCH = 'too much output';

/** What it printed, and in words how it ended. */
async function runToEnd(command: string, { signal, timeoutMs = DEFAULT_TIMEOUT }: KeyCommandOptions) {
  if (signal.aborted) throw new InterruptedError();
  // In its own process group, so that a whole pipeline can be ended: one member alone would keep stdout open.
  const options = { shell: true, detached: !WINDOWS, windowsHide: true } as const;
  const child = quietly(() => spawn(command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }));
  // The command is too long for the system, or contains a NUL.
  if (child === undefined) return { ending: 'it cannot be run', stdout: '', stderr: '' };
  const tooMuch = new AbortController();
  const stdout = beginningOf(child.stdout, () => tooMuch.abort());
  const stderr = beginningOf(child.stderr);
  // What comes after its end is nobody's any more.
  child.on('error', () => {});
  const limit = AbortSignal.timeout(timeoutMs);
  const until = AbortSignal.any([signal, limit, tooMuch.signal]);
  const ending = await once(child, 'close', { signal: until }).then(
    ([code, by]) => (by === null ? `exit code ${code}` : `ended by ${by}`),
    ({ message }: Error) => {
      endAll(child);
      if (signal.aborted) throw new InterruptedError();
      if (tooMuch.signal.aborted) return TOO_MUCH;
      return limit.aborted ? `no end within ${timeoutMs / SECOND} s` : message;
    },
  );
  // In a line that was cut, part of the key would not be recognised.
  return {
    ending,
    stdout: stdout.text(),
    stderr: stderr.isCut() ? stderr.text().replace(/[^\r\n]*$/, '') : stderr.text(),
  };
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
function beginningOf(stream: Readable, onMore = () => {}) {
  let [kept, isCut] = [Buffer.alloc(0), false];
  stream.on('data', (chunk: Buffer) => {
    const all = Buffer.concat([kept, chunk]);
    kept = all.subarray(0, MAX_OUTPUT_BYTES);
    if (all.length === kept.length) return;
    isCut = true;
    onMore();
  });
  return { text: () => kept.toString('utf8'), isCut: () => isCut };
}

/** The output may be part of the key, or the key among other words, so it is masked even where stderr repeats it. */
function failureOf(command: string, ending: string, printed: string, stderr: string): CredentialsError {
  const words = new Redactor();
  for (const word of printed.split(/\s+/)) words.add(word);
  const said = linesOf(words.redact(stderr)).join(' ');
  const quote = said.length > LONGEST_QUOTE ? `${said.slice(0, LONGEST_QUOTE)}…` : said;
  const hint = `Run it by hand: ${words.redact(command)}`;
  if (ending === TOO_MUCH || (ending === 'exit code 0' && printed !== '')) {
    return new CredentialsError('api_key_command printed more than a key.', { hint });
  }
  const quoted = quote === '' ? '' : `: ${quote.replace(/[.!?]$/, '')}`;
  const what = ending === 'exit code 0' ? `printed nothing${quoted}` : `failed${quoted} (${ending})`;
  return new CredentialsError(`api_key_command ${what}.`, { hint });
}

function linesOf(text: string): string[] {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line !== '');
}
