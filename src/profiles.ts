/** Named connections, kept in the config folder. The folder is 0700 and the file 0600: it may hold keys. */
import { readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { FileError, UsageError } from './errors.ts';
import { fileError, makePrivateFolder, systemFiles } from './files.ts';
import { shellWord } from './shell.ts';

const profile = z.object({
  mode: z.enum(['remote', 'local']),
  base_url: z.optional(z.string()),
  organization_id: z.optional(z.int()),
  api_key: z.optional(z.string()),
  /** A shell command that prints the key, so that any password manager serves. */
  api_key_command: z.optional(z.string()),
  /** Folder of a local profile's own store. */
  store: z.optional(z.string()),
  agent_id: z.optional(z.int()),
  from: z.optional(z.string()),
  country: z.optional(z.string()),
});

const config = z.object({ active: z.optional(z.string()), profiles: z._default(z.record(z.string(), profile), {}) });

export type Profile = z.output<typeof profile>;
export type Config = z.output<typeof config>;

const FILE_NAME = 'config';

export function configPath(folder: string): string {
  return join(folder, `${FILE_NAME}.json`);
}

/** The profiles of a config folder; none where there is no file. Read without the config library: every command does it. */
export function readConfig(folder: string): Config {
  const path = configPath(folder);
  if (statOf(path) === undefined) return { profiles: {} };
  requirePrivateConfig(folder);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new FileError(`${path} is not JSON.`, { hint: 'Mend or move it.' });
    throw fileError(error, 'read', path);
  }
  const result = config.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new FileError(`${path}: ${issue?.path.join('.')}: ${issue?.message}.`, { hint: 'Mend or move it.' });
}

export async function writeConfig(folder: string, value: Config): Promise<void> {
  try {
    makePrivateFolder(systemFiles, folder);
    requirePrivateConfig(folder);
    const { default: Conf } = await import('conf');
    const file = new Conf({ cwd: folder, configName: FILE_NAME, configFileMode: 0o600 });
    file.store = { ...value };
  } catch (error) {
    throw fileError(error, 'write', configPath(folder));
  }
}

export function findProfile({ profiles }: Config, name: string): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(profiles);
  const hint = known.length === 0 ? 'vagent profile add <name>' : `Profiles: ${known.join(', ')}.`;
  throw new UsageError(`There is no profile ${JSON.stringify(name)}.`, { hint });
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Refuses a config folder or file that others may look into or that is another's: the fix is one command. What is not there
 * is no fault.
 */
export function requirePrivateConfig(folder: string): void {
  requirePrivate(folder, FOLDER_MODE);
  requirePrivate(configPath(folder), FILE_MODE);
}

function requirePrivate(path: string, mode: number): void {
  const stat = statOf(path);
  if (stat === undefined || process.platform === 'win32') return;
  // Whoever owns it says what is in it: which service gets the key, and which command is run for it.
  if (stat.uid !== process.geteuid?.()) {
    throw new FileError(`${path} belongs to another user (${stat.uid}).`, {
      code: 'config_owner',
      hint: `Run vagent as that user, or take it over: chown ${process.geteuid?.()} ${shellWord(path)}`,
    });
  }
  const fix = closing(path, stat, mode);
  if (fix === undefined) return;
  const actual = (stat.mode & 0o777).toString(8);
  throw new FileError(`${path} can be read or changed by others (mode ${actual}).`, { code: 'config_mode', hint: fix });
}

/** The command that closes a file to others, where it is an ordinary file and stands open to them. */
export function commandThatCloses(path: string): string | undefined {
  const stat = statOf(path);
  return stat?.isFile() ? closing(path, stat, FILE_MODE) : undefined;
}

function closing(path: string, stat: Stats, mode: number): string | undefined {
  const isOpen = process.platform !== 'win32' && (stat.mode & 0o777 & ~mode) !== 0;
  return isOpen ? `chmod ${mode.toString(8)} ${shellWord(path)}` : undefined;
}

/** What cannot be looked at is told: taken for missing, it would mean other settings than those that are kept. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw fileError(error, 'read', path);
  }
}
