/** Call log entries as the lines of an export: CSV, NDJSON or one JSON array, a page at a time. */
import { type CallLogEntry, listFields } from '../contract.ts';
import { toCsv } from '../csv.ts';

export const EXPORT_FORMATS = ['csv', 'ndjson', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportWriter {
  /** The text that some more calls add. */
  rows(calls: readonly CallLogEntry[]): Promise<string>;
  /** What closes the document. */
  end(): Promise<string>;
}

export interface ExportOptions {
  format: ExportFormat;
  /** The chosen columns; CSV has the documented ones where none are, the JSON formats keep whatever the service sends. */
  columns: readonly string[] | undefined;
  hasHeader: boolean;
}

export function exportWriter({ format, columns, hasHeader }: ExportOptions): ExportWriter {
  const csvColumns = columns ?? listFields.calls;
  const toJson = (call: CallLogEntry) =>
    JSON.stringify(
      columns === undefined ? call : Object.fromEntries(columns.map((name) => [name, call[name] ?? null])),
    );
  let written = 0;
  const rows: Record<ExportFormat, ExportWriter['rows']> = {
    csv: (calls) => toCsv(calls, csvColumns, hasHeader && written === 0),
    ndjson: async (calls) => calls.map((call) => `${toJson(call)}\n`).join(''),
    json: async (calls) => calls.map((call, at) => `${written + at === 0 ? '[\n' : ',\n'}${toJson(call)}`).join(''),
  };
  return {
    async rows(calls) {
      if (calls.length === 0) return '';
      const text = await rows[format](calls);
      written += calls.length;
      return text;
    },
    async end() {
      if (format === 'json') return written === 0 ? '[]\n' : '\n]\n';
      return format === 'csv' && written === 0 ? toCsv([], csvColumns, hasHeader) : '';
    },
  };
}
