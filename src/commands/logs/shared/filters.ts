/** The filters of the commands on call logs: some are applied by the service, the others on this computer. */
import { InvalidArgumentError } from 'commander';
import type { CallFilters } from '../../../calls/paging/pages.ts';
import { selector } from '../../../calls/select.ts';
import type { CampaignCalls } from '../../../campaigns/lines.ts';
import {
  DURATIONS,
  type Flag,
  type FlagTable,
  filled,
  identifier,
  type OptionsOf,
  words,
  writtenNumber,
} from '../../../cli/flags/values.ts';
import type { Context } from '../../../context.ts';
import { CALL_STATUSES, type CallLogEntry, E164, FIRST_INSTANT } from '../../../contract.ts';
import { InputError, UsageError } from '../../../errors.ts';
import { plainText } from '../../../text/csv.ts';
import { durationMeant, parseDuration, writeDuration } from '../../../text/duration.ts';
import { firstDaySince } from '../../../text/iso.ts';
import { isTime, localTime, machineZone, parseDay, parseTime, timeInZone } from '../../../text/time.ts';
import { readPhone } from '../../shared/phone.ts';
import { idOrName } from '../../shared/pick.ts';
import { SeenLabels } from '../../shared/seen-labels.ts';
import { zoneSaid } from '../../shared/times.ts';

/** A filter is a line: its flag, what it leaves, and how its value is read. The service applies the first ones. */
export const SERVICE_FILTERS = {
  startDate: ['--start-date <YYYY-MM-DD>', 'calls from this day on; also today, yesterday, monday, 7d', String],
  endDate: ['--end-date <YYYY-MM-DD>', 'calls up to this day, included', String],
  agent: ['--agent <id>', 'calls of this agent only', identifier],
} as const;
const HERE = {
  since: ['--since <duration>', 'calls of the last 2h, 3d, …, or since yesterday or "monday 14:00"', since],
  campaign: ['--campaign <campaign>', 'calls of this campaign only: its id or name', idOrName],
  status: ['--status <statuses>', `any of several, such as busy,no-answer: ${CALL_STATUSES.join(', ')}, …`, words],
  outcome: ['--outcome <labels>', 'any of several, as a table shows them', words],
  to: ['--to <number>', 'calls to this number', writtenNumber],
  from: ['--from <number>', 'calls from this number', writtenNumber],
  search: ['--search <text>', 'calls with this text in the transcript', filled],
} as const;
export const FILTERS = { ...SERVICE_FILTERS, ...HERE };

type Filter = keyof typeof FILTERS;
export type FilterOptions = OptionsOf<typeof FILTERS>;

/** `--to`, of `--to <number>`. */
const flagOf = ([flag]: Flag) => flag.replace(/ .*/, '');

/** The flags of a table. */
export function flagsOf(filters: FlagTable): string[] {
  return Object.values(filters).map(flagOf);
}

/** Those that are given, by their names. */
export function filtersGiven(options: FilterOptions): [name: Filter, value: string | number | string[]][] {
  const names = Object.keys(FILTERS) as Filter[];
  return names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
}

/** As they would be written on a command line. */
export function filtersInWords(options: FilterOptions): string[] {
  return filtersGiven(options).map(([name, value]) => {
    return `${flagOf(FILTERS[name])} ${name === 'since' && typeof value === 'number' ? writeDuration(value) : value}`;
  });
}

export interface Filters {
  /** The filters that the service applies. */
  asked: CallFilters;
  /** The filter that is applied to its answers, or undefined if there is none. */
  select: ((call: CallLogEntry) => boolean) | undefined;
  /** What `--since` means, in milliseconds since the epoch. */
  since: number | undefined;
  /** The calls of `--campaign`, which `select` does not look at. */
  campaign: CampaignCalls | undefined;
  /** Says of words that no call had what there is instead. */
  noteUnknown(): void;
}

/** Seconds before now; a time is read once the service's clock is known. */
function since(text: string): number | string {
  const seconds = parseDuration(text.replace(/ ago$/, ''));
  if (seconds !== undefined) return seconds;
  if (isTime(text)) return text;
  const written = `It must be a duration, ${DURATIONS}, or a time: yesterday, "monday 14:00", 2026-11-20.`;
  const meant = durationMeant(text);
  throw new InvalidArgumentError(meant === undefined ? written : `${written} ${meant}`);
}

/**
 * The filters with their days as dates, and their numbers in E.164. Throws InputError if a day does not exist or the range is
 * empty, and UsageError for a number that is none.
 */
export async function readWritten<T extends FilterOptions>(options: T, context: Context): Promise<T> {
  const { io, clock, settings } = context;
  const day = async (name: 'startDate' | 'endDate') => {
    const [flag, text] = [flagOf(FILTERS[name]), options[name]];
    if (text === undefined) return undefined;
    const date = await parseDay(text, flag, clock.now, zoneSaid(undefined, context));
    if (date !== text) io.note(`${flag} ${text} is ${date}.`);
    return date;
  };
  const startDate = await day('startDate');
  const endDate = await day('endDate');
  if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
    throw new InputError(`--start-date ${startDate} is after --end-date ${endDate}.`);
  }
  const country = settings.profile()?.country;
  // Calls to any number can be in the log, so one that could not be dialled is no mistake.
  const number = async (text: string | undefined, place: string) =>
    text === undefined || E164.test(text) ? text : readPhone(text, { place, country, hasCountryFlag: false }, io);
  const to = await number(options.to, '--to');
  const from = await number(options.from, '--from');
  return { ...options, startDate, endDate, to, from };
}

/** The same, with calls of other campaigns left out by `select`, as the log is now. */
export async function readFilters(options: FilterOptions, context: Context, settled?: number): Promise<Filters> {
  const filters = await readGrowingFilters(options, context, settled);
  const { campaign, select = () => true } = filters;
  return campaign === undefined ? filters : { ...filters, select: (call) => campaign.isOf(call) && select(call) };
}

/**
 * Reads the filters, and notes which are applied on this computer. `settled` is `since` of the run that is continued, in
 * milliseconds since the epoch. Throws InputError if a date does not exist or the range is empty.
 */
export async function readGrowingFilters(options: FilterOptions, context: Context, settled?: number): Promise<Filters> {
  const { agent, status, outcome, search } = options;
  const { startDate: start_date, endDate: end_date, to, from } = await readWritten(options, context);
  const since = options.since === undefined ? undefined : (settled ?? (await readSince(options.since, context)));
  const firstDay = since === undefined ? undefined : firstDaySince(since);
  if (since !== undefined && firstDay !== undefined && end_date !== undefined && end_date < firstDay) {
    throw new InputError(`--end-date ${end_date} is before --since begins, at ${localTime(since)}: no call can match.`);
  }
  const here = filtersGiven(options).flatMap(([name]) => (name in HERE ? [flagOf(FILTERS[name])] : []));
  if (here.length > 0) context.io.note(`Filtering on this computer: ${here.join(', ')} (the service cannot).`);
  const campaign = await campaignOf(options, context);
  // The service leaves out as many days as possible.
  const days = [start_date, firstDay, campaign?.filters.start_date].filter((day) => day !== undefined);
  const labels = { call_status: status, call_outcome: outcome };
  const seen = new SeenLabels('call', { status, outcome }, context.notes.redact);
  const select = selector({ ...labels, since, called_to: to, call_from: from, search });
  return {
    noteUnknown: () => seen.inWords().forEach((text) => void context.io.note(text)),
    asked: { start_date: days.sort().at(-1), end_date, agent_id: agent ?? campaign?.filters.agent_id },
    select:
      select &&
      ((call) => {
        seen.add({ status: plainText(call.call_status), outcome: plainText(call.call_outcome) });
        return select(call);
      }),
    since,
    campaign,
  };
}

/**
 * Loads what attributes calls only where it is needed. Throws NotFoundError, and UsageError where it is not clear which campaign is
 * meant, or if it is of another agent.
 */
async function campaignOf({ campaign, agent }: FilterOptions, context: Context): Promise<CampaignCalls | undefined> {
  if (campaign === undefined) return undefined;
  const [{ callsOf }, { readLaunches }] = await Promise.all([
    import('../../../campaigns/lines.ts'),
    import('../../shared/find-campaign.ts'),
  ]);
  const { launches, launch } = await readLaunches(campaign, context);
  const { agentId, campaignId } = launch;
  if (agent !== undefined && agent !== agentId) {
    throw new UsageError(`Campaign ${campaignId} is of agent ${agentId}, not ${agent}: no call can match.`);
  }
  return callsOf(launch, launches, context);
}

/** Milliseconds since the epoch. Throws InputError. */
async function readSince(since: number | string, context: Context): Promise<number> {
  const { io, clock } = context;
  const now = await clock.now();
  if (typeof since === 'number') return Math.max(FIRST_INSTANT, now - since * 1000);
  const said = zoneSaid(undefined, context);
  const instant = await parseTime(since, { flag: '--since', now, direction: 'back', zone: said ?? machineZone(now) });
  if (instant > now) throw new InputError(`--since ${since} has not come: it is ${localTime(now)}.`);
  io.note(`Since ${said === undefined ? localTime(instant) : timeInZone(instant, said, now)}.`);
  return instant;
}
