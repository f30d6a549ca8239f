import type { Command } from 'commander';
import { filled } from '../../arguments.ts';
import { pages } from '../../calls/pages.ts';
import { type Statistics, StatisticsCounter, type Zone } from '../../calls/statistics.ts';
import type { Context } from '../../context.ts';
import { totalOf } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { FileInProgress } from '../../files.ts';
import { examples } from '../../help.ts';
import type { Io } from '../../io.ts';
import { chooseFormat, printRecord } from '../../output.ts';
import { Progress } from '../../progress.ts';
import { addFilters, type FilterOptions, readFilters } from './filters.ts';

interface Options extends FilterOptions {
  html?: string;
}

const NOTES = `
Days and hours are those of this machine's zone (TZ=Europe/Berlin vagent … for another).
Durations and talk time are of completed calls; percentiles by nearest rank.`;

export function register(command: Command, context: Context): void {
  addFilters(command)
    .option('--html <file>', 'also write a report with charts: one page that needs no network', filled)
    .addHelpText('after', NOTES)
    .addHelpText(
      'after',
      examples([
        'vagent logs stats',
        'vagent logs stats --since 7d --agent 1 --html week.html',
        'vagent logs stats --json | jq .answer_rate',
      ]),
    )
    .action((options: Options) => run(options, context));
}

async function run(options: Options, context: Context): Promise<void> {
  const { io } = context;
  const { html } = options;
  if (html === '-') {
    throw new UsageError('--html needs the name of a file: standard output is for the numbers.', {
      hint: 'vagent logs stats --html report.html',
    });
  }
  const file = html === undefined ? undefined : FileInProgress.open(html);
  let statistics: Statistics;
  try {
    statistics = withoutKeys(await count(options, context), io);
    if (file !== undefined) {
      const { renderPage } = await import('../../report/page.ts');
      file.write(
        renderPage(
          statistics,
          flagsIn(options).map((flag) => io.redactor.redact(flag)),
        ),
      );
      file.finish();
    }
  } catch (error) {
    file?.abandon();
    throw error;
  }
  if (html !== undefined) io.note(`The report is in ${html}.`);
  noteUnread(statistics, context);
  await show(statistics, context);
}

async function count(options: Options, context: Context): Promise<Statistics> {
  const { asked, select } = await readFilters(options, context);
  const service = await context.service();
  const counter = new StatisticsCounter(machineZone());
  const progress = new Progress(context.io, 'Counting calls');
  let read = 0;
  try {
    for await (const { calls, response } of pages(service, asked, {
      concurrency: context.concurrency,
    })) {
      for (const call of calls) if (select === undefined || select(call)) counter.add(call);
      read += calls.length;
      progress.at(read, totalOf(response));
    }
  } finally {
    progress.end();
  }
  return counter.result();
}

/** Before labels are cut or escaped: a part of a key, or one spelled as HTML, would not be known for what it is. */
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

/** The flags that narrow down which calls are counted, for whoever reads the report without the command line. */
function flagsIn({ startDate, endDate, agent, since, status, outcome, to, from, search }: Options): string[] {
  const flags = {
    '--start-date': startDate,
    '--end-date': endDate,
    '--agent': agent,
    '--since': since === undefined ? undefined : duration(since),
    '--status': status,
    '--outcome': outcome,
    '--to': to,
    '--from': from,
    '--search': search,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${value}`]));
}

/** As it is written on the command line, in the largest unit that fits. */
function duration(seconds: number): string {
  const units = { d: 86_400, h: 3600, m: 60, s: 1 };
  const [unit = 's', length = 1] = Object.entries(units).find(([, length]) => seconds % length === 0) ?? [];
  return `${seconds / length}${unit}`;
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
  if (chooseFormat(io, flags) !== 'table' || flags.fields !== undefined) {
    return printRecord(io, flags, { ...statistics });
  }
  const { drawStatistics } = await import('./drawing.ts');
  const lines = drawStatistics(statistics, { width: io.columns, hasColors: io.colorsStdout });
  await io.data(lines.map((line) => `${line}\n`).join(''));
}
