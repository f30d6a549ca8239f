import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Follower, mayPass, pauseAfterFailures } from '../../calls/follow.ts';
import type { Context } from '../../context.ts';
import type { CallLogEntry } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import type { Io } from '../../terminal/io.ts';
import { chooseFormat, oneLine, toJsonLine } from '../../terminal/output.ts';
import { painted, widthsFor } from '../../terminal/table.ts';
import { colourOf, headingOf, inWords, isRight } from '../../terminal/words.ts';
import { objectOf } from '../../text/json.ts';
import { originalOf } from '../../text/original.ts';
import { widthOf } from '../../text/width.ts';
import { concurrencyOf } from '../shared/concurrency.ts';
import { BRIEF_COLUMNS, chooseColumns, IMPORTANCE, SCREEN_COLUMNS } from './shared/columns.ts';
import { addFilters, type FilterOptions, type Filters, readGrowingFilters, readWritten } from './shared/filters.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Prints new calls, each on a line; with --since it begins with the calls of that time. A call that the service
completes later is printed again. End it with Ctrl-C.`,
    examples: [
      'vagent logs follow',
      'vagent logs follow --since 1h --status completed',
      'vagent logs follow -o ndjson | jq -r .transcript',
    ],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  addFilters(command).action((options: FilterOptions) => run(options, context));
}

/** Runs until it is interrupted, which is its normal end: exit code 0. */
export async function run(given: FilterOptions, context: Context): Promise<void> {
  const options = await readWritten(given, context);
  const { io, signal } = context;
  const linesOf = lineWriter(context);
  const isTable = chooseFormat(io, context.flags) === 'table';
  const filters = await readGrowingFilters(options, context);
  const { asked, since, campaign } = filters;
  const follower = new Follower({
    service: await context.service(),
    filters: { ...asked, start_date: options.startDate },
    select: selectOf(filters),
    since,
    now: () => context.serviceClock.now(),
    concurrency: concurrencyOf(context),
  });
  let hasBegun = false;
  let failures = 0;
  while (!signal.aborted) {
    const { calls, failure } = await follower.look();
    if (calls.length > 0) await campaign?.resolve();
    const wanted = campaign === undefined ? calls : calls.filter((call) => campaign.isOf(call));
    for (const line of linesOf(wanted)) await (isTable ? io.styled(line) : io.data(line));
    if (signal.aborted) return;
    if (failure !== undefined && !mayPass(failure)) throw failure;
    if (follower.isOver) return io.note(`No more calls will come: ${asked.end_date} is over.`);
    if (failure === undefined) {
      if (failures > 0) io.note('The service works again.');
      if (!hasBegun) io.note('Following the call log. End with Ctrl-C.');
      hasBegun = true;
      failures = 0;
    } else if (failures++ === 0) {
      io.warn(`${failure.message} Trying again until the service works.`);
    }
    // With --json, notes are held back in case the command ends with an error. It goes on, so they are printed.
    io.releaseNotes();
    await pause(pauseAfterFailures(failures), signal);
  }
}

/** Calls that may be of the campaign: whose they are is known once all that came with them was taken. */
function selectOf({ campaign, select }: Filters): Filters['select'] {
  if (campaign === undefined) return select;
  return (call) => campaign.take(call) && (select === undefined || select(call));
}

/** Waits; an interrupt ends the wait early. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
}

type Lines = (calls: readonly CallLogEntry[]) => string[];

/** Writes calls as lines. Throws UsageError for a format that has no lines. */
function lineWriter(context: Context): Lines {
  const { io, flags } = context;
  const format = chooseFormat(io, flags);
  const chosen = chooseColumns(flags.fields);
  const columns = chosen ?? BRIEF_COLUMNS;
  switch (format) {
    case 'table':
      return tableLines(chosen ?? columnsFor(io), context);
    case 'tsv':
      return (calls) => calls.map((call) => `${columns.map((name) => oneLine(originalOf(call)[name])).join('\t')}\n`);
    case 'json':
    case 'ndjson':
      return (calls) =>
        calls.map((call) => toJsonLine(io, chosen === undefined ? originalOf(call) : picked(originalOf(call), chosen)));
    default:
      throw new UsageError(`Calls cannot be followed as ${format}.`, { hint: 'Use -o table, tsv, ndjson or json.' });
  }
}

function picked(call: CallLogEntry, columns: readonly string[]): Record<string, unknown> {
  return objectOf(columns.map((name) => [name, call[name] ?? null]));
}

/** Characters that the values of most services need; longer ones move the columns behind them. */
const USUAL: Record<(typeof SCREEN_COLUMNS)[number], number> = {
  timestamp: 12,
  called_to: 13,
  call_status: 9,
  call_duration: 11,
  call_outcome: 21,
  call_id: 15,
  agent_id: 5,
  call_from: 13,
};

/** As many columns as fit the terminal, the most important ones; which ones cannot be decided by calls that are still to come. */
function columnsFor(io: Io): readonly string[] {
  if (!io.stdoutIsTerminal) return SCREEN_COLUMNS;
  const order: readonly string[] = [...IMPORTANCE, ...SCREEN_COLUMNS];
  const needs = SCREEN_COLUMNS.map((name) => ({ natural: USUAL[name], least: USUAL[name], rank: order.indexOf(name) }));
  const widths = widthsFor(needs, io.columns);
  return SCREEN_COLUMNS.filter((_name, at) => widths[at] !== undefined);
}

/** Columns widen as longer values come. The header is printed with the first call, so that their widths match. */
function tableLines(columns: readonly string[], { io, flags, systemNow }: Context): Lines {
  const header = flags.noHeader ? [] : [columns.map(headingOf)];
  const widths = columns.map((name) => (Object.hasOwn(USUAL, name) ? USUAL[name as keyof typeof USUAL] : 0));
  const paint = (text: string, colour: number | undefined) => (io.colorsStdout ? painted(text, colour) : text);
  const redact = (text: string) => io.redactor.redact(text);
  return (calls) => {
    if (calls.length === 0) return [];
    const wording = { now: systemNow(), redact };
    const heads = header.splice(0).map((row) => row.map((text) => ({ text, colour: 1 as number | undefined })));
    const body = calls.map((call) =>
      columns.map((name) => {
        const value = originalOf(call)[name];
        return { text: inWords(name, value, wording), colour: colourOf(name, value) };
      }),
    );
    const rows = [...heads, ...body];
    for (const row of rows) {
      for (const [at, { text }] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(text));
    }
    return rows.map((row) => {
      const cells = row.map(({ text, colour }, at) => {
        const space = ' '.repeat((widths[at] ?? 0) - widthOf(text));
        return isRight(columns[at] ?? '') ? space + paint(text, colour) : paint(text, colour) + space;
      });
      return `${cells.join('  ').trimEnd()}\n`;
    });
  };
}
