import type { Command } from 'commander';
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
import { connectionFlags, type GlobalFlags } from '../../flags/global.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { integerFrom } from '../../flags/values.ts';
import { WrittenFlags } from '../../flags/written.ts';
import { type CallFilters, pages } from '../../paging/pages.ts';
import { printList } from '../../terminal/output.ts';
import { withFields } from '../../text/original.ts';
import { concurrencyOf } from '../shared/concurrency.ts';
import { readLog } from '../shared/read-log.ts';
import { BRIEF_COLUMNS, IMPORTANCE, SCREEN_COLUMNS } from './shared/columns.ts';
import { addFilters, type FilterOptions, type Filters, readFilters } from './shared/filters.ts';

interface Options extends FilterOptions {
  limit?: number;
  offset?: number;
  all?: true;
}

type Response = ResponseOf<'getCallLogs'>;

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
The service filters by day and agent; the other filters are applied on this computer. Then the log is read from
--offset on until --limit calls match or it ends, and the command that continues from there is printed.
A table shows times in your zone; every other output keeps the service's.`,
    examples: [
      'vagent logs list --limit 20',
      'vagent logs list --since 2h --status no_answer',
      'vagent logs list --start-date 2026-11-01 --end-date 2026-11-30 --all --json',
      'vagent logs list --json | jq .total',
    ],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  addFilters(command)
    .optionsGroup('Pages')
    .option('--limit <n>', `calls at most, 1 to ${MAX_LIMIT} (default ${DEFAULT_LIMIT})`, integerFrom(1, MAX_LIMIT))
    .option('--offset <n>', 'calls to skip', integerFrom(0))
    .option('--all', 'every matching call, however many pages');
  const written = new WrittenFlags(command);
  command.action((options: Options) => run(options, written, context));
}

/** The calls that were found, and how far the log was read. */
interface Found {
  response: Response;
  /** The position in the service's log after the last call that was read. */
  next: number;
  /** Calls after that; undefined if the service does not say. */
  more: number | undefined;
  looked: number;
}

export async function run(options: Options, written: WrittenFlags, context: Context): Promise<void> {
  const { io, flags } = context;
  const { asked, select } = await readFilters(options, context);
  const service = await context.service();
  const found =
    options.all || select !== undefined
      ? await gather(service, { asked, select }, options, context)
      : await onePage(service, asked, options);
  const { response, next, more, looked } = found;
  await printList(io, flags, response, {
    key: 'calls',
    columns: listFields.calls,
    brief: BRIEF_COLUMNS,
    screen: SCREEN_COLUMNS,
    importance: IMPORTANCE,
    empty: ifEmpty(written, more, flags),
  });

  const nextCommand = `Next: vagent logs list${written.except(['--offset'])} --offset ${next}`;
  if (select !== undefined) {
    const behind = more === undefined ? 'There may be more.' : `${more} more to look at.`;
    const rest = more === 0 ? '' : ` ${behind} ${nextCommand}`;
    io.note(`Looked at ${looked} ${looked === 1 ? 'call' : 'calls'}, ${response.calls.length} matched.${rest}`);
  } else if (io.stdoutIsTerminal && more !== 0) {
    const behind =
      more === undefined ? 'There may be more.' : `${more} more; so far ${next} of ${response.total} calls.`;
    io.note(`${behind} ${nextCommand}`);
  }
}

async function onePage(service: Service, asked: CallFilters, { limit, offset }: Options): Promise<Found> {
  const response = await service.getCallLogs({ ...asked, limit, offset });
  const looked = response.calls.length;
  const next = (offset ?? 0) + looked;
  // After an empty page the next one is empty too.
  return { response, next, looked, more: looked === 0 ? 0 : behind(next, response) };
}

/** The wanted calls of all pages, or of as many as are needed, as one response: the fields beside them are the last page's. */
async function gather(
  service: Service,
  { asked, select = () => true }: Pick<Filters, 'asked' | 'select'>,
  { all, limit = DEFAULT_LIMIT, offset = 0 }: Options,
  context: Context,
): Promise<Found> {
  const { io } = context;
  const calls: CallLogEntry[] = [];
  const most = all ? Number.POSITIVE_INFINITY : limit;
  let last: Response | undefined;
  let looked = 0;
  let next = offset;
  const reading = pages(service, asked, { skip: offset, concurrency: all ? concurrencyOf(context) : 1 });
  for await (const page of readLog(reading, 'Looking through calls', io)) {
    last = page.response;
    const unseen = new Set(page.calls);
    for (const [at, call] of last.calls.entries()) {
      if (calls.length === most) break;
      next = Math.max(next, page.offset + at + 1);
      if (!unseen.has(call)) continue;
      looked += 1;
      if (select(call)) calls.push(call);
    }
    if (calls.length === most) break;
  }
  const more = calls.length === most ? behind(next, last) : 0;
  // The total is known only if the whole log was read.
  const total = all || (more === 0 && offset === 0) ? calls.length : null;
  const changes = { success: true as const, calls, total, limit: calls.length, offset };
  const response = last === undefined ? changes : withFields(last, changes);
  return { response, next, looked, more };
}

/** How many calls the service has after a position in its log; undefined if it does not say. */
function behind(position: number, response: Response | undefined): number | undefined {
  const total = response === undefined ? undefined : totalOf(response);
  return total === undefined ? undefined : Math.max(0, total - position);
}

/** The flags that make fewer calls match, or skip some. */
const NARROWING = [
  ...['--start-date', '--end-date', '--agent', '--since', '--campaign', '--status', '--outcome', '--to', '--from'],
  '--search',
  '--offset',
];

function ifEmpty(written: WrittenFlags, more: number | undefined, flags: GlobalFlags): string {
  const narrowing = written.only(NARROWING);
  const connection = connectionFlags(flags);
  if (narrowing === '') return `No calls yet. Place one: vagent call${connection}`;
  // The note below this one tells how to look further.
  if (more !== 0) return `No call matches${narrowing} so far.`;
  return `No call matches${narrowing}. The latest calls: vagent logs list${connection}`;
}
