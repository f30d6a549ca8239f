/** Call log entries, or what came of contacts, as the lines of an export: CSV, NDJSON or one JSON document, some at a time. */

import { listFields } from '../contract.ts';
import { BYTE_ORDER_MARK, toCsv } from '../text/csv.ts';
import { objectOf, writeJson } from '../text/json.ts';
import { originalOf } from '../text/original.ts';
import { masked } from '../text/redact.ts';
import { SPREADSHEET } from './spreadsheet.ts';

export const EXPORT_FORMATS = ['csv', 'ndjson', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Item = Record<string, unknown>;

export interface ExportWriter {
  /** The text that these items add to the export. */
  rows(items: readonly Item[]): Promise<string>;
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
  /** What begins and ends the JSON document around its items; by default they are an array. */
  around?: { begin: string; end: string };
  /** Masks the key in a text. */
  redact?: (text: string) => string;
}

const ARRAY = { begin: '[', end: ']' };

/** `written`: how many items are in the file already; if there are any, no header follows. */
export function exportWriter(
  { format, columns, hasHeader, isExcel, around = ARRAY, redact = (text) => text }: ExportOptions,
  written = 0,
): ExportWriter {
  const csvColumns = columns ?? listFields.calls;
  const toJson = (item: Item) =>
    writeJson(columns === undefined ? item : objectOf(columns.map((name) => [name, item[name] ?? null])));
  let count = written;
  const csv = async (items: readonly Item[]) => {
    const lines = await toCsv(items, csvColumns, hasHeader && count === 0, isExcel ? SPREADSHEET : undefined);
    return isExcel && count === 0 ? BYTE_ORDER_MARK + lines : lines;
  };
  const rows: Record<ExportFormat, ExportWriter['rows']> = {
    csv,
    ndjson: async (items) => items.map((item) => `${toJson(item)}\n`).join(''),
    json: async (items) =>
      items.map((item, at) => `${count + at === 0 ? `${around.begin}\n` : ',\n'}${toJson(item)}`).join(''),
  };
  return {
    async rows(read) {
      if (read.length === 0) return '';
      const items = read.map(originalOf);
      const text = await rows[format](items);
      const isSafe = redact(text) === text;
      const shown = isSafe ? text : await rows[format](items.map((item) => masked(item, redact)));
      count += items.length;
      return shown;
    },
    async end() {
      if (format === 'json') return count === 0 ? `${around.begin}${around.end}\n` : `\n${around.end}\n`;
      return format === 'csv' && count === 0 ? csv([]) : '';
    },
  };
}
