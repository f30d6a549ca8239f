import type { Command } from 'commander';
import { filled, oneOf } from '../../arguments.ts';
import { EXPORT_FORMATS, type ExportFormat, exportWriter } from '../../calls/export.ts';
import { pages } from '../../calls/pages.ts';
import type { Context } from '../../context.ts';
import { listFields } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { FileInProgress } from '../../files.ts';
import { examples } from '../../help.ts';
import { Progress } from '../../progress.ts';
import type { GlobalFlags } from '../../settings.ts';
import { addFilters, type FilterOptions, readFilters } from './filters.ts';

interface Options extends FilterOptions {
  out?: string;
  format?: ExportFormat;
}

export function register(command: Command, context: Context): void {
  addFilters(command)
    .option('--out <file>', 'the file to write, replaced in one step at the end; - for standard output', filled)
    .option('--format <format>', `${EXPORT_FORMATS.join(', ')} (default csv)`, oneOf(EXPORT_FORMATS))
    .addHelpText(
      'after',
      examples([
        'vagent logs export --out calls.csv',
        'vagent logs export --start-date 2026-11-01 --format ndjson --out november.ndjson',
        'vagent logs export | head -1',
      ]),
    )
    .action((options: Options) => run(options, context));
}

async function run(options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const filters = readFilters(options);
  const format = chooseFormat(options.format, flags);
  const writer = exportWriter({ format, columns: chooseColumns(flags.fields), hasHeader: !flags.noHeader });
  const service = await context.service();
  const out = options.out ?? '-';
  const file = out === '-' ? undefined : FileInProgress.open(out);
  const write = async (text: string) => (file === undefined ? io.data(text) : file.write(io.redactor.redact(text)));
  const progress = new Progress(io, 'Exporting calls');
  let written = 0;
  try {
    for await (const { calls, response } of pages(service, filters)) {
      await write(await writer.rows(calls));
      written += calls.length;
      progress.at(written, response.total ?? undefined);
    }
    await write(await writer.end());
    file?.finish();
  } catch (error) {
    file?.abandon();
    throw error;
  } finally {
    progress.end();
  }
  io.note(`${written} calls written${file === undefined ? '' : ` to ${out}`}.`);
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

function chooseColumns(fields: string[] | undefined): readonly string[] | undefined {
  const unknown = fields?.filter((name) => !listFields.calls.includes(name)) ?? [];
  if (unknown.length === 0) return fields;
  throw new UsageError(`--fields: unknown ${unknown.join(', ')}.`, { hint: `Fields: ${listFields.calls.join(', ')}.` });
}
