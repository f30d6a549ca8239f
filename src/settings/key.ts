/** The API key as it stands in a file or an environment variable. */
import { type Io, sourceName } from '../cli/terminal/io.ts';
import { CredentialsError, FileError } from '../errors.ts';
import { commandThatCloses } from './profiles.ts';

/** Bytes. */
const LONGEST_KEY_FILE = 64 * 1024;

/** A key that was damaged on its way is not sent. Throws CredentialsError. */
export function requireReadable(key: string, source: string): void {
  // Control characters, halves of characters, and what stands for bytes that are no text.
  if (!/[\p{Cc}\p{Cs}\ufffd]/u.test(key)) return;
  throw new CredentialsError(`The API key from ${source} holds a character that no key has: it was not sent.`, {
    hint: 'Copy it once more, as plain text.',
  });
}

/** Reads a key from a file or standard input that holds nothing else. Throws CredentialsError. */
export async function readKeyFile(path: string, io: Io): Promise<string> {
  const bytes = await io.read(path, '--api-key-file', LONGEST_KEY_FILE).catch((error: unknown) => {
    if (error instanceof FileError) throw new CredentialsError(error.message, { cause: error });
    throw error;
  });
  const key = bytes.toString('utf8').trim();
  if (key === '' || /\s/.test(key)) {
    throw new CredentialsError(`${sourceName(path)} must hold one API key and nothing else.`);
  }
  requireReadable(key, sourceName(path));
  const fix = path === '-' ? undefined : commandThatCloses(path);
  if (fix !== undefined) io.warn(`${path} holds a key and can be read or changed by others: ${fix}`);
  return key;
}
