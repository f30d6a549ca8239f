/** UTF-8 → the rows of a delimited table (RFC 4180, any line ends), each with the line on which it begins. */
import { CsvError } from 'csv-parse';
import { InputError } from '../../errors.ts';
import { MAX_ROW_BYTES, withoutEndlessLines } from './endless-lines.ts';
import { quoteFormulas } from './formulas.ts';
import { isBlank, RowReader } from './row-reader.ts';

/** A row with any text. */
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

export class Rows {
  readonly #text: TextOfRows;
  /** Rows of several cells without any text so far. Spreadsheets leave them at the end; they are skipped. */
  empty = 0;

  constructor(text: TextOfRows) {
    this.#text = text;
  }

  /** The rows of each piece. Throws InputError: `unclosed_quote`, `too_wide`. */
  async *of(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Row[]> {
    const { source, delimiter, firstLine } = this.#text;
    const reader = new RowReader(delimiter);
    let line = firstLine;
    let emptyLines = 0;
    // A cell with a line break is quoted, so line breaks are counted only after the first quote.
    let hasQuotes = false;
    const ended = (): Row[] => {
      const rows: Row[] = [];
      const read = reader.taken();
      for (const [at, cells] of read.cells.entries()) {
        const before = read.emptyLinesBefore[at] ?? emptyLines;
        line += before - emptyLines;
        emptyLines = before;
        if (!isBlank(cells)) rows.push({ cells, line });
        else if (cells.length > 1) this.empty++;
        line += hasQuotes ? 1 + breaksIn(cells) : 1;
      }
      return rows;
    };
    /** The line and the bytes of the row that has not ended yet. */
    const openLine = () => line + reader.emptyLines - emptyLines;
    let openBytes = 0;
    const lines = withoutEndlessLines(pieces, { delimiter, source, firstLine });
    try {
      for await (const piece of quoteFormulas(lines, delimiter)) {
        hasQuotes ||= piece.includes('"');
        const before = openLine();
        await reader.write(piece);
        const rows = ended();
        if (rows.length > 0) yield rows;
        openBytes = openLine() === before ? openBytes + piece.length : 0;
        if (openBytes > MAX_ROW_BYTES) throw misquoted('CSV_MAX_RECORD_SIZE', source, before);
      }
      await reader.end();
      yield ended();
    } catch (error) {
      yield ended();
      throw error instanceof CsvError ? misquoted(error.code, source, openLine(), error) : error;
    } finally {
      reader.close();
      await pieces.return(undefined);
    }
  }
}

/** Line breaks inside the cells of a row. */
function breaksIn(cells: readonly string[]): number {
  let breaks = 0;
  for (const cell of cells) {
    if (cell.includes('\n') || cell.includes('\r')) breaks += cell.match(/\r\n|\n|\r/g)?.length ?? 0;
  }
  return breaks;
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
    `the row that begins here has no end within ${MAX_ROW_BYTES >> 20} MB: a quote is opened and never closed, or this is not a table`,
    'Close the quote, or remove it.',
  ],
  CSV_INVALID_CLOSING_QUOTE: ['text follows a closing quote in the row that begins here', DOUBLED],
  INVALID_OPENING_QUOTE: ['a quote stands inside a cell that is not quoted, in the row that begins here', DOUBLED],
};
