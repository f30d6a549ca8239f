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

/** CSV shows the documented columns, or those that were chosen; the JSON formats keep whatever the service sends. */
export function exportWriter(format: ExportFormat, columns: readonly string[] = listFields.calls): ExportWriter {
  let written = 0;
  const rows: Record<ExportFormat, ExportWriter['rows']> = {
    csv: (calls) => toCsv(calls, columns, written === 0),
    ndjson: async (calls) => calls.map((call) => `${JSON.stringify(call)}\n`).join(''),
    json: async (calls) =>
      calls.map((call, at) => `${written + at === 0 ? '[\n' : ',\n'}${JSON.stringify(call)}`).join(''),
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
      return format === 'csv' && written === 0 ? toCsv([], columns, true) : '';
    },
  };
}
