import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import { filled, integerFrom, oneOf } from '../../arguments.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../calls/export.ts';
import { pages } from '../../calls/pages.ts';
import type { Context } from '../../context.ts';
import { listFields, totalOf } from '../../contract.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import { examples } from '../../help.ts';
import { Progress } from '../../progress.ts';
import type { GlobalFlags } from '../../settings.ts';
import { alone, type Form, openDestination, readEarlier } from './destination.ts';
import { addFilters, type FilterOptions, readFilters } from './filters.ts';

interface Options extends FilterOptions {
  out?: string;
  format?: ExportFormat;
  columns?: (typeof COLUMNS)[number];
  excel?: true;
  resume?: true;
  concurrency?: number;
}

const COLUMNS = ['known', 'all'] as const;
const MAX_CONCURRENCY = 16;

export function register(command: Command, context: Context): void {
  addFilters(command)
    .option('--out <file>', 'the file to write, replaced in one step at the end; - for standard output', filled)
    .option('--format <format>', `${EXPORT_FORMATS.join(', ')} (default csv)`, oneOf(EXPORT_FORMATS))
    .option('--columns <which>', 'of a CSV: known (default), or all, with fields nobody documents', oneOf(COLUMNS))
    .option('--excel', 'a CSV for spreadsheets: byte order mark, no cell is run as a formula')
    .option('--resume', 'go on with an export to the same file that was cut off')
    .option(
      '--concurrency <n>',
      `pages asked for at a time (default 4); one, once the service answers 429`,
      integerFrom(1, MAX_CONCURRENCY),
    )
    .addHelpText(
      'after',
      examples([
        'vagent logs export --out calls.csv',
        'vagent logs export --out calls.csv --resume',
        'vagent logs export --start-date 2026-11-01 --format ndjson --out november.ndjson',
        'vagent logs export --status completed --excel --out completed.csv',
        'vagent logs export | head -1',
      ]),
    )
    .action((options: Options) => run(options, context));
}

async function run(options: Options, context: Context): Promise<void> {
  const { out = '-', resume } = options;
  const form = readForm(options, context.flags);
  if (resume && out === '-') throw new UsageError('--resume needs --out: only a file can be gone on with.');
  const write = () => exportCalls(options, { out, form }, context);
  await (out === '-' ? write() : alone(out, context.commandLine, write));
}

async function exportCalls(
  options: Options,
  { out, form }: { out: string; form: Form },
  context: Context,
): Promise<void> {
  const { io } = context;
  const identity = identityOf(options, form, context);
  const earlier = options.resume ? readEarlier(out, form, identity, io) : undefined;
  const { asked, select, since } = await readFilters(options, context, earlier?.since);
  const service = await context.service();
  const destination = openDestination({ out, form, identity, since, earlier }, io);
  const progress = new Progress(io, 'Exporting calls');
  try {
    const concurrency = options.concurrency ?? context.concurrency;
    const { offset = 0, seen = new Set<string>(), total } = earlier?.progress ?? {};
    for await (const page of pages(service, asked, { offset, seen, total, concurrency })) {
      // What comes from the local engine never waits; an interrupt is heard in between.
      await nextTurn();
      if (context.signal.aborted) throw new InterruptedError();
      await destination.page(page, select === undefined ? page.calls : page.calls.filter(select));
      progress.at(destination.rows, totalOf(page.response));
    }
    await destination.finish();
  } catch (error) {
    destination.leave();
    throw error;
  } finally {
    progress.end();
  }
  const { rows } = destination;
  io.note(`${rows} ${rows === 1 ? 'call' : 'calls'} written${out === '-' ? '' : ` to ${out}`}.`);
}

/** What the calls are written as. Throws UsageError where the flags do not go together. */
function readForm({ format: asked, columns, excel, out = '-' }: Options, flags: GlobalFlags): Form {
  const format = chooseFormat(asked, flags);
  const isCsv = format === 'csv';
  if (excel && !isCsv) throw new UsageError(`--excel is for CSV, not ${format}.`);
  if (columns !== undefined && !isCsv) throw new UsageError(`--columns is for CSV: ${format} has every field anyway.`);
  if (columns !== undefined && flags.fields !== undefined) {
    throw new UsageError('--columns and --fields exclude each other.');
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

/** What two runs must have in common for one to go on with the other's work. */
function identityOf(options: Options, form: Form, { io, settings, organizationId }: Context): Record<string, unknown> {
  const { startDate, endDate, agent, since, status, outcome, to, from, search } = options;
  const service = settings.target.mode === 'remote' ? settings.target.baseUrl.href : settings.store;
  const hidden = search === undefined ? undefined : io.redactor.redact(search);
  const filters = { startDate, endDate, agent, since, status, outcome, to, from, search: hidden };
  return { service, organization: organizationId, ...filters, ...form };
}

/** `--format`, or what `--json` and `--output` say where they name a format that a file can have. */
function chooseFormat(format: ExportFormat | undefined, { json, output }: GlobalFlags): ExportFormat {
  const asked = json ? 'json' : output;
  const fromOutput = EXPORT_FORMATS.find((name) => name === asked);
  if (asked !== undefined && (fromOutput === undefined || (format !== undefined && format !== fromOutput))) {
    throw new UsageError(`An export cannot be ${asked}${format === undefined ? '' : ` and ${format}`}.`, {
      hint: `Say --format ${EXPORT_FORMATS.join(', ')}.`,
    });
  }
  return format ?? fromOutput ?? 'csv';
}

/** Throws UsageError where a call log has no such column. */
export function chooseColumns(fields: string[] | undefined): readonly string[] | undefined {
  const unknown = fields?.filter((name) => !listFields.calls.includes(name)) ?? [];
  if (unknown.length === 0) return fields;
  throw new UsageError(`--fields: unknown ${unknown.join(', ')}.`, { hint: `Fields: ${listFields.calls.join(', ')}.` });
}
