/** Named connections, kept in the config folder. The folder has mode 0700 and the file 0600, because it may hold keys. */
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { FileError, UsageError } from '../errors.ts';
import { readText, systemFiles, withFileErrors } from '../storage/files/file-system.ts';
import { parsed } from '../text/json.ts';
import { shellWord } from '../text/shell.ts';

const profile = z.object({
  mode: z.enum(['remote', 'local']),
  base_url: z.optional(z.string()),
  organization_id: z.optional(z.int()),
  api_key: z.optional(z.string()),
  /** A shell command that prints the key, so that any password manager can be used. */
  api_key_command: z.optional(z.string()),
  /** A local profile's store: a folder, or the address of a database. */
  store: z.optional(z.string()),
  /** Where the register and the plans are, in the same way. */
  register: z.optional(z.string()),
  agent_id: z.optional(z.int()),
  from: z.optional(z.string()),
  country: z.optional(z.string()),
  /** The IANA zone of times without an offset. */
  timezone: z.optional(z.string()),
});

export const configSchema = z.object({
  active: z.optional(z.string()),
  profiles: z._default(z.record(z.string(), profile), {}),
});

export type Profile = z.output<typeof profile>;
export type Config = z.output<typeof configSchema>;

/** Without its extension. */
export const FILE_NAME = 'config';

export function configPath(folder: string): string {
  return join(folder, `${FILE_NAME}.json`);
}

/** The profiles of a config folder; none if there is no file. Read without the config library, because every command does it. */
export function readConfig(folder: string): Config {
  const path = configPath(folder);
  if (statOf(path) === undefined) return { profiles: {} };
  requirePrivateConfig(folder);
  const hint = 'Fix it or move it away.';
  const value = parsed(withFileErrors('read', path, () => readText(systemFiles, path)));
  if (value === undefined) throw new FileError(`${path} is not JSON.`, { hint });
  const result = configSchema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new FileError(`${path}: ${issue?.path.join('.')}: ${issue?.message}.`, { hint });
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
 * Refuses a config folder or file that others can access or own; the error names the command that fixes it. A missing one is
 * fine.
 */
export function requirePrivateConfig(folder: string): void {
  requirePrivate(folder, FOLDER_MODE);
  // Anything else than a file is refused when it is read; changing its mode would not help.
  if (statOf(configPath(folder))?.isFile()) requirePrivate(configPath(folder), FILE_MODE);
}

function requirePrivate(path: string, mode: number): void {
  const stat = statOf(path);
  if (stat === undefined || process.platform === 'win32') return;
  // The file's owner controls which service gets the key, and which command is run for it.
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

/** The command that closes an ordinary file to others; undefined if none is needed. */
export function commandThatCloses(path: string): string | undefined {
  const stat = statOf(path);
  return stat?.isFile() ? closing(path, stat, FILE_MODE) : undefined;
}

function closing(path: string, stat: Stats, mode: number): string | undefined {
  const isOpen = process.platform !== 'win32' && (stat.mode & 0o777 & ~mode) !== 0;
  return isOpen ? `chmod ${mode.toString(8)} ${shellWord(path)}` : undefined;
}

/** Throws if the path cannot be examined: treating it as missing would silently change the settings. */
function statOf(path: string): Stats | undefined {
  return withFileErrors('read', path, () => statSync(path, { throwIfNoEntry: false }));
}
