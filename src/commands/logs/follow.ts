import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Follower, mayPass, pauseAfter } from '../../calls/follow.ts';
import { instantOf } from '../../calls/select.ts';
import type { Context } from '../../context.ts';
import type { CallLogEntry } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { examples } from '../../help.ts';
import { cell, chooseFormat, toJsonLine } from '../../output.ts';
import { chooseColumns } from './export.ts';
import { addFilters, type FilterOptions, readFilters } from './filters.ts';
import { BRIEF_COLUMNS } from './list.ts';

export function register(command: Command, context: Context): void {
  addFilters(command)
    .addHelpText(
      'after',
      `
Prints calls that come from now on, each on a line; with --since those of that time first. End it with Ctrl-C.
${examples([
  'vagent logs follow',
  'vagent logs follow --since 1h --status completed',
  'vagent logs follow -o ndjson | jq -r .transcript',
])}`,
    )
    .action((options: FilterOptions) => run(options, context));
}

/** Runs until it is interrupted, which is how it is meant to end: exit code 0. */
async function run(options: FilterOptions, context: Context): Promise<void> {
  const { io, signal } = context;
  const linesOf = lineWriter(context);
  const { asked, select, since } = await readFilters(options, context);
  const follower = new Follower({
    service: await context.service(),
    filters: { ...asked, start_date: options.startDate },
    select,
    since,
    now: () => context.serviceNow(),
    concurrency: context.concurrency,
  });
  let hasBegun = false;
  let failures = 0;
  while (!signal.aborted) {
    const { calls, failure } = await follower.look();
    for (const line of linesOf(calls)) await io.data(line);
    if (signal.aborted) return;
    if (failure !== undefined && !mayPass(failure)) throw failure;
    if (follower.isOver) return io.note(`No call will come any more: ${asked.end_date} is over.`);
    if (failure === undefined) {
      if (failures > 0) io.note('The service is well again.');
      if (!hasBegun) io.note('Following the call log. End with Ctrl-C.');
      hasBegun = true;
      failures = 0;
    } else if (failures++ === 0) {
      io.warn(`${failure.message} Trying again until the service is well.`);
    }
    // Were it to end at once with an error, that would have stood alone on stderr.
    io.releaseNotes();
    await pause(pauseAfter(failures), signal);
  }
}

/** An interrupt ends it early. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
}

type Lines = (calls: readonly CallLogEntry[]) => string[];

/** How calls are written, a line each. Throws UsageError where that is no format of lines. */
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
      return (calls) => calls.map((call) => `${columns.map((name) => cell(call[name])).join('\t')}\n`);
    case 'json':
    case 'ndjson':
      return (calls) => calls.map((call) => toJsonLine(io, chosen === undefined ? call : picked(call, chosen)));
    default:
      throw new UsageError(`Calls cannot be followed as ${format}.`, { hint: 'Say -o table, tsv, ndjson or json.' });
  }
}

function picked(call: CallLogEntry, columns: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((name) => [name, call[name] ?? null]));
}

/** Columns that grow with what they hold; the header comes with the first call, so as to stand over it. */
function tableLines(columns: readonly string[], noHeader: boolean, bold: (text: string) => string): Lines {
  const header = noHeader ? [] : [columns.map((name) => name.toUpperCase())];
  const widths = columns.map(() => 0);
  return (calls) => {
    if (calls.length === 0) return [];
    const heads = header.splice(0);
    const rows = [...heads, ...calls.map((call) => columns.map((name) => shown(call, name)))];
    for (const row of rows) for (const [at, text] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
    return rows.map((row, at) => {
      const line = row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd();
      return `${at < heads.length ? bold(line) : line}\n`;
    });
  };
}

/** A time is shown as the clocks of the operator's zone have it. */
function shown(call: CallLogEntry, name: string): string {
  const at = name === 'timestamp' ? instantOf(call) : undefined;
  return at === undefined ? cell(call[name]) : new Date(at).toLocaleString('sv-SE');
}
