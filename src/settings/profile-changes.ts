/** The fields of a profile, and what becomes of one when some of them change. */
import type { Profile } from './profiles.ts';

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
};

/** Fields that `profile edit --unset` removes, by their flags' names. */
export const UNSETTABLE = {
  agent: 'agent_id',
  from: 'from',
  country: 'country',
  store: 'store',
  register: 'register',
} as const;

/** What is true of a profile for whichever service: everything else belongs to one. */
const OF_EVERY_SERVICE: readonly Field[] = ['country', 'register'];

export interface Changed {
  profile: Profile;
  /** In words: fields that were not mentioned and stay. */
  kept: string[];
  /** In words: fields that are gone because they belong to the other kind of profile. */
  dropped: string[];
}

export function changedProfile(before: Profile | undefined, changes: Changes): Changed {
  const mode = changes.mode ?? before?.mode ?? 'remote';
  const present = fieldsOf(before);
  const staying = present.filter((field) => mode === before?.mode || OF_EVERY_SERVICE.includes(field));
  // Of the two ways to give a key, one replaces the other.
  const isReplaced = (field: Field) => isKey(field) && (changes.api_key ?? changes.api_key_command) !== undefined;
  const kept = staying.filter((field) => !Object.hasOwn(changes, field) && !isReplaced(field));
  const dropped = present.filter((field) => !staying.includes(field) && !Object.hasOwn(changes, field));
  const old = Object.fromEntries(kept.map((field) => [field, before?.[field]]));
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  const profile = { ...old, ...Object.fromEntries(set), mode };
  return { profile, kept: kept.map((field) => WORDS[field]), dropped: dropped.map((field) => WORDS[field]) };
}

function fieldsOf(profile: Profile | undefined): Field[] {
  const fields = Object.keys(WORDS) as Field[];
  return profile === undefined ? [] : fields.filter((field) => profile[field] !== undefined);
}

function isKey(field: Field): boolean {
  return field === 'api_key' || field === 'api_key_command';
}
