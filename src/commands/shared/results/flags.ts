/** Where results go, and in which format. */
import type { Command } from 'commander';
import { EXPORT_FORMATS, type ExportFormat } from '../../../calls/export.ts';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { filled, oneOf } from '../../../flags/values.ts';
import { chooseFormat } from '../../../terminal/output.ts';
import { exportFormat } from '../export-format.ts';
import type { ResultsLayout } from './writer.ts';

export interface ResultsFlags {
  out?: string;
  format?: ExportFormat;
  excel?: true;
}

export function addResultsFlags(command: Command): Command {
  return command
    .option('--out <file>', 'the file to write, replaced in one step at the end; - for standard output', filled)
    .option(
      '--format <format>',
      `${EXPORT_FORMATS.join(', ')} (default: what the name of the file ends in)`,
      oneOf(EXPORT_FORMATS),
    )
    .option('--excel', 'a CSV for spreadsheets: with a byte order mark, no formulas, every digit kept');
}

/** Throws UsageError if flags contradict each other. */
export function resultsFormat(
  { out, format, excel }: ResultsFlags,
  { io, flags }: Context,
): ResultsLayout['format'] | 'table' {
  const asked = chooseFormat(io, flags);
  const isExport = out !== undefined || format !== undefined || excel;
  const chosen = isExport ? exportFormat(format, out ?? '-', flags) : asked;
  if (excel && chosen !== 'csv') throw new UsageError(`--excel is for CSV, not ${chosen}.`);
  return chosen;
}
