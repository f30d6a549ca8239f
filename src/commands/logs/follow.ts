import { setTimeout as sleep } from 'node:timers/promises';
import { byTime, Follower, mayPass, pauseAfterFailures } from '../../calls/follow.ts';
import { concurrencyOf } from '../../calls/paging/pages.ts';
import { either } from '../../cli/flags/global.ts';
import { BRIEF_COLUMNS, IMPORTANCE, SCREEN_COLUMNS, usualWidth } from '../../cli/terminal/call-columns.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { chooseFormat, requireFields } from '../../cli/terminal/output.ts';
import { painted, widthsFor } from '../../cli/terminal/table.ts';
import { colourOf, headingOf, inWords, isRight } from '../../cli/terminal/words.ts';
import type { Context } from '../../context.ts';
import { type CallLogEntry, listFields } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { type RowFormat, RowWriter } from '../../text/formats.ts';
import { originalOf } from '../../text/json.ts';
import { widthOf } from '../../text/width.ts';
import type { CommandModule } from '../shared/command.ts';
import { FILTERS, type FilterOptions, readGrowingFilters, readWritten } from './shared/filters.ts';

export const command: CommandModule = {
  notes: `
Prints new calls, each on a line; with --since it begins with the calls of that time. A call that the service
completes later is printed again. End it with Ctrl-C.`,
  examples: [
    'vagent logs follow',
    'vagent logs follow --since 1h --status completed',
    'vagent logs follow -o ndjson | jq -r .transcript',
  ],
  exits: 'reading',
  isLive: true,
  formats: ['table', 'json', 'ndjson', 'tsv'],
  operation: 'getCallLogs',
  takes: (command) => command.takesFlags(FILTERS, 'Filters'),
  run,
};

/** Runs until it is interrupted, which is its normal end: exit code 0. */
async function run(context: Context, given: FilterOptions): Promise<void> {
  const options = await readWritten(given, context);
  const { io, signal } = context;
  const print = printer(context);
  const { asked, since, campaign, select } = await readGrowingFilters(options, context);
  const found: CallLogEntry[] = [];
  const follower = new Follower({
    service: await context.services.chosen(),
    filters: { ...asked, start_date: options.startDate },
    // Calls that may be of the campaign: whose they are is known once all that came with them was taken.
    select: campaign === undefined ? select : (call) => campaign.take(call) && (select === undefined || select(call)),
    since,
    take: (call) => found.push(call),
    now: () => context.clock.now(),
    concurrency: concurrencyOf(context),
  });
  let hasBegun = false;
  let failures = 0;
  while (!signal.aborted) {
    const failure = await follower.look().catch((error: unknown) => error);
    const calls = found.splice(0).sort(byTime);
    if (calls.length > 0) await campaign?.resolve();
    await print(campaign === undefined ? calls : calls.filter((call) => campaign.isOf(call)));
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
    // An interrupt ends the pause early.
    await sleep(pauseAfterFailures(failures), undefined, { signal }).catch(() => {});
  }
}

/** The format in which a call is a line of its own, for each that may be asked for. */
const AS_LINES: Record<RowFormat, RowFormat | undefined> = {
  tsv: 'tsv',
  ndjson: 'ndjson',
  json: 'ndjson',
  csv: undefined,
  ids: undefined,
  xlsx: undefined,
};

/** Prints calls as lines. Throws UsageError for a format that has no lines. */
function printer(context: Context): (calls: readonly CallLogEntry[]) => Promise<void> {
  const { io, flags } = context;
  const { fields } = flags;
  const format = chooseFormat(context);
  requireFields(fields, listFields.calls);
  if (format === 'table') {
    const linesOf = growingTable(fields ?? columnsFor(io), context);
    return async (calls) => {
      for (const line of linesOf(calls)) await io.styled(line);
    };
  }
  const asLines = AS_LINES[format];
  if (asLines === undefined) {
    const possible = Object.entries(AS_LINES).flatMap(([name, lines]) => (lines === undefined ? [] : [name]));
    throw new UsageError(`Calls cannot be followed as ${format}.`, {
      hint: `Use -o ${either(['table', ...possible])}.`,
    });
  }
  const layout = { format: asLines, columns: BRIEF_COLUMNS, fields, hasHeader: false };
  const writer = new RowWriter({ ...layout, redact: (text) => io.redactor.redact(text) });
  return async (calls) => {
    for (const call of calls) await io.data(await writer.rows([call]));
  };
}

/** As many columns as fit the terminal, the most important ones; which ones cannot be decided by calls that are still to come. */
function columnsFor(io: Io): readonly string[] {
  if (!io.stdoutIsTerminal) return SCREEN_COLUMNS;
  const needs = SCREEN_COLUMNS.map((name) => {
    return { natural: usualWidth(name), least: usualWidth(name), rank: IMPORTANCE.indexOf(name) };
  });
  const widths = widthsFor(needs, io.columns);
  return SCREEN_COLUMNS.filter((_name, at) => widths[at] !== undefined);
}

/** Columns widen as longer values come. The header is printed with the first call, so that their widths match. */
function growingTable(
  columns: readonly string[],
  { io, flags, clock }: Pick<Context, 'io' | 'flags' | 'clock'>,
): (calls: readonly CallLogEntry[]) => string[] {
  const redact = (text: string) => io.redactor.redact(text);
  const heading = (name: string) => ({ text: headingOf(name), colour: 1 as number | undefined });
  const header = flags.noHeader ? [] : [columns.map(heading)];
  const widths = columns.map(usualWidth);
  return (calls) => {
    if (calls.length === 0) return [];
    const wording = { now: clock.system(), redact };
    const body = calls.map(originalOf).map((call) => {
      return columns.map((name) => ({ text: inWords(name, call[name], wording), colour: colourOf(name, call[name]) }));
    });
    const rows = [...header.splice(0), ...body];
    for (const row of rows) {
      for (const [at, { text }] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(text));
    }
    return rows.map((row) => {
      const cells = row.map(({ text, colour }, at) => {
        const space = ' '.repeat((widths[at] ?? 0) - widthOf(text));
        const shown = io.colorsStdout ? painted(text, colour) : text;
        return isRight(columns[at] ?? '') ? space + shown : shown + space;
      });
      return `${cells.join('  ').trimEnd()}\n`;
    });
  };
}
