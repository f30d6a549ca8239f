/** Asks for everything that makes a profile, each with the present value preset. */
import { country, identifier } from '../../../cli/flags/values.ts';
import type { Io } from '../../../cli/terminal/io.ts';
import type { Choice } from '../../../cli/terminal/live-list.ts';
import { factLines } from '../../../cli/terminal/output.ts';
import { ask, requireYes } from '../../../cli/terminal/prompt.ts';
import type { ListQuestion } from '../../../cli/terminal/question.ts';
import type { Context } from '../../../context.ts';
import { LOCAL_CREDENTIALS, type SilentService } from '../../../contract.ts';
import { type Changes, changedProfile, UNSETTABLE } from '../../../settings/profile-changes.ts';
import type { Profile } from '../../../settings/profiles.ts';
import { machineZone } from '../../../text/time.ts';
import { noteNextTime } from '../../shared/consent.ts';
import { requireCountry } from '../../shared/phone.ts';
import { askNumber } from '../../shared/questions.ts';
import { zoneName } from '../../shared/times.ts';
import { completeConnection } from './connection.ts';
import { ofName, profileName } from './profile.ts';

/** A name for the connection, and what the profile of that name becomes. `named` exists already. */
export async function askProfileInFull(
  named: string | undefined,
  context: Context,
): Promise<{ name: string; changes: Changes }> {
  const { io, settings, flags } = context;
  const { profiles } = settings.config();
  const before = named === undefined ? undefined : ofName(profiles, named);
  const mode = await askMode(before?.mode, context);
  const name = named ?? (await askNewName(mode, context));
  const old = before?.mode === mode ? before : undefined;
  const { fields, connect } =
    mode === 'remote'
      ? await completeConnection({ before, apiKeyCommand: undefined, isGuided: true }, context)
      : { fields: {}, connect: async () => (await context.local.engine()).backend(LOCAL_CREDENTIALS) };
  const changes: Changes = {
    mode,
    ...fields,
    agent_id: await askDefaultAgent(old, connect, context),
    from: await askDefaultNumber(old, connect, mode, context),
    country: await askDefaultCountry(before, context),
    timezone: await askDefaultZone(before, context),
  };
  noteRemovals(old, changes, io);
  const { profile } = changedProfile(before, changes);
  if (!flags.yes) {
    for (const line of factLines(factsOf(name, profile), io)) io.error(line);
    await requireYes(io, 'Save this profile?', 'Nothing was saved.', true);
  }
  noteNextTime(context);
  if (mode === 'remote') io.note('In a script, give the key with --api-key-file or --api-key-command.');
  return { name, changes };
}

/** For a person, before a profile is saved. The key itself is not among them. */
function factsOf(name: string, profile: Profile): Record<string, unknown> {
  const {
    mode,
    base_url,
    organization_id,
    api_key,
    api_key_command,
    store,
    register,
    agent_id,
    from,
    country,
    timezone,
  } = profile;
  return {
    Profile: name,
    Service: mode === 'local' ? 'the simulator' : base_url,
    Organization: organization_id,
    Key: api_key === undefined ? api_key_command && `from the command ${api_key_command}` : 'given',
    Store: store,
    Register: register,
    Agent: agent_id,
    From: from,
    Country: country,
    'Time zone': timezone,
  };
}

/** What an answer removed is `--unset` on the command line. */
function noteRemovals(old: Profile | undefined, changes: Changes, { answers }: Io): void {
  for (const [word, field] of Object.entries(UNSETTABLE)) {
    const isRemoved = Object.hasOwn(changes, field) && changes[field] === undefined && old?.[field] !== undefined;
    if (isRemoved) answers.push({ flag: '--unset', text: word });
  }
}

async function askMode(preset: Profile['mode'] | undefined, { io }: Context): Promise<Profile['mode']> {
  const mode = await ask<Profile['mode']>(io, {
    flag: '',
    message: 'Connect to',
    help: 'A real service calls real phones. On the simulator no phone rings.',
    choices: async () => [
      { name: 'a real service', value: 'remote' },
      { name: 'the simulator', value: 'local' },
    ],
    preset,
  });
  if (mode === 'local') io.answers.push({ flag: '--local' });
  return mode;
}

function askNewName(mode: Profile['mode'], { io, settings }: Context): Promise<string> {
  const { profiles } = settings.config();
  const usual = mode === 'local' ? 'local' : 'work';
  return ask(io, {
    flag: '<name>',
    message: 'Name of the profile',
    help: 'One word for this connection, as in --profile work.',
    preset: ofName(profiles, usual) === undefined ? usual : undefined,
    parse(text) {
      const name = profileName(text.trim());
      if (ofName(profiles, name) === undefined) return name;
      throw new Error(`There is a profile ${name}: vagent profile edit ${name}`);
    },
  });
}

const NONE = 'none';

type Default<T> = Omit<ListQuestion<T>, 'choices'> & {
  choices: () => AsyncIterable<Choice<T>[]>;
  parse: (text: string) => T | Promise<T>;
};

/** A default of the profile's commands; the present one comes first, so that Enter keeps it, then none. */
function askDefault<T extends string | number>(question: Default<T>, { io }: Context): Promise<T | undefined> {
  const { flag, preset, parse } = question;
  async function* choices(): AsyncGenerator<Choice<T | undefined>[]> {
    const none = { name: NONE, value: undefined };
    let head: Choice<T | undefined>[] =
      preset === undefined ? [none] : [{ name: `${preset}  (as it is)`, value: preset }, none];
    for await (const page of question.choices()) {
      yield [...head, ...page.filter(({ value }) => value !== preset)];
      head = [];
    }
    if (head.length > 0) yield head;
  }
  return ask<T | undefined>(io, {
    ...{ ...question, help: `For commands that name no ${flag}.`, choices },
    parse: (text) => (isNone(text) ? undefined : parse(text)),
  });
}

function askDefaultAgent(before: Profile | undefined, connect: () => Promise<SilentService>, context: Context) {
  const question = { flag: '--agent', message: 'Default agent', preset: before?.agent_id };
  async function* choices() {
    yield* (await import('../../shared/choices.ts')).agentChoices(connect);
  }
  return askDefault({ ...question, choices, parse: (text) => identifier(text.trim()) }, context);
}

function askDefaultNumber(
  before: Profile | undefined,
  connect: () => Promise<SilentService>,
  mode: Profile['mode'],
  context: Context,
) {
  const { flag, parse } = askNumber('--from', '', { country: before?.country, hasCountryFlag: false });
  async function* choices() {
    const { numbersInLog, registeredNumbers } = await import('../../shared/choices.ts');
    yield await (mode === 'local' ? registeredNumbers(context) : numbersInLog(await connect()));
  }
  const question = { flag, message: 'Default number to call from', other: 'another number', preset: before?.from };
  return askDefault({ ...question, choices, parse }, context);
}

function askDefaultCountry(before: Profile | undefined, { io }: Context): Promise<string | undefined> {
  return ask(io, {
    flag: '--country',
    message: 'Country',
    help: 'Numbers without + are read as those of this country, such as DE.',
    preset: before?.country ?? NONE,
    async parse(text) {
      if (isNone(text)) return undefined;
      const code = country(text.trim());
      await requireCountry(code);
      return code;
    },
  });
}

/** This machine's is only offered: `none` keeps none. */
async function askDefaultZone(before: Profile | undefined, { io, clock }: Context): Promise<string | undefined> {
  const zone = await ask(io, {
    flag: '',
    message: 'Time zone',
    help: 'In which times such as "tomorrow 09:00" are meant.',
    preset: before === undefined ? machineZone(clock.system()) : (before.timezone ?? NONE),
    parse: (text) => (isNone(text) ? undefined : zoneName(text)),
  });
  if (zone !== undefined && zone !== before?.timezone) io.answers.push({ flag: '--timezone', text: zone });
  return zone;
}

function isNone(text: string): boolean {
  return ['', NONE].includes(text.trim());
}
