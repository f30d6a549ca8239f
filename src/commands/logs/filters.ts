/** The filters that every command on call logs takes, and that the service applies. */
import type { Command } from 'commander';
import { identifier } from '../../arguments.ts';
import type { CallFilters } from '../../calls/pages.ts';
import { InputError } from '../../errors.ts';
import { parseDate } from '../../time.ts';

export interface FilterOptions {
  startDate?: string;
  endDate?: string;
  agent?: number;
}

export function addFilters(command: Command): Command {
  return command
    .option('--start-date <YYYY-MM-DD>', 'calls from this day on')
    .option('--end-date <YYYY-MM-DD>', 'calls up to this day, included')
    .option('--agent <id>', 'calls of this agent only', identifier);
}

/** Throws InputError where a date does not exist or the range is empty. */
export function readFilters({ startDate, endDate, agent }: FilterOptions): CallFilters {
  const start_date = startDate === undefined ? undefined : parseDate(startDate, '--start-date');
  const end_date = endDate === undefined ? undefined : parseDate(endDate, '--end-date');
  if (start_date !== undefined && end_date !== undefined && start_date > end_date) {
    throw new InputError(`--start-date ${start_date} is after --end-date ${end_date}.`);
  }
  return { start_date, end_date, agent_id: agent };
}
