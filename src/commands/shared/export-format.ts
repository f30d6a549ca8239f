/** The flags of commands that write a file: its name, its format, and what they mean together. */
import type { Command } from 'commander';
import { EXPORT_FORMATS, type ExportFormat } from '../../calls/export.ts';
import { endingOf, formatOfName } from '../../calls/format-by-name.ts';
import { UsageError } from '../../errors.ts';
import { type GlobalFlags, isFileName, OUTPUT_FORMATS, outputFormat } from '../../flags/global.ts';

/**
 * `-o calls.csv` names the file, as in other tools; `-o csv` is a format. Returns the function that puts the name with the options;
 * it throws UsageError if two are given.
 */
export function takingFileNames<T extends { out?: string }>(command: Command): (options: T) => T {
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

/**
 * The format from `--format`, else from the name of the file, else from `--json` and `--output`. Throws UsageError if they
 * contradict each other, or if the name means a format that is not supported.
 */
export function exportFormat(
  format: ExportFormat | undefined,
  out: string,
  { json, output }: GlobalFlags,
): ExportFormat {
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
