/** The results of contacts as text in any format, some rows at a time. */
import { type ContactResult, rowOf } from '../../../calls/contact-results.ts';
import { type ExportFormat, exportWriter } from '../../../calls/export.ts';
import { tooLongForCells } from '../../../calls/spreadsheet.ts';
import { oneLine } from '../../../terminal/output.ts';
import { objectOf, writeJson } from '../../../text/json.ts';

export interface ResultsLayout {
  /** Files that what was called came from: none of them may be replaced. */
  madeFrom: readonly string[];
  format: ExportFormat | 'tsv' | 'ids';
  /** Whose they are: the first fields of the JSON document. */
  of: Record<string, number | string | null>;
  /** The columns of the file, and what each added one is called. */
  columns: readonly string[];
  added: ReadonlyMap<keyof ContactResult, string>;
  /** The columns of `--fields`. */
  fields: readonly string[] | undefined;
  hasHeader: boolean;
  isExcel: boolean;
  redact: (text: string) => string;
}

export interface ResultsWriter {
  rows(results: readonly ContactResult[]): Promise<string>;
  end(): Promise<string>;
  /** Texts that a spreadsheet cuts off. */
  readonly cut: number;
}

/** The names by which `--fields` knows what is in a row. */
export function fieldsOfResults({ columns, added }: Pick<ResultsLayout, 'columns' | 'added'>): string[] {
  return [...new Set(['phone_number', 'custom_identifiers', ...columns, ...added.values()])];
}

export function resultsWriter(layout: ResultsLayout): ResultsWriter {
  const { format, columns, added, fields } = layout;
  const shown = fields ?? [...columns, ...added.values()];
  const flat = (result: ContactResult) => rowOf(result, columns, added);
  if (format === 'tsv' || format === 'ids') {
    const line = (result: ContactResult) => {
      if (format === 'ids') return result.phone_number;
      const row = flat(result);
      return shown.map((name) => oneLine(row[name])).join('\t');
    };
    return { rows: async (results) => results.map((one) => `${line(one)}\n`).join(''), end: async () => '', cut: 0 };
  }
  const isCsv = format === 'csv';
  const writer = exportWriter({ ...layout, format, columns: isCsv ? shown : fields, around: documentOf(layout) });
  let cut = 0;
  return {
    rows(results) {
      const items = isCsv || fields !== undefined ? results.map(flat) : results.map((result) => ({ ...result }));
      if (layout.isExcel) cut += tooLongForCells(items);
      return writer.rows(items);
    },
    end: () => writer.end(),
    get cut() {
      return cut;
    },
  };
}

/** The contacts are one field of a JSON document that says whose they are. */
function documentOf({ of, redact }: ResultsLayout) {
  const named = Object.entries(of).map(([name, value]) => [
    name,
    typeof value === 'string' ? redact(value) : value,
  ]) as [string, unknown][];
  return { begin: `${writeJson(objectOf(named)).slice(0, -1)},"contacts":[`, end: ']}' };
}
