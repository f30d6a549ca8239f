/** UTF-8 → the rows of a delimited table (RFC 4180, any line ends), each with the line on which it begins. */
import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { InputError } from '../../errors.ts';
import { endOfLines, recut, wholeLines } from './lines.ts';

export const CSV_OPTIONS = {
  relax_column_count: true,
  skip_empty_lines: true,
  record_delimiter: ['\r\n', '\n', '\r'],
};

/** The most bytes in a row: a longer one has a quote that was never closed. */
const MAX_ROW_BYTES = 16 << 20;
/** Columns of the widest spreadsheet. */
export const MAX_COLUMNS = 16_384;
/** The most cells in a line. A row that has too many, but fewer than this, is reported like any other problem. */
const MAX_CELLS = 1_000_000;
/** Bytes that are parsed at once. */
const PART = 1 << 20;

export interface Row {
  cells: string[];
  /** The line of the file on which it begins. */
  line: number;
}

export interface TextOfRows {
  delimiter: string;
  /** The file's name and the line on which the text begins, for messages. */
  source: string;
  firstLine: number;
}

/**
 * The rows of each piece that hold any text; `skip` is called for those of several cells without any, which spreadsheets leave at
 * the end. Throws InputError: `unclosed_quote`, `too_wide`.
 */
export async function* readRows(
  pieces: AsyncGenerator<Buffer>,
  { source, delimiter, firstLine }: TextOfRows,
  skip: () => void,
): AsyncGenerator<Row[]> {
  const reader = new RowReader(delimiter, firstLine);
  const ended = (): Row[] =>
    reader.taken().filter(({ cells }) => {
      const hasText = !isBlank(cells);
      if (!hasText && cells.length > 1) skip();
      return hasText;
    });
  /** Bytes of the row, and cells of the line, that has not ended yet: to read on would only fill the memory. */
  let bytes = 0;
  let cells = 0;
  try {
    for await (const piece of partsOf(pieces, delimiter)) {
      const before = reader.openLine;
      await reader.write(piece);
      const rows = ended();
      if (rows.length > 0) yield rows;
      bytes = reader.openLine === before ? bytes + piece.length : 0;
      if (bytes > MAX_ROW_BYTES) throw misquoted('CSV_MAX_RECORD_SIZE', source, before);
      const lineBegins = endOfLines(piece);
      cells = (lineBegins === 0 ? cells : 0) + countOf(delimiter, piece.subarray(lineBegins));
      if (cells > MAX_CELLS) {
        throw tooWide(source, reader.openLine, `has more than ${MAX_CELLS.toLocaleString('en-US')} cells`);
      }
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

/** Feeds csv-parse a piece at a time and returns the rows that end in each. */
class RowReader {
  readonly #parser: Parser;
  #rows: Row[] = [];
  /** The line behind the last row, not counting the empty lines there, and the empty lines before. */
  #line: number;
  #emptyLines = 0;
  /** A cell with a line break is quoted, so line breaks are counted only after the first quote. */
  #hasQuotes = false;
  #isFlowing = false;

  constructor(delimiter: string, firstLine: number) {
    this.#line = firstLine;
    this.#parser = parse({ ...CSV_OPTIONS, delimiter, max_record_size: MAX_ROW_BYTES });
    this.#parser.on('data', (cells: string[]) => {
      const line = this.openLine;
      this.#emptyLines = this.#parser.info.empty_lines;
      this.#rows.push({ cells, line });
      this.#line = line + 1 + (this.#hasQuotes ? breaksIn(cells) : 0);
    });
    // Whoever writes is told.
    this.#parser.on('error', () => {});
  }

  /** The line of the row that has not ended yet. */
  get openLine(): number {
    return this.#line + this.#parser.info.empty_lines - this.#emptyLines;
  }

  /** Resolves when the rows that end in the piece can be taken. */
  async write(piece: Buffer): Promise<void> {
    // The stream must flow first: then each row comes at the moment it ends, and the count of empty lines belongs to it.
    if (!this.#isFlowing) await nextTurn();
    this.#isFlowing = true;
    this.#hasQuotes ||= piece.includes('"');
    await new Promise<void>((resolve, reject) => {
      this.#parser.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  }

  async end(): Promise<void> {
    this.#parser.end();
    await finished(this.#parser);
  }

  /** The rows since the last call. */
  taken(): Row[] {
    const taken = this.#rows;
    this.#rows = [];
    return taken;
  }

  close(): void {
    this.#parser.destroy();
  }
}

/** Whether a row holds no text. */
export function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) if (cell !== '' && cell.trim() !== '') return false;
  return true;
}

/** Line breaks inside the cells of a row. */
function breaksIn(cells: readonly string[]): number {
  let breaks = 0;
  for (const cell of cells) {
    if (cell.includes('\n') || cell.includes('\r')) breaks += cell.match(/\r\n|\n|\r/g)?.length ?? 0;
  }
  return breaks;
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
async function* partsOf(pieces: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<Buffer> {
  const between = Buffer.from(delimiter)
    .toString('latin1')
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  // Inside a quoted cell `=""` may occur, so the quote must be followed by the beginning of a number.
  const formula = new RegExp(`(^|${between}|[\\r\\n])="((?:tel:|[+'(\\d])[^"\\r\\n]*)"(?=${between}|[\\r\\n]|$)`, 'gi');
  const quoted = (lines: Buffer) =>
    lines.includes(GUARD) ? Buffer.from(lines.toString('latin1').replace(formula, '$1"=""$2"""'), 'latin1') : lines;
  for await (const lines of recut(pieces, wholeLines)) {
    const text = quoted(lines);
    for (let at = 0; at < text.length; at += PART) yield text.subarray(at, at + PART);
  }
}
