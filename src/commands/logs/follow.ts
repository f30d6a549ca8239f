import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Follower, mayPass, pauseAfterFailures } from '../../calls/follow.ts';
import { instantOf } from '../../calls/select.ts';
import type { Context } from '../../context.ts';
import type { CallLogEntry } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { cell, chooseFormat, oneLine, toJsonLine } from '../../terminal/output.ts';
import { objectOf } from '../../text/json.ts';
import { originalOf } from '../../text/original.ts';
import { padded, widthOf } from '../../text/width.ts';
import { concurrencyOf } from '../shared/concurrency.ts';
import { BRIEF_COLUMNS, chooseColumns } from './shared/columns.ts';
import { addFilters, type FilterOptions, readFilters, readWritten } from './shared/filters.ts';

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
  const { asked, select, since } = await readFilters(options, context);
  const follower = new Follower({
    service: await context.service(),
    filters: { ...asked, start_date: options.startDate },
    select,
    since,
    now: () => context.serviceClock.now(),
    concurrency: concurrencyOf(context),
  });
  let hasBegun = false;
  let failures = 0;
  while (!signal.aborted) {
    const { calls, failure } = await follower.look();
    for (const line of linesOf(calls)) await (isTable ? io.styled(line) : io.data(line));
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

/** Waits; an interrupt ends the wait early. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
}

type Lines = (calls: readonly CallLogEntry[]) => string[];

/** Writes calls as lines. Throws UsageError for a format that has no lines. */
function lineWriter({ io, flags }: Context): Lines {
  const format = chooseFormat(io, flags);
  const chosen = chooseColumns(flags.fields);
  const columns = chosen ?? BRIEF_COLUMNS;
  switch (format) {
    case 'table':
      return tableLines(columns, flags.noHeader === true, (text) =>
        io.colorsStdout ? `\u001b[1m${text}\u001b[22m` : text,
      );
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

/** Columns widen as longer values come. The header is printed with the first call, so that their widths match. */
function tableLines(columns: readonly string[], noHeader: boolean, bold: (text: string) => string): Lines {
  const header = noHeader ? [] : [columns.map((name) => name.toUpperCase())];
  const widths = columns.map(() => 0);
  return (calls) => {
    if (calls.length === 0) return [];
    const heads = header.splice(0);
    const rows = [...heads, ...calls.map((call) => columns.map((name) => shown(call, name)))];
    for (const row of rows)
      for (const [at, text] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(text));
    return rows.map((row, at) => {
      const line = row
        .map((text, column) => padded(text, widths[column] ?? 0))
        .join('  ')
        .trimEnd();
      return `${at < heads.length ? bold(line) : line}\n`;
    });
  };
}

/** The text of a column; a time is shown in the operator's zone. */
function shown(call: CallLogEntry, name: string): string {
  const at = name === 'timestamp' ? instantOf(call) : undefined;
  return at === undefined ? cell(originalOf(call)[name]) : new Date(at).toLocaleString('sv-SE');
}
