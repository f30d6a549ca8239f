import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import { EXPORT_FORMATS, type ExportFormat } from '../../calls/export.ts';
import { tooLongForCells } from '../../calls/spreadsheet.ts';
import type { Context } from '../../context.ts';
import { InterruptedError, reworded, UsageError, VagentError } from '../../errors.ts';
import { storeName } from '../../files/store-place.ts';
import type { WorkFolder } from '../../files/work-folder.ts';
import type { GlobalFlags } from '../../flags/global.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { filled, integerFrom, oneOf } from '../../flags/values.ts';
import { INCOMPLETE, type Page, pages } from '../../paging/pages.ts';
import { TextIndex } from '../../text/text-index.ts';
import { concurrencyOf, REMOTE_CONCURRENCY } from '../shared/concurrency.ts';
import { exportFormat, takingFileNames } from '../shared/export-format.ts';
import { readLog } from '../shared/read-log.ts';
import { chooseColumns } from './shared/columns.ts';
import { type ExportLayout, openDestination, readEarlier } from './shared/export-destination.ts';
import { addFilters, type FilterOptions, readFilters, readWritten } from './shared/filters.ts';

interface Options extends FilterOptions {
  out?: string;
  format?: ExportFormat;
  columns?: (typeof COLUMNS)[number];
  excel?: true;
  resume?: true;
  allowIncomplete?: true;
  concurrency?: number;
}

const COLUMNS = ['known', 'all'] as const;
const MAX_CONCURRENCY = 16;

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: [
      'vagent logs export --out calls.csv',
      'vagent logs export --out calls.csv --resume',
      'vagent logs export --start-date 2026-11-01 --format ndjson --out november.ndjson',
      'vagent logs export --status completed --excel --out completed.csv',
      'vagent logs export | head -1',
    ],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  const withName = takingFileNames<Options>(command);
  addFilters(command)
    .optionsGroup('File')
    .option('--out <file>', 'the file to write, replaced in one step at the end; - for standard output', filled)
    .option(
      '--format <format>',
      `${EXPORT_FORMATS.join(', ')} (default: what the name of the file ends in; else csv)`,
      oneOf(EXPORT_FORMATS),
    )
    .option('--columns <which>', 'columns of a CSV: known (default), or all, with undocumented fields', oneOf(COLUMNS))
    .option('--excel', 'a CSV for spreadsheets: with a byte order mark, no formulas, every digit kept')
    .option('--resume', 'continue an export to the same file that was cut off')
    .option(
      '--allow-incomplete',
      'keep the export even if the service shows fewer calls than it counts; the exit code is still 7',
    )
    .option(
      '--concurrency <n>',
      `pages requested at a time (default ${REMOTE_CONCURRENCY}); one after the service answers 429 or 503`,
      integerFrom(1, MAX_CONCURRENCY),
    )
    .action((options: Options) => run(withName(options), context));
}

export async function run(given: Options, context: Context): Promise<void> {
  const options = await readWritten(given, context);
  const { out = '-', resume } = options;
  const layout = readLayout(options, context.flags);
  if (resume && out === '-') throw new UsageError('--resume needs --out: only a file can be continued.');
  if (out === '-') return exportCalls(options, { out, layout, work: undefined }, context);
  const { WorkFolder } = await import('../../files/work-folder.ts');
  const work = await WorkFolder.open(out, context.output);
  try {
    await exportCalls(options, { out, layout, work }, context);
  } finally {
    work.close();
  }
}

interface Target {
  out: string;
  layout: ExportLayout;
  work: WorkFolder | undefined;
}

async function exportCalls(options: Options, { out, layout, work }: Target, context: Context): Promise<void> {
  const { io } = context;
  const identity = identityOf(options, layout, context);
  const earlier = options.resume && work !== undefined ? readEarlier(work, out, identity, io) : undefined;
  const { asked, select, since } = await readFilters(options, context, earlier?.since);
  const service = await context.service();
  const destination = await openDestination({ out, work, layout, identity, since, earlier }, io);
  let cut = 0;
  const write = async (page: Page) => {
    // Pages of the local engine never wait, so without this an interrupt would never arrive.
    await nextTurn();
    if (context.signal.aborted) throw new InterruptedError();
    const wanted = select === undefined ? page.calls : page.calls.filter(select);
    await destination.page(page, wanted);
    if (layout.isExcel) cut += tooLongForCells(wanted);
  };
  let shortfall: VagentError | undefined;
  try {
    const concurrency = options.concurrency ?? concurrencyOf(context);
    const { offset = 0, seen = new TextIndex(), total } = earlier?.progress ?? {};
    const log = pages(service, asked, { offset, seen, total, concurrency });
    const reading = readLog(log, 'Exporting calls', io, seen.size);
    shortfall = await shortfallOf(async () => {
      for await (const page of reading) await write(page);
    });
    if (shortfall !== undefined && !options.allowIncomplete) {
      const hint = `${shortfall.hint} --allow-incomplete keeps what it showed.`;
      throw reworded(shortfall, { hint });
    }
    await destination.finish();
  } catch (error) {
    destination.leave();
    throw error;
  }
  const { rows } = destination;
  if (cut > 0) {
    const texts = cut === 1 ? 'text is' : 'texts are';
    io.warn(`${cut} ${texts} longer than a spreadsheet's cell; ${out === '-' ? 'the CSV' : out} has all of it.`);
  }
  io.note(`${rows} ${rows === 1 ? 'call' : 'calls'} written${out === '-' ? '' : ` to ${out}`}.`);
  if (shortfall !== undefined) {
    const message = `${shortfall.message} What it showed is ${out === '-' ? 'written' : `in ${out}`} anyway.`;
    throw reworded(shortfall, { message });
  }
}

/** The error that the service counts more calls than it shows, if reading ends with it. Throws every other error. */
async function shortfallOf(read: () => Promise<void>): Promise<VagentError | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (error instanceof VagentError && error.code === INCOMPLETE) return error;
    throw error;
  }
}

/** How the calls are written. Throws UsageError if flags contradict each other. */
function readLayout({ format: asked, columns, excel, out = '-' }: Options, flags: GlobalFlags): ExportLayout {
  const format = exportFormat(asked, out, flags);
  const isCsv = format === 'csv';
  if (excel && !isCsv) throw new UsageError(`--excel is for CSV, not ${format}.`);
  if (columns !== undefined && !isCsv) throw new UsageError(`--columns is for CSV: ${format} has every field anyway.`);
  if (columns !== undefined && flags.fields !== undefined) {
    throw new UsageError('--columns and --fields cannot be used together.');
  }
  const isSpooled = columns === 'all';
  if (isSpooled && out === '-') {
    throw new UsageError('--columns all needs --out: which columns there are is known at the end.');
  }
  return {
    format,
    columns: chooseColumns(flags.fields),
    hasHeader: !flags.noHeader,
    isExcel: excel === true,
    isSpooled,
  };
}

/** What two runs must have in common, so that one can continue the other's export. */
function identityOf(options: Options, layout: ExportLayout, { io, settings }: Context): Record<string, unknown> {
  const { startDate, endDate, agent, since, campaign, status, outcome, to, from, search } = options;
  const target = settings.target();
  const service = target.mode === 'remote' ? target.baseUrl.href : storeName(settings.store());
  const hidden = search === undefined ? undefined : io.redactor.redact(search);
  const filters = { startDate, endDate, agent, since, campaign, status, outcome, to, from, search: hidden };
  return { service, organization: settings.organization(), ...filters, ...layout };
}
