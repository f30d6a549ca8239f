/** Writing CSV (RFC 4180). */

/** Lines of some columns of the items; a missing value is an empty cell. `change` has the last word on a cell. */
export async function toCsv(
  items: readonly Record<string, unknown>[],
  columns: readonly string[],
  hasHeader: boolean,
  change: (cell: string) => string = (cell) => cell,
): Promise<string> {
  const { stringify } = await import('csv-stringify/sync');
  const rows = items.map((item) => columns.map((name) => change(plainText(item[name]))));
  return stringify(hasHeader ? [[...columns], ...rows] : rows, CSV_FORMAT);
}

/** A cell with a line break of any kind is quoted: naming the delimiter alone would leave a lone LF bare. */
export const CSV_FORMAT = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ };

/** A JSON value as text: nothing for null, JSON for what has parts. */
export function plainText(value: unknown): string {
  // A field may be called `constructor`: every object that lacks it inherits a function of that name.
  if (value === undefined || value === null || typeof value === 'function') return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** With it every program sees that a file is UTF-8; Excel reads a CSV so only behind it. */
export const BYTE_ORDER_MARK = '\ufeff';
