import { resolve } from 'node:path';
import type { Command } from 'commander';
import { requireNameFor } from '../../calls/format-by-name.ts';
import { type Statistics, StatisticsCounter, type Zone } from '../../calls/statistics.ts';
import type { Context } from '../../context.ts';
import type { CallCounts, CheckedRequest, RequestOf, Service } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { isDatabase } from '../../files/store-place.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { filled } from '../../flags/values.ts';
import { pages } from '../../paging/pages.ts';
import type { Io } from '../../terminal/io.ts';
import { isForPerson, printRecord } from '../../terminal/output.ts';
import { writeDuration } from '../../text/duration.ts';
import { concurrencyOf } from '../shared/concurrency.ts';
import { readLog } from '../shared/read-log.ts';
import { addFilters, type FilterOptions, readFilters, readWritten } from './shared/filters.ts';

interface Options extends FilterOptions {
  html?: string;
  open?: true;
}

const NOTES = `
Days and hours are those of this computer's zone (TZ=Europe/Berlin vagent … for another).
Durations and talk time count completed calls; percentiles are by nearest rank.`;

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: NOTES,
    examples: [
      'vagent logs stats',
      'vagent logs stats --since 7d --agent 1 --html week.html',
      'vagent logs stats --json | jq .answer_rate',
    ],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  addFilters(command)
    .option('--html <file>', 'also write a report with charts: one page that needs no network', filled)
    .option('--open', 'open the report, where there is a desktop')
    .action((options: Options) => run(options, context));
}

export async function run(given: Options, context: Context): Promise<void> {
  const { io } = context;
  const options = await readWritten(given, context);
  const { html, open } = options;
  if (open && html === undefined) throw new UsageError('--open needs --html, which writes what is opened.');
  if (html === '-') {
    throw new UsageError('--html needs the name of a file: standard output is for the numbers.', {
      hint: 'vagent logs stats --html report.html',
    });
  }
  if (html !== undefined) requireNameFor('an HTML page', ['html', 'htm'], html, '--html');
  const statistics = html === undefined ? await count(options, context) : await report(html, options, context);
  if (html !== undefined) io.note(`The report is in ${html}.`);
  if (html !== undefined && open) {
    const { openedOnDesktop } = await import('../../terminal/desktop.ts');
    if (!(await openedOnDesktop(resolve(html), context.env))) io.note('There is no desktop here to open it.');
  }
  noteUnread(statistics, context);
  await show(statistics, context);
}

/** Counts, and writes the report. The file is opened first, so that a bad path fails before calls are counted. */
async function report(html: string, options: Options, context: Context): Promise<Statistics> {
  const { writingFile } = await import('../../files/in-progress.ts');
  return writingFile(html, context.output, async (file) => {
    const statistics = await count(options, context);
    const { renderPage } = await import('../../report/page.ts');
    const flags = flagsIn(options).map((flag) => context.io.redactor.redact(flag));
    file.write(renderPage(statistics, flags));
    return statistics;
  });
}

async function count(options: Options, context: Context): Promise<Statistics> {
  const { asked, select } = await readFilters(options, context);
  const service = await context.service();
  const counter = new StatisticsCounter(machineZone());
  const counts = select === undefined ? await countedThere(service, asked, context) : undefined;
  if (counts !== undefined && counter.addCounts(counts)) return withoutKeys(counter.result(), context.io);
  const reading = pages(service, asked, { concurrency: concurrencyOf(context) });
  for await (const { calls } of readLog(reading, 'Counting calls', context.io)) {
    for (const call of calls) if (select === undefined || select(call)) counter.add(call);
  }
  return withoutKeys(counter.result(), context.io);
}

/** By a database, which counts faster than its calls can be read; refused as the reading would be. Undefined without one. */
async function countedThere(
  service: Service,
  asked: RequestOf<'getCallLogs'>,
  context: Context,
): Promise<CallCounts | undefined> {
  if (context.settings.isRemote() || !isDatabase(context.settings.store())) return undefined;
  await service.getCallLogs({ ...asked, limit: 1 });
  const [{ timeline }, { callsAsked }] = await Promise.all([context.local(), import('../../engine/handlers.ts')]);
  const { snapshot } = await timeline.read();
  return snapshot.callCounts?.(callsAsked(asked as CheckedRequest<'getCallLogs'>));
}

/** Masks keys before labels are cut or escaped: a part of a key, or an escaped one, would not be recognised. */
function withoutKeys(statistics: Statistics, { redactor }: Io): Statistics {
  const relabelled = (counts: Record<string, number>) => {
    const merged = new Map<string, number>();
    for (const [label, count] of Object.entries(counts)) {
      const shown = redactor.redact(label);
      merged.set(shown, (merged.get(shown) ?? 0) + count);
    }
    return Object.fromEntries(merged);
  };
  const { by_status, by_outcome, by_agent } = statistics;
  return {
    ...statistics,
    by_status: relabelled(by_status),
    by_outcome: relabelled(by_outcome),
    by_agent: redactor.mask(by_agent),
  };
}

const MINUTE = 60_000;

/** The zone that the machine's clocks show, or the one that TZ names. */
function machineZone(): Zone {
  return {
    name: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    wallTime(epochMs) {
      const shown = new Date(epochMs - new Date(epochMs).getTimezoneOffset() * MINUTE);
      const [date = ''] = shown.toISOString().split('T');
      return { date, weekday: (shown.getUTCDay() + 6) % 7, hour: shown.getUTCHours() };
    },
  };
}

/** The filters of the command line, shown in the report. */
function flagsIn({ startDate, endDate, agent, since, campaign, status, outcome, to, from, search }: Options): string[] {
  const flags = {
    '--start-date': startDate,
    '--end-date': endDate,
    '--agent': agent,
    '--since': typeof since === 'number' ? writeDuration(since) : since,
    '--campaign': campaign,
    '--status': status,
    '--outcome': outcome,
    '--to': to,
    '--from': from,
    '--search': search,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${value}`]));
}

function noteUnread({ without_time, without_duration }: Statistics, { io }: Context): void {
  if (without_time > 0) {
    io.warn(`${calls(without_time)} without a time that can be read: counted, but in no day and hour.`);
  }
  if (without_duration > 0) {
    io.warn(`${calls(without_duration)} completed without a duration that can be read: counted, but in no duration.`);
  }
}

function calls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}

async function show(statistics: Statistics, { io, flags }: Context): Promise<void> {
  if (!isForPerson(io, flags)) {
    return printRecord(io, flags, { ...statistics });
  }
  const { drawStatistics } = await import('./shared/draw-statistics.ts');
  const lines = drawStatistics(statistics, { width: io.columns, hasColors: io.colorsStdout, now: io.now() });
  await io.screen(lines.map((line) => `${line}\n`).join(''));
}
