/**
 * Changes the profiles: one process at a time, each on the latest state, and durably, so that the file is always the old one or
 * the new one. Fields that this version does not know come from a newer one and stay.
 */
import { existsSync } from 'node:fs';
import type ConfigLibrary from 'conf';
import * as z from 'zod/mini';
import { makePrivateFolder } from '../storage/files/durable.ts';
import { fileError, systemFiles } from '../storage/files/file-system.ts';
import { writingFile } from '../storage/files/in-progress.ts';
import { SECOND } from '../text/units.ts';
import {
  type Config,
  configPath,
  configSchema,
  FILE_NAME,
  type Profile,
  readConfig,
  requirePrivateConfig,
} from './profiles.ts';

/** Fields to set; those with `undefined` are removed. Fields that are absent stay as they are. */
export type Changes = Partial<{ [field in keyof Profile]: Profile[field] | undefined }>;

type Field = Exclude<keyof Profile, 'mode'>;

/** The fields in the words of messages. */
const WORDS: Record<Field, string> = {
  base_url: 'base URL',
  organization_id: 'organization',
  api_key: 'key',
  api_key_command: 'key command',
  store: 'store',
  register: 'register',
  agent_id: 'agent',
  from: 'number',
  country: 'country',
  timezone: 'time zone',
};

/** Fields that `profile edit --unset` removes, by their flags' names. */
export const UNSETTABLE = {
  agent: 'agent_id',
  from: 'from',
  country: 'country',
  timezone: 'timezone',
  store: 'store',
  register: 'register',
} as const;

/** What is true of a profile for whichever service: everything else belongs to one. */
const OF_EVERY_SERVICE: readonly Field[] = ['country', 'timezone', 'register'];

export interface Changed {
  profile: Profile;
  /** In words: fields that were not mentioned and stay. */
  kept: string[];
  /** In words: fields that are gone because they belong to the other kind of profile. */
  dropped: string[];
}

export function changedProfile(before: Profile | undefined, changes: Changes): Changed {
  const mode = changes.mode ?? before?.mode ?? 'remote';
  const present = (Object.keys(WORDS) as Field[]).filter((field) => before?.[field] !== undefined);
  const staying = present.filter((field) => mode === before?.mode || OF_EVERY_SERVICE.includes(field));
  // Of the two ways to give a key, one replaces the other.
  const replaced = (changes.api_key ?? changes.api_key_command) === undefined ? [] : ['api_key', 'api_key_command'];
  const kept = staying.filter((field) => !Object.hasOwn(changes, field) && !replaced.includes(field));
  const dropped = present.filter((field) => !staying.includes(field) && !Object.hasOwn(changes, field));
  const old = Object.fromEntries(kept.map((field) => [field, before?.[field]]));
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  const profile = { ...old, ...Object.fromEntries(set), mode };
  return { profile, kept: kept.map((field) => WORDS[field]), dropped: dropped.map((field) => WORDS[field]) };
}

// The file -----------------------------------------------------------------------------------------------------------

/** Milliseconds: the lock is held only while the file is written. */
const LOCK_TIMEOUT = 10 * SECOND;

type Fields = Record<string, unknown>;

/**
 * Replaces the profiles with what `change` returns; it may refuse by throwing. `command` is what this process is doing, for
 * others who wait. Throws FileErrors, with the file unchanged.
 */
export async function changeConfig(
  folder: string,
  command: string,
  change: (config: Config) => Config,
): Promise<{ before: Config; after: Config }> {
  const path = configPath(folder);
  try {
    makePrivateFolder(systemFiles, folder);
    requirePrivateConfig(folder);
    // Before the lock is taken, because loading it takes longer than others should have to wait.
    const { default: Conf } = await import('conf');
    return await writingFile(path, { command, requireFree() {}, timeoutMs: LOCK_TIMEOUT }, async (file) => {
      const before = readConfig(folder);
      const after = change(before);
      file.write(`${JSON.stringify(merged(stored(folder, Conf), before, after), undefined, '\t')}\n`);
      return { before, after };
    });
  } catch (error) {
    throw fileError(error, 'write', path);
  }
}

/** The whole content, including what this version does not know. */
function stored(folder: string, Conf: typeof ConfigLibrary): Fields {
  // If the file does not exist, the library would write one, but not durably.
  if (!existsSync(configPath(folder))) return {};
  const { properties } = z.toJSONSchema(configSchema, { io: 'input' });
  return { ...new Conf({ cwd: folder, configName: FILE_NAME, schema: properties as never }).store };
}

function merged({ active: _active, ...kept }: Fields, before: Config, after: Config): Fields {
  const keptProfiles = kept.profiles as Record<string, Fields> | undefined;
  const profiles = Object.entries(after.profiles).map(([name, profile]) => {
    const known = Object.keys(before.profiles[name] ?? {});
    const unknown = Object.entries(keptProfiles?.[name] ?? {}).filter(([field]) => !known.includes(field));
    return [name, { ...profile, ...Object.fromEntries(unknown) }];
  });
  return { active: after.active, ...kept, profiles: Object.fromEntries(profiles) };
}
