/** Gets the key from a command of the operator's, so that any password manager can be used. */
import type { Io } from '../cli/terminal/io.ts';
import { CredentialsError } from '../errors.ts';
import { Redactor } from '../text/redact.ts';
import { MINUTE } from '../text/units.ts';
import { linesOf, runToEnd, TOO_MUCH } from './child.ts';

export interface KeyCommandOptions {
  io: Io;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** Milliseconds; by default long enough to unlock a password manager by hand. */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT = MINUTE;
const MAX_NOTED_LINES = 20;
const LONGEST_QUOTE = 300;

/**
 * Runs a shell line (`/bin/sh`; on Windows `cmd.exe`) and returns the one word that it prints. The key is masked from then on,
 * and the command's stderr becomes notes. Throws CredentialsError, and InterruptedError at Ctrl-C.
 */
export async function keyFromCommand(command: string, options: KeyCommandOptions): Promise<string> {
  const { io, signal, timeoutMs = DEFAULT_TIMEOUT } = options;
  const { ending, code, stdout, stderr } = await runToEnd(command, { signal, timeoutMs });
  const key = stdout.toString('utf8').trim();
  const isWhole = code === 0 && key !== '' && !/\s/.test(key);
  if (!isWhole) throw failureOf(command, ending, key, stderr);
  io.redactor.add(key);
  for (const line of linesOf(stderr).slice(0, MAX_NOTED_LINES)) io.note(`api_key_command: ${line}`);
  return key;
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
