/** What `campaign create` and `campaign rehearse` share: the flags that describe a campaign, and reading them. */

import type { PlainCommand } from '../../../cli/flags/plain-command.ts';
import type { OptionsOf } from '../../../cli/flags/values.ts';
import { duration, filled, identifier, integerFrom, writtenNumber } from '../../../cli/flags/values.ts';
import { type Io, sourceName } from '../../../cli/terminal/io.ts';
import { ask, complete, missingOf, orAsk } from '../../../cli/terminal/prompt.ts';
import type { Question } from '../../../cli/terminal/question.ts';
import { requireDialable } from '../../../contacts/numbers/dialable.ts';
import { OriginalRows } from '../../../contacts/original-rows.ts';
import type { Context } from '../../../context.ts';
import {
  DEFAULT_CALLS_PER_HOUR,
  DEFAULT_RETRY_ATTEMPTS,
  DEFAULT_RETRY_DELAY,
  type RequestOf,
} from '../../../contract.ts';
import { InputError } from '../../../errors.ts';
import { DO_NOT_CALL, withoutThose } from '../../../register/do-not-call.ts';
import { isoTime } from '../../../text/iso.ts';
import type { KeptRows } from '../../../text/kept-rows.ts';
import { counted } from '../../../text/numbers.ts';
import { isInWords, needsZone, parseTime, timeInZone } from '../../../text/time.ts';
import {
  addContactFlags,
  type ContactOptions,
  optedOutIfKnown,
  readContacts,
  readFirst,
  requireContactFlags,
  unusableRows,
} from '../../shared/contacts.ts';
import { noteReport } from '../../shared/contacts-report.ts';
import { addGuardFlags, type GuardOptions, pricePerMinute } from '../../shared/flags.ts';
import { readPhone, requireCountry } from '../../shared/phone.ts';
import { askCallingNumber, askContactsFile } from '../../shared/questions.ts';
import { zoneFor } from '../../shared/times.ts';

const FLAGS = {
  name: ['--name <text>', "the campaign's name", filled],
  agent: ['--agent <id>', 'agent that calls (vagent agent list)', identifier],
  from: ['--from <number>', "one of the organization's agent numbers", writtenNumber],
  contacts: ['--contacts <file>', 'CSV or .xlsx of contacts, or - for standard input', filled],
  start: ['--start <time>', 'when to start (default now): an ISO 8601 time, "tomorrow 09:00", or 2h', String],
  timezone: ['--timezone <name>', "IANA zone of a --start without an offset (default: the profile's)", filled],
  callsPerHour: ['--calls-per-hour <n>', `pace (default ${DEFAULT_CALLS_PER_HOUR})`, integerFrom(1)],
  retryAttempts: [
    '--retry-attempts <n>',
    `retries of a failed call (default ${DEFAULT_RETRY_ATTEMPTS})`,
    integerFrom(0),
  ],
  retryDelay: ['--retry-delay <duration>', `time between retries (default ${DEFAULT_RETRY_DELAY / 3600}h)`, duration],
  /** Millionths. */
  pricePerMinute: ['--price-per-minute <amount>', 'price of a started minute, to estimate the cost', pricePerMinute],
} as const;

export type CampaignOptions = OptionsOf<typeof FLAGS> & ContactOptions & GuardOptions;

export function addCampaignFlags(command: PlainCommand): PlainCommand {
  command.argument('[contacts]', 'the same as --contacts <file>', filled).takesFlags(FLAGS, 'Campaign');
  return addContactFlags(addGuardFlags(command));
}

export interface Campaign {
  request: RequestOf<'createCampaign'>;
  /** The file's name on the command line and the SHA-256 of its bytes. Undefined for the local engine. */
  contactsFile: { name: string; sha256: string } | undefined;
  /** The original row of each contact. Undefined if it is not sent. */
  rows: KeptRows | undefined;
  /** In which its times are shown: what was said of it. */
  timezone: string | undefined;
}

/** What differs between the two commands. */
interface CampaignSource {
  askAgent: Question<number>;
  /** Milliseconds, by the clock that will run the campaign. */
  now: () => Promise<number>;
  /** Whether it may be sent: the original rows are returned, which are kept for the results. */
  isSent?: true;
}

/** The campaign that the flags describe. Asks for missing flags, and checks every contact. */
export async function readCampaign(
  given: CampaignOptions,
  context: Context,
  { askAgent, now, isSent }: CampaignSource,
): Promise<Campaign> {
  const { io, settings } = context;
  if (given.country !== undefined) await requireCountry(given.country);
  const country = given.country ?? settings.profile()?.country;
  const givenFrom = given.from && (await readPhone(given.from, { place: '--from', country, hasCountryFlag: true }, io));
  if (givenFrom !== undefined) await requireDialable(givenFrom, '--from');
  const questions = {
    path: askContactsFile('--contacts'),
    name: { flag: '--name', message: 'Name of the campaign', parse: filled },
    agent: askAgent,
    from: askCallingNumber(context, { country, hasCountryFlag: true }),
  };
  const known = {
    ...{ path: given.contacts, name: given.name },
    agent: given.agent ?? settings.profile()?.agent_id,
    from: givenFrom ?? settings.profile()?.from,
  };
  const missing = missingOf(io, known, questions);
  const isGuided = hasNoFlags(given, io);
  // What was given is checked before the first question, and the file before the next.
  requireContactFlags(given, context);
  const said = await zoneFor({ timezone: given.timezone, times: { '--start': given.start }, now }, context);
  if (missing.length > 0) await readStart(given.start, said, now);
  const path = await orAsk(io, known.path, questions.path);
  const isAsked = isGuided || missing.some((name) => name !== 'path');
  const options = isAsked
    ? await readFirst(path, { ...given, near: givenFrom === undefined ? [] : [givenFrom] }, NOTHING, context)
    : given;
  const { name, agent, from } = await complete(io, { ...known, path }, questions);
  const timing = isGuided ? await askTiming(said, now, io) : options;
  const timezone = said ?? (await zoneFor({ timezone: said, times: { '--start': timing.start }, now }, context));
  await requireDialable(from, '--from');
  const hasRegister = settings.isRemote();
  const campaign = { campaign_name: name, agent_id: agent, call_from: from };
  const original = isSent && new OriginalRows();
  const checked = await readContacts(
    path,
    {
      ...options,
      flag: '--contacts',
      keepsContacts: true,
      // The register recognises a file that was sent before by the hash of its bytes.
      hashes: hasRegister,
      leaveOut: async (all) => {
        const out = isSent ? await (await context.register.optedOut()).phones() : await optedOutIfKnown(context);
        const willing = out === undefined ? all : withoutThose(out, all);
        const isOnlyNew = options.excludeSent && hasRegister && willing.length > 0;
        const rest = isOnlyNew
          ? await context.register.withoutSent({ ...campaign, contacts: willing })
          : { contacts: willing, leftOut: [] };
        if (rest.contacts !== all) original?.keepThoseOf(rest.contacts, all);
        return { ...rest, doNotCall: all.length - willing.length };
      },
      accepted: original,
      near: [from],
    },
    context,
  );
  const { report, unusable, contacts, sha256, advice: hint } = checked;
  if (unusable > 0) throw unusableRows(path, checked, NOTHING);
  const start_time = await readStart(timing.start, timezone, now);
  const { start = '' } = timing;
  const isOfProfile = needsZone(start) && given.timezone === undefined;
  if (start_time !== undefined && (isOfProfile || isInWords(start))) {
    io.note(`--start ${start} is ${timeInZone(Date.parse(start_time), timezone, await now())}.`);
  }
  if (options.excludeSent && !hasRegister) {
    io.note('--exclude-sent leaves nobody out: the simulator has no register.');
  }
  noteReport(report, path, io);
  if (contacts.length === 0) {
    const { rows, do_not_call = 0 } = report;
    const optedOut = do_not_call === 0 ? '' : `; ${do_not_call} of them opted out of calls`;
    const message = `${sourceName(path)}: none of ${counted(rows, 'row')} is left to be called${optedOut}. Nothing was sent.`;
    throw new InputError(message, do_not_call === 0 ? { hint } : { hint, code: DO_NOT_CALL });
  }
  const request = {
    ...campaign,
    contacts,
    start_time,
    calls_per_hour: timing.callsPerHour,
    retry_attempts: timing.retryAttempts,
    retry_delay: options.retryDelay,
  };
  const contactsFile = sha256 === undefined ? undefined : { name: path, sha256 };
  return { request, contactsFile, rows: original?.rows, timezone };
}

/** What is said of a file that is refused. */
const NOTHING = 'nothing was sent';

/** In UTC with `Z`, as it is sent. Throws InputError if the time has passed or has no zone. */
async function readStart(
  start: string | undefined,
  zone: string | undefined,
  clock: CampaignSource['now'],
): Promise<string | undefined> {
  if (start === undefined) return undefined;
  const now = await clock();
  const instant = await parseTime(start, { flag: '--start', now, direction: 'ahead', zone });
  if (instant < now) {
    throw new InputError(`--start ${start} has passed.`, { hint: 'Leave --start out to begin now.' });
  }
  return isoTime(instant);
}

/** Whether everything is asked: whoever writes a command line leaves settings out on purpose. */
function hasNoFlags(options: CampaignOptions, io: Io): boolean {
  const { pricePerMinute: _ofNoCall, ...flags } = FLAGS;
  return io.canAsk && Object.keys(flags).every((name) => options[name as keyof typeof flags] === undefined);
}

/** The settings that matter most; Enter takes what the service would. */
async function askTiming(zone: string | undefined, now: CampaignSource['now'], io: Io): Promise<CampaignOptions> {
  // An answer that says what is so anyway stands in no command line.
  const other = <T>(value: T, preset: T) => (value === preset ? undefined : value);
  const start = await ask(io, {
    ...{ flag: '--start', message: 'Start', hint: 'such as 2h or "tomorrow 09:00"', preset: 'now' },
    parse: async (text) => {
      const given = other(text.trim(), 'now');
      // The zone is asked for next.
      if (zone !== undefined || !needsZone(text)) await readStart(given, zone, now);
      return given;
    },
  });
  const number = (flag: string, message: string, least: number, preset: number) =>
    ask<number | undefined>(io, {
      ...{ flag, message, preset: String(preset) },
      parse: (text) => other(integerFrom(least)(text.trim()), preset),
    });
  const callsPerHour = await number('--calls-per-hour', 'Calls per hour', 1, DEFAULT_CALLS_PER_HOUR);
  const retryAttempts = await number('--retry-attempts', 'Retries of a failed call', 0, DEFAULT_RETRY_ATTEMPTS);
  return {
    ...(start !== undefined && { start }),
    ...(callsPerHour !== undefined && { callsPerHour }),
    ...(retryAttempts !== undefined && { retryAttempts }),
  };
}
