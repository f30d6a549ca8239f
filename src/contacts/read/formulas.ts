/**
 * `="+14155550101"` between two delimiters makes a spreadsheet keep a number as text. RFC 4180 would require quotes around it
 * and doubled quotes inside. Files do not have them, so they are added before the table is read.
 */
import { WholeLines } from './lines.ts';

const GUARD = '="';

/** Returns pieces of UTF-8 that end with a line, unless a line is very long. */
export async function* quoteFormulas(pieces: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<Buffer> {
  const between = Buffer.from(delimiter)
    .toString('latin1')
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  // Inside a quoted cell `=""` may occur, so the quote must be followed by the beginning of a number.
  const formula = new RegExp(`(^|${between}|[\\r\\n])="((?:tel:|[+'(\\d])[^"\\r\\n]*)"(?=${between}|[\\r\\n]|$)`, 'gi');
  const quoted = (lines: Buffer) =>
    lines.includes(GUARD) ? Buffer.from(lines.toString('latin1').replace(formula, '$1"=""$2"""'), 'latin1') : lines;
  const lines = new WholeLines();
  for await (const piece of pieces) {
    const whole = lines.add(piece);
    if (whole.length > 0) yield quoted(whole);
  }
  const rest = lines.rest();
  if (rest.length > 0) yield quoted(rest);
}
