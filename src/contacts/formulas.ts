/**
 * `="+14155550101"` between two delimiters: how spreadsheets are made to keep a number as text. RFC 4180 wants quotes around
 * it, and those inside doubled; nobody writes them, so they are put there before the table is read.
 */

const LF = 10;
const CR = 13;
const GUARD = '="';
/** A line that is longer is passed on in parts. */
const LONGEST_LINE = 16 << 20;

/** Pieces of UTF-8, of which each ends with a line as far as lines are short. */
export async function* quoteFormulas(pieces: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<Buffer> {
  const between = Buffer.from(delimiter)
    .toString('latin1')
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  // Where a cell is quoted, a quote after `=` would be doubled: the beginning of a number must follow it.
  const formula = new RegExp(`(^|${between}|[\\r\\n])="((?:tel:|[+'(\\d])[^"\\r\\n]*)"(?=${between}|[\\r\\n]|$)`, 'gi');
  const quoted = (lines: Buffer) =>
    lines.includes(GUARD) ? Buffer.from(lines.toString('latin1').replace(formula, '$1"=""$2"""'), 'latin1') : lines;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const lineEnd = Math.max(all.lastIndexOf(LF), all.lastIndexOf(CR)) + 1;
    const end = all.length - lineEnd > LONGEST_LINE ? all.length : lineEnd;
    rest = all.subarray(end);
    if (end > 0) yield quoted(all.subarray(0, end));
  }
  if (rest.length > 0) yield quoted(rest);
}
