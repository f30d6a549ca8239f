import type { Command } from 'commander';
import { integerFrom } from '../../arguments.ts';
import { type CallFilters, pages } from '../../calls/pages.ts';
import { certainInstantOf } from '../../calls/select.ts';
import type { Context } from '../../context.ts';
import {
  type CallLogEntry,
  DEFAULT_LIMIT,
  listFields,
  MAX_LIMIT,
  type ResponseOf,
  type Service,
  totalOf,
} from '../../contract.ts';
import { GivenFlags } from '../../given.ts';
import { examples } from '../../help.ts';
import { chooseFormat, printList } from '../../output.ts';
import { Progress } from '../../progress.ts';
import { localTime } from '../../time.ts';
import { addFilters, type FilterOptions, type Filters, readFilters } from './filters.ts';

interface Options extends FilterOptions {
  limit?: number;
  offset?: number;
  all?: true;
}

type Response = ResponseOf<'getCallLogs'>;

/** What a table and tab-separated values show of a call. */
export const BRIEF_COLUMNS = [
  'call_id',
  'timestamp',
  'agent_id',
  'called_to',
  'call_from',
  'call_status',
  'call_duration',
  'call_outcome',
] as const;

export function register(command: Command, context: Context): void {
  addFilters(command)
    .option('--limit <n>', 'calls at most, 1 to 1000 (default 100)', integerFrom(1, MAX_LIMIT))
    .option('--offset <n>', 'calls to skip', integerFrom(0))
    .option('--all', 'every matching call, however many pages')
    .addHelpText(
      'after',
      `
The service filters by day and agent; the other filters are applied here. Then the log is gone through from
--offset on until --limit calls match or it ends, and the command that goes on from there is said.
A table on a terminal shows times in your zone; every other output keeps the service's.
${examples([
  'vagent logs list --limit 20',
  'vagent logs list --since 2h --status no_answer',
  'vagent logs list --start-date 2026-11-01 --end-date 2026-11-30 --all --json',
  'vagent logs list --json | jq .total',
])}`,
    );
  const given = new GivenFlags(command);
  command.action((options: Options) => run(options, given, context));
}

/** What a listing found, and how far it went. */
interface Found {
  response: Response;
  /** The position in the service's log behind the last call that was looked at. */
  next: number;
  /** Calls behind that; undefined where the service does not say. */
  more: number | undefined;
  looked: number;
}

async function run(options: Options, given: GivenFlags, context: Context): Promise<void> {
  const { io, flags } = context;
  const { asked, select } = await readFilters(options, context);
  const service = await context.service();
  const found =
    options.all || select !== undefined
      ? await gather(service, { asked, select }, options, context)
      : await onePage(service, asked, options);
  const isForPerson = io.stdoutIsTerminal && chooseFormat(io, flags) === 'table';
  const { response, next, more, looked } = found;
  const shown = isForPerson ? { ...response, calls: response.calls.map(inLocalTime) } : response;
  await printList(io, flags, shown, { key: 'calls', columns: listFields.calls, brief: BRIEF_COLUMNS });

  const goOn = `Next: vagent logs list${given.except(['--offset'])} --offset ${next}`;
  if (select !== undefined) {
    const behind = more === undefined ? 'There may be more.' : `${more} more to look at.`;
    const rest = more === 0 ? '' : ` ${behind} ${goOn}`;
    io.note(`Looked at ${looked} ${looked === 1 ? 'call' : 'calls'}, ${response.calls.length} matched.${rest}`);
  } else if (io.stdoutIsTerminal && more !== 0) {
    const behind =
      more === undefined ? 'There may be more.' : `${more} more; so far ${next} of ${response.total} calls.`;
    io.note(`${behind} ${goOn}`);
  }
}

async function onePage(service: Service, asked: CallFilters, { limit, offset }: Options): Promise<Found> {
  const response = await service.getCallLogs({ ...asked, limit, offset });
  const looked = response.calls.length;
  const next = (offset ?? 0) + looked;
  // Whoever gets nothing would get nothing again.
  return { response, next, looked, more: looked === 0 ? 0 : behind(next, response) };
}

/** One document, of all pages or of as many as it takes: the newest answer, with the calls that are wanted. */
async function gather(
  service: Service,
  { asked, select = () => true }: Pick<Filters, 'asked' | 'select'>,
  { all, limit = DEFAULT_LIMIT, offset = 0 }: Options,
  { io, concurrency }: Context,
): Promise<Found> {
  const progress = new Progress(io, 'Looking through calls');
  const calls: CallLogEntry[] = [];
  const most = all ? Number.POSITIVE_INFINITY : limit;
  let last: Response | undefined;
  let looked = 0;
  let next = offset;
  try {
    for await (const page of pages(service, asked, { skip: offset, concurrency: all ? concurrency : 1 })) {
      last = page.response;
      const unseen = new Set(page.calls);
      const start = page.next - last.calls.length;
      for (const [at, call] of last.calls.entries()) {
        if (calls.length === most) break;
        next = Math.max(next, start + at + 1);
        if (!unseen.has(call)) continue;
        looked += 1;
        if (select(call)) calls.push(call);
      }
      progress.at(looked, totalOf(last));
      if (calls.length === most) break;
    }
  } finally {
    progress.end();
  }
  const more = calls.length === most ? behind(next, last) : 0;
  // How many there are in all is known where all were looked at.
  const total = all || (more === 0 && offset === 0) ? calls.length : null;
  const response = { ...last, success: true as const, calls, total, limit: calls.length, offset };
  return { response, next, looked, more };
}

/** How many calls the service has behind a position of its log, if it says. */
function behind(position: number, response: Response | undefined): number | undefined {
  const total = response === undefined ? undefined : totalOf(response);
  return total === undefined ? undefined : Math.max(0, total - position);
}

function inLocalTime(call: CallLogEntry): CallLogEntry {
  const instant = certainInstantOf(call);
  return instant === undefined ? call : { ...call, timestamp: localTime(instant) };
}
