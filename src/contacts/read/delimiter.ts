/** The delimiter of a table: named on its first line, or found from the text. */
import { CsvError } from 'csv-parse';
import { isBlank, RowReader } from './row-reader.ts';

/** The delimiters that are tried. */
export const DELIMITERS = [',', ';', '\t', '|'];

/** The first line `sep=;`, by which spreadsheets name the delimiter. */
const SEPARATOR_LINE = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r|$)/iu;

/** The delimiter that a `sep=` line names, and the bytes of that line; undefined if there is no such line. */
export function separatorLine(first: Buffer): { delimiter: string; bytes: number } | undefined {
  const [line, delimiter] = SEPARATOR_LINE.exec(first.subarray(0, 16).toString()) ?? [];
  if (line === undefined || delimiter === undefined) return undefined;
  return { delimiter, bytes: Buffer.byteLength(line) };
}

/** Bytes that are read to find the delimiter. */
export const SAMPLE_BYTES = 1 << 16;

/**
 * Finds the delimiter. The criteria, in this order: the header `isUnderstood`, the rows are as wide as the header, and there
 * are the most columns. A comma if no delimiter makes two columns.
 */
export async function findDelimiter(first: Buffer, isUnderstood: (header: string[]) => boolean): Promise<string> {
  let best = { delimiter: ',', score: [0, 0, 0] };
  for (const delimiter of DELIMITERS) {
    const [header, ...rows] = await sampleRows(first, delimiter);
    if (header === undefined || header.length < 2) continue;
    const even = rows.filter((cells) => cells.length === header.length).length;
    const score = [Number(isUnderstood(header)), rows.length === 0 ? 1 : even / rows.length, header.length];
    if (isGreater(score, best.score)) best = { delimiter, score };
  }
  return best.delimiter;
}

function isGreater(left: readonly number[], right: readonly number[]): boolean {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at !== -1 && (left[at] as number) > (right[at] as number);
}

/** The first rows, as far as they can be read; the last one may be cut off. */
async function sampleRows(first: Buffer, delimiter: string): Promise<string[][]> {
  const reader = new RowReader(delimiter);
  try {
    await reader.write(first.subarray(0, SAMPLE_BYTES));
    await reader.end();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  } finally {
    reader.close();
  }
  return reader.taken().flatMap(({ cells }) => (isBlank(cells) ? [] : [cells]));
}
