/** What a file's name says about its format. */

import { UsageError } from '../errors.ts';
import type { ExportFormat } from './export.ts';

/** The part of a file name after its last dot, in lower case; empty if there is no dot. */
export function endingOf(path: string): string {
  return /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

const EXPORTS = new Map<string, ExportFormat>([
  ['csv', 'csv'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['json', 'json'],
]);

/** The format for calls that a file's name asks for; undefined if the name does not say. */
export function formatOfName(path: string): ExportFormat | undefined {
  return EXPORTS.get(endingOf(path));
}

/** Well-known endings: a file with one of them is opened by the program for that ending. */
const KNOWN = new Set(
  'csv tsv txt json ndjson jsonl html htm xml md pdf xls xlsx xlsm ods doc docx zip gz parquet'.split(' '),
);

/**
 * Throws UsageError if a file's name stands for another format than `what` will be written, such as `a CSV`. `endings` are
 * those of the format, the usual one first.
 */
export function requireNameFor(what: string, endings: readonly string[], path: string, flag: string): void {
  const ending = endingOf(path);
  if (!KNOWN.has(ending) || endings.includes(ending)) return;
  throw new UsageError(`${flag} ${path}: the output is ${what}, not .${ending}.`, {
    hint: `Name it ${path.slice(0, -ending.length)}${endings[0]}.`,
  });
}
