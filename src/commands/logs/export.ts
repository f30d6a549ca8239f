import { ExportStream, exportCalls, notBegun, ResumableFile, readBegun } from '../../calls/export.ts';
import { concurrencyOf, INCOMPLETE, pages, REMOTE_CONCURRENCY, readLog } from '../../calls/paging/pages.ts';
import { integerFrom, type OptionsOf, oneOf } from '../../cli/flags/values.ts';
import { requireFields } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { listFields } from '../../contract.ts';
import { reworded, UsageError, VagentError } from '../../errors.ts';
import { WorkFolder } from '../../storage/files/in-progress.ts';
import { storeName } from '../../storage/files/store-place.ts';
import { FILE_FORMATS, type RowLayout } from '../../text/formats.ts';
import { counted } from '../../text/numbers.ts';
import { machineZone } from '../../text/time.ts';
import type { CommandModule } from '../shared/command.ts';
import { addFileFlags, EXCEL, exportFormat, type FileFlags, noteCut, takeFileNames } from '../shared/output-file.ts';
import { FILTERS, type FilterOptions, filtersGiven, readFilters, readWritten } from './shared/filters.ts';

const MAX_CONCURRENCY = 16;
const COLUMNS = ['known', 'all'] as const;
const FLAGS = {
  excel: EXCEL,
  resume: ['--resume', 'continue an export to the same file that was cut off'],
  allowIncomplete: [
    '--allow-incomplete',
    'keep the export even if the service shows fewer calls than it counts; the exit code is still 7',
  ],
  concurrency: [
    '--concurrency <n>',
    `pages requested at a time (default ${REMOTE_CONCURRENCY}); one after the service answers 429 or 503`,
    integerFrom(1, MAX_CONCURRENCY),
  ],
} as const;
type Options = FilterOptions & FileFlags & OptionsOf<typeof FLAGS>;

export const command: CommandModule = {
  examples: [
    'vagent logs export --out calls.csv',
    'vagent logs export --out calls.csv --resume',
    'vagent logs export --start-date 2026-11-01 --fields all --out november.csv',
    'vagent logs export --status completed --excel --out completed.csv',
    'vagent logs export | head -1',
  ],
  exits: 'reading',
  formats: FILE_FORMATS,
  operation: 'getCallLogs',
  takes: (command) => {
    const filtered = takeFileNames(command).takesFlags(FILTERS, 'Filters').optionsGroup('File');
    addFileFlags(filtered)
      .takesFlags(FLAGS)
      .earlier('--columns <which>', '--fields', (text) => [oneOf(COLUMNS)(text)]);
  },
  run,
};

export async function run(context: Context, given: Options): Promise<void> {
  const options = await readWritten(given, context);
  const { out = '-', resume } = options;
  const layout = await readLayout(options, context);
  if (resume && out === '-') throw new UsageError('--resume needs --out: only a file can be continued.');
  const work = out === '-' ? undefined : await WorkFolder.open(out, context.line);
  await exportTo(work, layout, options, context).finally(() => work?.close());
}

/** `work`: the folder in which the file is made; undefined for standard output. */
async function exportTo(
  work: WorkFolder | undefined,
  layout: RowLayout,
  options: Options,
  context: Context,
): Promise<void> {
  const { io, notes, signal, services } = context;
  const { out = '-', resume, allowIncomplete, concurrency = concurrencyOf(context) } = options;
  const identity = identityOf(options, layout, context);
  const earlier = resume && work && readBegun(work, identity, '--resume');
  if (earlier) io.note(`Continuing after ${counted(earlier.rows, 'call')}.`);
  else if (resume) io.note(`There is nothing to continue for ${out}: starting from the beginning.`);
  const { asked, select, since, noteUnknown } = await readFilters(options, context, earlier?.since);
  const service = await services.chosen();
  const begun = earlier ?? notBegun(since);
  const target =
    work === undefined
      ? new ExportStream(layout, (text) => io.data(text))
      : new ResumableFile({ work, layout, hasAllColumns: hasAllFields(context.flags), identity, begun });
  const { offset, seen, total } = begun;
  const reading = pages(service, asked, { offset, seen, total, concurrency });
  const exporting = readLog(reading, 'Exporting calls', notes, seen.size);
  let shortfall: VagentError | undefined;
  try {
    shortfall = await exportCalls(exporting, target, { select, mayBeShort: allowIncomplete === true, signal });
  } catch (error) {
    if (target.leave()) {
      io.note(
        `${counted(target.count, 'call is', 'calls are')} kept beside ${out}: the same command with --resume continues after them.`,
      );
    }
    if (!(error instanceof VagentError && error.code === INCOMPLETE)) throw error;
    throw reworded(error, { hint: `${error.hint} --allow-incomplete keeps what it showed.` });
  }
  noteUnknown();
  noteCut(target.cut, out, layout.format, io);
  io.note(`${counted(target.count, 'call')} written${out === '-' ? '' : ` to ${out}`}.`);
  if (shortfall === undefined) return;
  const message = `${shortfall.message} What it showed is ${out === '-' ? 'written' : `in ${out}`} anyway.`;
  throw reworded(shortfall, { message });
}

/** Whether also the fields are wanted that the service sends beyond the documented ones. */
function hasAllFields({ fields }: Context['flags']): boolean {
  return fields?.join() === 'all';
}

const TIMES: ReadonlySet<string> = new Set(['timestamp']);

/** How the calls are written. Throws UsageError if flags contradict each other. */
async function readLayout({ excel, out = '-' }: Options, { io, flags, clock }: Context): Promise<RowLayout> {
  const format = exportFormat(out, flags);
  const isCsv = format === 'csv';
  if (excel && !isCsv) throw new UsageError(`--excel is for CSV, not ${format}.`);
  const isAll = hasAllFields(flags);
  if (isAll && isCsv && out === '-') {
    throw new UsageError('--fields all needs --out: which columns there are is known at the end.');
  }
  // JSON has every field anyway.
  const fields = isAll || flags.fields?.join() === 'known' ? undefined : flags.fields;
  requireFields(fields, listFields.calls);
  const redact = (text: string) => io.redactor.redact(text);
  const layout = {
    format,
    columns: listFields.calls,
    fields,
    hasHeader: !flags.noHeader,
    isExcel: excel === true,
    redact,
  };
  if (format !== 'xlsx') return layout;
  return { ...layout, sheet: { name: 'Calls', times: TIMES, zone: machineZone(await clock.now()) } };
}

/** What two runs must have in common, so that one can continue the other's export. */
function identityOf(
  options: Options,
  { format, fields, hasHeader, isExcel }: RowLayout,
  { io, settings, flags }: Context,
): Record<string, unknown> {
  const target = settings.target();
  const service = target.mode === 'remote' ? target.baseUrl.href : storeName(settings.store());
  const filters = filtersGiven(options).map(([name, value]) => [
    name,
    name === 'search' ? io.redactor.redact(String(value)) : value,
  ]);
  const layout = { format, columns: fields, hasHeader, isExcel, isSpooled: hasAllFields(flags) };
  return { service, organization: settings.organization(), ...Object.fromEntries(filters), ...layout };
}
