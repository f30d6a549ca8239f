/** Stops at lines that are longer, or have more cells, than any table: reading on would only fill the memory. */
import { InputError } from '../../errors.ts';
import { endOfLines, linesEndedIn } from './lines.ts';

/** The most bytes in a row: a longer one has a quote that was never closed. */
export const MAX_ROW_BYTES = 16 << 20;
/** Columns of the widest spreadsheet. */
export const MAX_COLUMNS = 16_384;
/** The most cells in a line. A row that has too many, but fewer than this, is reported like any other problem. */
const MAX_CELLS = 1_000_000;
/** Cells are counted only after this many bytes of a line. */
const LONG_LINE_BYTES = 1 << 20;

export interface TextOfRows {
  delimiter: string;
  /** The file's name and the line on which the text begins, for messages. */
  source: string;
  firstLine: number;
}

/** The same pieces of UTF-8. Throws InputError `too_wide` if a line has more cells than any table. */
export async function* withoutEndlessLines(
  pieces: AsyncIterable<Buffer>,
  { delimiter, source, firstLine }: TextOfRows,
): AsyncGenerator<Buffer> {
  let line = firstLine;
  let last = 0;
  /** Bytes and cells of the line that has not ended yet. */
  let bytes = 0;
  let cells = 0;
  for await (const piece of pieces) {
    line += linesEndedIn(piece, last);
    last = piece.at(-1) ?? last;
    const lineBegins = endOfLines(piece);
    if (lineBegins > 0) {
      bytes = 0;
      cells = 0;
    }
    bytes += piece.length - lineBegins;
    if (bytes > LONG_LINE_BYTES) cells += countOf(delimiter, piece.subarray(lineBegins));
    if (cells > MAX_CELLS) throw tooWide(source, line, `has more than ${MAX_CELLS.toLocaleString('en-US')} cells`);
    yield piece;
  }
}

/** The error of a row with too many cells; `what` completes a sentence about the row. */
export function tooWide(source: string, line: number, what: string): InputError {
  return new InputError(`${source}, line ${line}: the row that begins here ${what}: this is not a table.`, {
    code: 'too_wide',
    hint: `A table has at most ${MAX_COLUMNS.toLocaleString('en-US')} columns, as many as the widest spreadsheet.`,
  });
}

function countOf(text: string, bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(text); at !== -1 && count <= MAX_CELLS; at = bytes.indexOf(text, at + 1)) count++;
  return count;
}
