/** The filters of the commands on call logs: some are applied by the service, the others on this computer. */
import { type Command, InvalidArgumentError } from 'commander';
import { type Selection, selector } from '../../../calls/select.ts';
import type { Context } from '../../../context.ts';
import { CALL_STATUSES, type CallLogEntry, E164, FIRST_INSTANT } from '../../../contract.ts';
import { InputError } from '../../../errors.ts';
import { DURATIONS, filled, identifier, openChoice, writtenNumber } from '../../../flags/values.ts';
import type { CallFilters } from '../../../paging/pages.ts';
import { parseDay } from '../../../text/calendar-day.ts';
import { firstDaySince } from '../../../text/days.ts';
import { durationMeant, parseDuration } from '../../../text/duration.ts';
import { isTime, localTime, machineZone, parseTime } from '../../../text/time.ts';
import { readPhone } from '../../shared/phone.ts';
import { type CampaignWord, campaignWord } from '../../shared/pick-campaign.ts';
import type { CampaignCalls } from './campaign-calls.ts';

export interface FilterOptions {
  startDate?: string;
  endDate?: string;
  agent?: number;
  since?: Since;
  campaign?: CampaignWord;
  status?: string;
  outcome?: string;
  to?: string;
  from?: string;
  search?: string;
}

/** Seconds before now, or a time that is still to be read. */
export type Since = number | string;

/** The filters that the service applies. */
export function addServiceFilters(command: Command): Command {
  return command
    .optionsGroup('Filters')
    .option('--start-date <YYYY-MM-DD>', 'calls from this day on; also today, yesterday, monday, 7d')
    .option('--end-date <YYYY-MM-DD>', 'calls up to this day, included')
    .option('--agent <id>', 'calls of this agent only', identifier)
    .optionsGroup('Flags');
}

export function addFilters(command: Command): Command {
  return addServiceFilters(command)
    .optionsGroup('Filters')
    .option('--since <duration>', 'calls of the last 2h, 3d, …, or since yesterday or "monday 14:00"', since)
    .option('--campaign <campaign>', 'calls of this campaign only: its id or name', campaignWord)
    .option('--status <status>', `${CALL_STATUSES.join(', ')}, …`, openChoice(CALL_STATUSES))
    .option('--outcome <label>', 'calls with this outcome', filled)
    .option('--to <number>', 'calls to this number', writtenNumber)
    .option('--from <number>', 'calls from this number', writtenNumber)
    .option('--search <text>', 'calls with this text in the transcript', filled)
    .optionsGroup('Flags');
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
}

/** A number alone is a duration in seconds. A time is read once the service's clock is known. */
function since(text: string): Since {
  const seconds = parseDuration(text.replace(/ ago$/, ''));
  if (seconds !== undefined) return seconds;
  if (isTime(text)) return text;
  const meant = durationMeant(text);
  throw new InvalidArgumentError(
    `It must be a duration, ${DURATIONS}, or a time: yesterday, "monday 14:00", 2026-11-20.${meant === undefined ? '' : ` ${meant}`}`,
  );
}

/**
 * The filters with their days as dates, and their numbers in E.164. Throws InputError if a day does not exist or the range is
 * empty, and UsageError for a number that is none.
 */
export async function readWritten<T extends FilterOptions>(options: T, context: Context): Promise<T> {
  const { io, serviceClock } = context;
  const read = async (text: string | undefined, flag: string) => {
    if (text === undefined) return undefined;
    const date = await parseDay(text, { flag, now: serviceClock.now });
    if (date !== text) io.note(`${flag} ${text} is ${date}.`);
    return date;
  };
  const startDate = await read(options.startDate, '--start-date');
  const endDate = await read(options.endDate, '--end-date');
  if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
    throw new InputError(`--start-date ${startDate} is after --end-date ${endDate}.`);
  }
  const to = options.to && (await readFilterNumber(options.to, '--to', context));
  const from = options.from && (await readFilterNumber(options.from, '--from', context));
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
  if (since !== undefined && end_date !== undefined && end_date < firstDaySince(since)) {
    throw new InputError(`--end-date ${end_date} is before --since begins, at ${localTime(since)}: no call can match.`);
  }
  const selection: Selection = {
    since,
    call_status: status,
    call_outcome: outcome,
    called_to: to,
    call_from: from,
    search,
  };
  const here = ['since', 'campaign', 'status', 'outcome', 'to', 'from', 'search'] as const;
  const flags = here.filter((name) => options[name] !== undefined).map((name) => `--${name}`);
  if (flags.length > 0) {
    context.io.note(`Filtering on this computer: ${flags.join(', ')} (the service cannot).`);
  }
  const campaign = await campaignOf(options, context);
  const days = [start_date, since === undefined ? undefined : firstDaySince(since), campaign?.filters.start_date];
  return {
    asked: { start_date: latestOf(days), end_date, agent_id: agent ?? campaign?.filters.agent_id },
    select: selector(selection),
    since,
    campaign,
  };
}

/** Loads what attributes calls only where it is needed. */
async function campaignOf({ campaign, agent }: FilterOptions, context: Context): Promise<CampaignCalls | undefined> {
  if (campaign === undefined) return undefined;
  const { callsOfCampaign } = await import('./campaign-calls.ts');
  return callsOfCampaign(campaign, agent, context);
}

/** Lets the service leave out as many days as possible. */
function latestOf(days: readonly (string | undefined)[]): string | undefined {
  return days
    .filter((day) => day !== undefined)
    .sort()
    .at(-1);
}

/** Milliseconds since the epoch. Throws InputError. */
async function readSince(since: Since, { io, serviceClock }: Context): Promise<number> {
  const now = await serviceClock.now();
  if (typeof since === 'number') return Math.max(FIRST_INSTANT, now - since * 1000);
  const instant = await parseTime(since, { flag: '--since', now, direction: 'back', zone: machineZone(now) });
  if (instant > now) throw new InputError(`--since ${since} has not come: it is ${localTime(now)}.`);
  io.note(`Since ${localTime(instant)}.`);
  return instant;
}

/** Calls to any number can be in the log, so one that could not be dialled is no mistake. */
async function readFilterNumber(text: string, place: string, { io, settings }: Context): Promise<string> {
  if (E164.test(text)) return text;
  return readPhone(text, { place, country: settings.profile()?.country, hasCountryFlag: false }, io);
}
