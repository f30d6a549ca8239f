import { resolve } from 'node:path';
import { concurrencyOf } from '../../calls/paging/pages.ts';
import { countCalls, type Statistics } from '../../calls/statistics.ts';
import { filled } from '../../cli/flags/values.ts';
import { isForPerson, printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import type { CheckedRequest, RequestOf } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { isDatabase } from '../../storage/files/store-place.ts';
import { counted } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import { requireNameFor } from '../shared/output-file.ts';
import { FILTERS, type FilterOptions, filtersInWords, readFilters, readWritten } from './shared/filters.ts';

interface Options extends FilterOptions {
  html?: string;
  open?: true;
}

export const command: CommandModule = {
  notes: `
Days and hours are those of this computer's zone (TZ=Europe/Berlin vagent … for another).
answer_rate is the share of calls that a person took: completed, and no voicemail. Durations and talk time count completed
calls; percentiles are by nearest rank.`,
  examples: [
    'vagent logs stats',
    'vagent logs stats --since 7d --agent 1 --html week.html',
    'vagent logs stats --json | jq .answer_rate',
  ],
  exits: 'reading',
  operation: 'getCallLogs',
  takes: (command) =>
    command
      .takesFlags(FILTERS, 'Filters')
      .option('--html <file>', 'also write a report with charts: one page that needs no network', filled)
      .option('--open', 'open the report, where there is a desktop'),
  run,
};

async function run(context: Context, given: Options): Promise<void> {
  const { io, settings } = context;
  const options = await readWritten(given, context);
  const { html, open } = options;
  if (open && html === undefined) throw new UsageError('--open needs --html, which writes what is opened.');
  if (html === '-') {
    throw new UsageError('--html needs the name of a file: standard output is for the numbers.', {
      hint: 'vagent logs stats --html report.html',
    });
  }
  if (html === undefined) return show(await count(options, context), context);
  requireNameFor('an HTML page', ['html', 'htm'], html, '--html');
  const { writingFile } = await import('../../storage/files/in-progress.ts');
  // The file is opened first, so that a bad path fails before calls are counted.
  const statistics = await writingFile(html, context.line, async (file) => {
    const counted = await count(options, context);
    const { renderPage } = await import('../../calls/report/page.ts');
    file.write(renderPage(counted, filtersInWords(options).map(context.notes.redact)));
    return counted;
  });
  io.note(`The report is in ${html}.`);
  if (open) {
    const { openedOnDesktop } = await import('../../cli/terminal/desktop.ts');
    if (!(await openedOnDesktop(resolve(html), settings.env))) io.note('There is no desktop here to open it.');
  }
  await show(statistics, context);
}

async function count(options: Options, context: Context): Promise<Statistics> {
  const { asked, select, noteUnknown } = await readFilters(options, context);
  const { settings, services, notes, local } = context;
  const isThere = select === undefined && !settings.isRemote() && isDatabase(settings.store());
  // A database counts faster than its calls can be read.
  const countedThere = async (asked: RequestOf<'getCallLogs'>) => {
    const [{ timeline }, { callsAsked }] = await Promise.all([local.engine(), import('../../engine/handlers.ts')]);
    const { snapshot } = await timeline.read();
    return snapshot.callCounts?.(callsAsked(asked as CheckedRequest<'getCallLogs'>));
  };
  const service = await services.chosen();
  const counts = isThere ? countedThere : undefined;
  const concurrency = concurrencyOf(context);
  const statistics = await countCalls({ service, asked, select, counts, concurrency }, notes);
  noteUnknown();
  return statistics;
}

async function show(statistics: Statistics, context: Context): Promise<void> {
  const { io } = context;
  const { without_time, without_duration } = statistics;
  if (without_time > 0) {
    io.warn(`${counted(without_time, 'call')} without a time that can be read: counted, but in no day and hour.`);
  }
  if (without_duration > 0) {
    const calls = counted(without_duration, 'call');
    io.warn(`${calls} completed without a duration that can be read: counted, but in no duration.`);
  }
  if (!isForPerson(context)) return printRecord(context, { ...statistics });
  const { drawStatistics } = await import('./stats/draw-statistics.ts');
  const lines = drawStatistics(statistics, { width: io.columns, hasColors: io.colorsStdout, now: io.now() });
  await io.screen(lines.map((line) => `${line}\n`).join(''));
}
