/** UTF-8 → the rows of a delimited table (RFC 4180, any line ends), each with the line on which it begins. */
import { CsvError } from 'csv-parse';
import { InputError } from '../../errors.ts';
import { MAX_ROW_BYTES, type TextOfRows, withoutEndlessLines } from './endless-lines.ts';
import { WholeLines } from './lines.ts';
import { isBlank, type Row, RowReader } from './row-reader.ts';

/**
 * The rows of each piece that hold any text; `skip` is called for those of several cells without any, which spreadsheets leave at
 * the end. Throws InputError: `unclosed_quote`, `too_wide`.
 */
export async function* readRows(
  pieces: AsyncGenerator<Buffer>,
  text: TextOfRows,
  skip: () => void,
): AsyncGenerator<Row[]> {
  const { source, delimiter, firstLine } = text;
  const reader = new RowReader(delimiter, firstLine);
  const ended = (): Row[] =>
    reader.taken().filter(({ cells }) => {
      const hasText = !isBlank(cells);
      if (!hasText && cells.length > 1) skip();
      return hasText;
    });
  /** Bytes of the row that has not ended yet. */
  let openBytes = 0;
  try {
    for await (const piece of quoteFormulas(withoutEndlessLines(pieces, text), delimiter)) {
      const before = reader.openLine;
      await reader.write(piece);
      const rows = ended();
      if (rows.length > 0) yield rows;
      openBytes = reader.openLine === before ? openBytes + piece.length : 0;
      if (openBytes > MAX_ROW_BYTES) throw misquoted('CSV_MAX_RECORD_SIZE', source, before);
    }
    await reader.end();
    yield ended();
  } catch (error) {
    yield ended();
    throw error instanceof CsvError ? misquoted(error.code, source, reader.openLine, error) : error;
  } finally {
    reader.close();
    await pieces.return(undefined);
  }
}

function misquoted(code: string, source: string, line: number, cause?: CsvError): InputError {
  const [message, hint] = MISQUOTED[code] ?? [cause?.message ?? code, 'Check the quotes of that row.'];
  return new InputError(`${source}, line ${line}: ${message}.`, {
    code: 'unclosed_quote',
    hint,
    issues: [{ field: `line ${line}`, message }],
    cause,
  });
}

const DOUBLED = 'Put the cell in quotes, and double every quote inside it: "He said ""yes""".';
const MISQUOTED: Record<string, [message: string, hint: string]> = {
  CSV_QUOTE_NOT_CLOSED: ['a quote is opened in the row that begins here and never closed', 'Close it, or remove it.'],
  CSV_MAX_RECORD_SIZE: [
    `the row that begins here has no end within ${MAX_ROW_BYTES >> 20} MB: a quote is opened and never closed, ` +
      `or this is not a table`,
    'Close the quote, or remove it.',
  ],
  CSV_INVALID_CLOSING_QUOTE: ['text follows a closing quote in the row that begins here', DOUBLED],
  INVALID_OPENING_QUOTE: ['a quote stands inside a cell that is not quoted, in the row that begins here', DOUBLED],
};

const GUARD = '="';

/**
 * `="+14155550101"` between two delimiters makes a spreadsheet keep a number as text. RFC 4180 would require quotes around it
 * and doubled quotes inside. Files do not have them, so they are added before the table is read. Returns pieces of UTF-8 that end
 * with a line, unless a line is very long.
 */
async function* quoteFormulas(pieces: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<Buffer> {
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
