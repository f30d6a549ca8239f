/** The filters of the commands on call logs: some are applied by the service, the others on this computer. */
import type { Command } from 'commander';
import { type Selection, selector } from '../../../calls/select.ts';
import type { Context } from '../../../context.ts';
import { type CallLogEntry, FIRST_INSTANT } from '../../../contract.ts';
import { InputError } from '../../../errors.ts';
import { duration, filled, identifier, phoneNumber } from '../../../flags/values.ts';
import type { CallFilters } from '../../../paging/pages.ts';
import { firstDaySince } from '../../../text/days.ts';
import { localTime, parseDate } from '../../../text/time.ts';

export interface FilterOptions {
  startDate?: string;
  endDate?: string;
  agent?: number;
  /** Seconds. */
  since?: number;
  status?: string;
  outcome?: string;
  to?: string;
  from?: string;
  search?: string;
}

/** The filters that the service applies. */
export function addServiceFilters(command: Command): Command {
  return command
    .option('--start-date <YYYY-MM-DD>', 'calls from this day on')
    .option('--end-date <YYYY-MM-DD>', 'calls up to this day, included')
    .option('--agent <id>', 'calls of this agent only', identifier);
}

export function addFilters(command: Command): Command {
  return addServiceFilters(command)
    .option('--since <duration>', 'calls of the last 2h, 3d, …', duration)
    .option('--status <status>', 'completed, failed, busy, no_answer, …', filled)
    .option('--outcome <label>', 'calls with this outcome', filled)
    .option('--to <number>', 'calls to this number', phoneNumber)
    .option('--from <number>', 'calls from this number', phoneNumber)
    .option('--search <text>', 'calls with this text in the transcript', filled);
}

export interface Filters {
  /** The filters that the service applies. */
  asked: CallFilters;
  /** The filter that is applied to its answers, or undefined if there is none. */
  select: ((call: CallLogEntry) => boolean) | undefined;
  /** What `--since` means, in milliseconds since the epoch. */
  since: number | undefined;
}

/**
 * Reads the filters, and notes which are applied on this computer. `settled` is `since` of the run that is continued, in
 * milliseconds since the epoch. Throws InputError if a date does not exist or the range is empty.
 */
export async function readFilters(options: FilterOptions, context: Context, settled?: number): Promise<Filters> {
  const { startDate, endDate, agent, status, outcome, to, from, search } = options;
  const start_date = startDate === undefined ? undefined : parseDate(startDate, '--start-date');
  const end_date = endDate === undefined ? undefined : parseDate(endDate, '--end-date');
  if (start_date !== undefined && end_date !== undefined && start_date > end_date) {
    throw new InputError(`--start-date ${start_date} is after --end-date ${end_date}.`);
  }
  const since =
    options.since === undefined
      ? undefined
      : (settled ?? Math.max(FIRST_INSTANT, (await context.serviceClock.now()) - options.since * 1000));
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
  const here = ['since', 'status', 'outcome', 'to', 'from', 'search'] as const;
  const flags = here.filter((name) => options[name] !== undefined).map((name) => `--${name}`);
  if (flags.length > 0) {
    context.io.note(`Filtering on this computer: ${flags.join(', ')} (the service cannot).`);
  }
  return {
    asked: { start_date: laterOf(start_date, since), end_date, agent_id: agent },
    select: selector(selection),
    since,
  };
}

/** `since` lets the service leave out older days. */
function laterOf(startDate: string | undefined, since: number | undefined): string | undefined {
  if (since === undefined) return startDate;
  const day = firstDaySince(since);
  return startDate !== undefined && startDate > day ? startDate : day;
}
