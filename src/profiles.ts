/** Named connections, kept in the config folder. The folder is 0700 and the file 0600: it may hold keys. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { FileError, UsageError } from './errors.ts';
import { fileError, makePrivateFolder, systemFiles } from './files.ts';

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
  if (!existsSync(path)) return { profiles: {} };
  requirePrivate(folder, 0o700);
  requirePrivate(path, 0o600);
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
    requirePrivate(folder, 0o700);
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

/** Refuses what others may look into: the fix is one command. */
function requirePrivate(path: string, mode: number): void {
  if (process.platform === 'win32') return;
  const actual = statSync(path).mode & 0o777;
  if ((actual & ~mode) === 0) return;
  throw new FileError(`${path} can be read or changed by others (mode ${actual.toString(8)}).`, {
    code: 'config_mode',
    hint: `chmod ${mode.toString(8)} ${path}`,
  });
}
