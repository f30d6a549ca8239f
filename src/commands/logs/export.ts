import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import { EXPORT_FORMATS, type ExportFormat } from '../../calls/export.ts';
import { endingOf, formatOfName } from '../../calls/format-by-name.ts';
import { tooLongForCells } from '../../calls/spreadsheet.ts';
import type { Context } from '../../context.ts';
import { InterruptedError, reworded, UsageError, VagentError } from '../../errors.ts';
import type { WorkFolder } from '../../files/work-folder.ts';
import { type GlobalFlags, isFileName, OUTPUT_FORMATS, outputFormat } from '../../flags/global.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { filled, integerFrom, oneOf } from '../../flags/values.ts';
import { INCOMPLETE, type Page, pages } from '../../paging/pages.ts';
import { concurrencyOf, REMOTE_CONCURRENCY } from '../shared/concurrency.ts';
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
  const withName = takingFileNames(command);
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
      `pages requested at a time (default ${REMOTE_CONCURRENCY}); one after the service answers 429`,
      integerFrom(1, MAX_CONCURRENCY),
    )
    .action((options: Options) => run(withName(options), context));
}

/**
 * `-o calls.csv` names the file, as in other tools; `-o csv` is a format. Returns the function that puts the name with the options;
 * it throws UsageError if two are given.
 */
function takingFileNames(command: Command): (options: Options) => Options {
  let named: string | undefined;
  const output = command.options.find(({ long }) => long === '--output');
  const read = (text: string) => (isFileName(text) ? undefined : outputFormat(text));
  output?.argParser(Object.assign(read, { choices: OUTPUT_FORMATS }));
  command.on('option:output', (text: string) => {
    if (!isFileName(text)) return;
    named = text;
    // As if the flag were not there: commander has made its value an empty text.
    command.setOptionValueWithSource('output', undefined, 'default');
  });
  return (options) => {
    if (named === undefined) return options;
    if (options.out === undefined) return { ...options, out: named };
    throw new UsageError(`Two files are named: --out ${options.out}, and -o ${named}.`);
  };
}

export async function run(given: Options, context: Context): Promise<void> {
  const options = await readWritten(given, context);
  const { out = '-', resume } = options;
  const layout = readLayout(options, context.flags);
  if (resume && out === '-') throw new UsageError('--resume needs --out: only a file can be continued.');
  if (out === '-') return exportCalls(options, { out, layout, work: undefined }, context);
  const { WorkFolder } = await import('../../files/work-folder.ts');
  const work = await WorkFolder.open(out, { command: context.commandLine });
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
    const { offset = 0, seen = new Set<string>(), total } = earlier?.progress ?? {};
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
  const format = chooseFormat(asked, out, flags);
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
  const { startDate, endDate, agent, since, status, outcome, to, from, search } = options;
  const target = settings.target();
  const service = target.mode === 'remote' ? target.baseUrl.href : settings.store();
  const hidden = search === undefined ? undefined : io.redactor.redact(search);
  const filters = { startDate, endDate, agent, since, status, outcome, to, from, search: hidden };
  return { service, organization: settings.organization(), ...filters, ...layout };
}

/**
 * The format from `--format`, else from the name of the file, else from `--json` and `--output`. Throws UsageError if they
 * contradict each other, or if the name means a format that is not supported.
 */
function chooseFormat(format: ExportFormat | undefined, out: string, { json, output }: GlobalFlags): ExportFormat {
  const asked = json ? 'json' : output;
  const fromOutput = EXPORT_FORMATS.find((name) => name === asked);
  const isNamed = out !== '-' && endingOf(out) !== '';
  const fromName = isNamed ? formatOfName(out) : undefined;
  const hint = `Use --format ${EXPORT_FORMATS.join(', ')}.`;
  // --json also makes errors JSON: if the file's name says another format, only errors are meant.
  const chosen = format ?? (asked === 'json' ? undefined : fromName);
  if (asked !== undefined && (fromOutput === undefined || (chosen !== undefined && chosen !== fromOutput))) {
    throw new UsageError(`An export cannot be ${asked}${chosen === undefined ? '' : ` and ${chosen}`}.`, { hint });
  }
  if (format === undefined && isNamed && fromName === undefined) {
    throw new UsageError(`--out ${out}: an export is CSV, NDJSON or JSON, not .${endingOf(out)}.`, {
      hint: 'End the name in .csv, .ndjson or .json, or use --format csv, ndjson or json.',
    });
  }
  return format ?? fromName ?? fromOutput ?? 'csv';
}
