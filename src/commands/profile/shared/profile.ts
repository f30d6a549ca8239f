/** What the commands of profiles share: the flags that describe one, which one is meant, and how it is saved. */
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { PlainCommand } from '../../../cli/flags/plain-command.ts';
import { country, filled, identifier, type OptionsOf, writtenNumber } from '../../../cli/flags/values.ts';
import { printRecord } from '../../../cli/terminal/output.ts';
import type { ListQuestion } from '../../../cli/terminal/question.ts';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { type Changes, changeConfig, changedProfile } from '../../../settings/profile-changes.ts';
import { type Config, configPath, type Profile } from '../../../settings/profiles.ts';
import { isDatabase, readPlace } from '../../../storage/files/store-place.ts';
import { readPhone, requireCountry } from '../../shared/phone.ts';
import { zoneName } from '../../shared/times.ts';
import { completeConnection } from './connection.ts';

export const CONNECTION_HELP =
  'Connection: --base-url <url> --org <id> and --api-key-file <file|-> or --api-key-command; or --local, with ' +
  '--store <dir>. Either with --register <dir>.\n\n' +
  'On a terminal, a key that is not given is asked for; it is not shown. ' +
  'The key is tried on the service first; a profile whose key is refused is not kept.';

const KEY = {
  apiKeyCommand: ['--api-key-command <command>', 'a command that prints the key, kept in its place', filled],
} as const;
const DEFAULTS = {
  agent: ['--agent <id>', 'default agent', identifier],
  from: ['--from <number>', 'default number to call from', writtenNumber],
  country: ['--country <code>', 'default country of national numbers, such as DE', country],
  timezone: ['--timezone <name>', 'IANA zone of times without an offset, such as Europe/Berlin', filled],
} as const;

export type ProfileOptions = OptionsOf<typeof KEY & typeof DEFAULTS>;

export function addProfileFlags(command: PlainCommand): PlainCommand {
  return command.takesFlags(KEY).optionsGroup('Defaults of its commands').takesFlags(DEFAULTS);
}

/** A plain word, because it is typed often and is a key in a file. */
export function profileName(text: string): string {
  if (/^[A-Za-z0-9][\w.-]*$/.test(text)) return text;
  throw new InvalidArgumentError('It must be letters, digits, dots, dashes and underscores, a letter or digit first.');
}

/** Whether the command line says anything of a profile. */
export function saysSomething(options: ProfileOptions, { flags }: Context): boolean {
  const { local, baseUrl, org, apiKeyFile, store, register } = flags;
  const given = Object.values({ ...options, local, baseUrl, org, apiKeyFile, store, register });
  return given.some((value) => value !== undefined);
}

/**
 * What the flags change, with the connection to a real service completed and tried where it changes. `before` is the profile as it
 * is. Throws UsageError if flags contradict each other.
 */
export async function changesByFlags(
  before: Profile | undefined,
  options: ProfileOptions,
  context: Context,
): Promise<Changes> {
  const { io, flags } = context;
  if (options.country !== undefined) await requireCountry(options.country);
  if (options.timezone !== undefined) zoneName(options.timezone);
  if (flags.local && flags.baseUrl !== undefined)
    throw new UsageError('--local and --base-url cannot be used together.');
  const place = { place: '--from', country: options.country ?? before?.country, hasCountryFlag: true };
  const from = options.from && (await readPhone(options.from, place, io));
  const defaults = {
    ...(options.agent !== undefined && { agent_id: options.agent }),
    ...(from !== undefined && { from }),
    ...(options.country !== undefined && { country: options.country }),
    ...(options.timezone !== undefined && { timezone: options.timezone }),
    ...(flags.register !== undefined && { register: placeOf(flags.register) }),
  };
  const mode = flags.local ? 'local' : flags.baseUrl === undefined ? (before?.mode ?? 'remote') : 'remote';
  if (mode === 'remote') {
    const { fields } = await completeConnection({ before, apiKeyCommand: options.apiKeyCommand }, context);
    return { mode, ...fields, ...defaults };
  }
  return {
    mode,
    ...(flags.store !== undefined && { store: placeOf(flags.store) }),
    ...(flags.org !== undefined && { organization_id: flags.org }),
    ...defaults,
  };
}

/** The same place in whatever folder the profile is used. */
function placeOf(place: string): string {
  const read = readPlace(place, 'profile');
  return isDatabase(read) ? read : resolve(read);
}

// Which profile is meant, and how it is saved -------------------------------------------------------------------------

/** Asks which of the profiles is meant; the active one is preset. */
export function askProfile({ settings }: Context): ListQuestion<string> {
  return {
    flag: '<name>',
    message: 'Profile',
    choices: async () => {
      const { active, profiles } = settings.config();
      return Object.entries(profiles).map(([name, { mode, base_url }]) => ({
        name: `${name}  (${mode === 'local' ? 'simulator' : base_url}${name === active ? ', active' : ''})`,
        value: name,
      }));
    },
    parse: filled,
    preset: settings.config().active,
  };
}

/** Replaces the profiles with what `change` makes of the latest ones. */
export function changeProfiles({ settings, line }: Context, change: (config: Config) => Config) {
  return changeConfig(settings.configFolder(), line.command, change);
}

/** Saves a profile, and says what became of it. */
export async function saveProfile(name: string, changes: Changes, context: Context): Promise<void> {
  const { io, settings } = context;
  const { before, after } = await changeProfiles(context, (config) => ({
    active: config.active ?? name,
    profiles: { ...config.profiles, [name]: changedProfile(ofName(config.profiles, name), changes).profile },
  }));
  const old = ofName(before.profiles, name);
  const { profile, kept, dropped } = changedProfile(old, changes);
  io.note(`Profile ${name} is ${old === undefined ? 'saved' : 'changed'} in ${configPath(settings.configFolder())}.`);
  if (kept.length > 0) io.note(`Kept as before: ${kept.join(', ')}.`);
  if (dropped.length > 0) {
    const other = profile.mode === 'local' ? 'the real service' : 'the simulator';
    io.note(`Dropped, because it belongs to ${other}: ${dropped.join(', ')}.`);
  }
  const { active } = after;
  if (active !== name) io.note(`The active profile is still ${active}: vagent profile use ${name}`);
  await printRecord(context, { name, mode: profile.mode, active: active === name });
}

/** A name such as `constructor` is no profile unless there is one. */
export function ofName<T>(profiles: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}
