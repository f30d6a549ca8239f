/** Call log entries as the lines of an export: CSV, NDJSON or one JSON array, a page at a time. */

import { type CallLogEntry, listFields } from '../contract.ts';
import { BYTE_ORDER_MARK, toCsv } from '../text/csv.ts';
import { objectOf, writeJson } from '../text/json.ts';
import { originalOf } from '../text/original.ts';
import { masked } from '../text/redact.ts';
import { SPREADSHEET } from './spreadsheet.ts';

export const EXPORT_FORMATS = ['csv', 'ndjson', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportWriter {
  /** The text that these calls add to the export. */
  rows(calls: readonly CallLogEntry[]): Promise<string>;
  /** The end of the document. */
  end(): Promise<string>;
}

export interface ExportOptions {
  format: ExportFormat;
  /** The chosen columns. Without them, CSV has the documented ones, and the JSON formats keep whatever the service sends. */
  columns: readonly string[] | undefined;
  hasHeader: boolean;
  /** For a spreadsheet: with a byte order mark, and with no cell that it would run or misread. CSV only. */
  isExcel: boolean;
  /** Masks the key in a text. */
  redact?: (text: string) => string;
}

/** `written`: how many calls are in the file already; if there are any, no header follows. */
export function exportWriter(
  { format, columns, hasHeader, isExcel, redact = (text) => text }: ExportOptions,
  written = 0,
): ExportWriter {
  const csvColumns = columns ?? listFields.calls;
  const toJson = (call: CallLogEntry) =>
    writeJson(columns === undefined ? call : objectOf(columns.map((name) => [name, call[name] ?? null])));
  let count = written;
  const csv = async (calls: readonly CallLogEntry[]) => {
    const lines = await toCsv(calls, csvColumns, hasHeader && count === 0, isExcel ? SPREADSHEET : undefined);
    return isExcel && count === 0 ? BYTE_ORDER_MARK + lines : lines;
  };
  const rows: Record<ExportFormat, ExportWriter['rows']> = {
    csv,
    ndjson: async (calls) => calls.map((call) => `${toJson(call)}\n`).join(''),
    json: async (calls) => calls.map((call, at) => `${count + at === 0 ? '[\n' : ',\n'}${toJson(call)}`).join(''),
  };
  return {
    async rows(read) {
      if (read.length === 0) return '';
      const calls = read.map(originalOf);
      const text = await rows[format](calls);
      const isSafe = redact(text) === text;
      const shown = isSafe ? text : await rows[format](calls.map((call) => masked(call, redact)));
      count += calls.length;
      return shown;
    },
    async end() {
      if (format === 'json') return count === 0 ? '[]\n' : '\n]\n';
      return format === 'csv' && count === 0 ? csv([]) : '';
    },
  };
}
