/** The API key: from a file, the environment, a profile or a command of the operator's. */
import { localCredentials } from '../contract.ts';
import { CredentialsError, FileError } from '../errors.ts';
import type { GlobalFlags } from '../flags/global.ts';
import { type Io, sourceName } from '../terminal/io.ts';
import type { Environment } from './folders.ts';
import { commandThatCloses, type Profile } from './profiles.ts';
import { ownProfile, type Target } from './target.ts';

export interface FoundKey {
  key: string;
  /** Its origin, in words that may be shown. */
  source: string;
}

/** What is needed to find the key: a profile's command may have to be run. */
export interface KeySearch {
  flags: GlobalFlags;
  env: Environment;
  /** The profile in effect, for whichever service. */
  profile: Profile | undefined;
  profileName: string | undefined;
  /** Of the local engine, if that is the target. */
  organizationId: number;
  target: Target;
  io: Io;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
}

/** The key for the target, masked in all output from now on. Throws CredentialsError. */
export async function resolveKey(search: KeySearch): Promise<FoundKey> {
  const found = await findKey(search);
  if (found === undefined) throw missingKey(search);
  requireReadable(found.key, found.source);
  if (search.target.mode === 'remote') search.io.redactor.add(found.key);
  return found;
}

async function findKey(search: KeySearch): Promise<FoundKey | undefined> {
  const { target, flags, env, io, organizationId } = search;
  if (flags.apiKeyFile !== undefined) {
    return { key: await readKeyFile(flags.apiKeyFile, io), source: sourceName(flags.apiKeyFile) };
  }
  const ofProfile = () => profileKey(search);
  if (target.mode === 'local') {
    return (await ofProfile()) ?? { key: localCredentials(organizationId).api_key, source: 'the local engine itself' };
  }
  const ofEnvironment = env.VAGENT_API_KEY ? { key: env.VAGENT_API_KEY, source: 'VAGENT_API_KEY' } : undefined;
  if (flags.profile !== undefined) return (await ofProfile()) ?? ofEnvironment;
  return ofEnvironment ?? ofProfile();
}

async function profileKey(search: KeySearch): Promise<FoundKey | undefined> {
  const { profile, profileName, target, io, signal } = search;
  const { api_key, api_key_command } = ownProfile(profile, target) ?? {};
  const named = `profile ${profileName}`;
  if (api_key) return { key: api_key, source: named };
  if (api_key_command === undefined) return undefined;
  const { keyFromCommand } = await import('./key-command.ts');
  return { key: await keyFromCommand(api_key_command, { io, signal }), source: `the api_key_command of ${named}` };
}

function missingKey({ profile, profileName, target }: KeySearch): CredentialsError {
  const hasForeignKey = profile?.api_key !== undefined || profile?.api_key_command !== undefined;
  const host = target.mode === 'remote' ? target.baseUrl.host : '';
  const why = hasForeignKey ? ` The key of profile ${profileName} is for another base URL and stays there.` : '';
  return new CredentialsError(`No API key is set for ${host}.${why}`, {
    hint: 'Set VAGENT_API_KEY, name a file with --api-key-file, or keep it in a profile: vagent profile add.',
  });
}

/** Bytes. */
const LONGEST_KEY_FILE = 64 * 1024;

/** A key that was damaged on its way is not sent. Throws CredentialsError. */
function requireReadable(key: string, source: string): void {
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
