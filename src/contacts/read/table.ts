/** The bytes of a file → a table: its encoding, its delimiter, and its rows. */
import { InputError } from '../../errors.ts';
import type { ContactRules, Encoding } from '../rules.ts';
import { decode } from './decode.ts';
import { DELIMITERS, findDelimiter, linesAboveHeader, SAMPLE_BYTES, separatorLine, textsIn } from './first-rows.ts';
import { continued, gather, withoutLines } from './lines.ts';
import { MAX_COLUMNS, type Row, readRows, tooWide } from './rows.ts';

/** The format of a table. */
export interface Dialect {
  encoding: Encoding;
  /** Whether it begins with a byte order mark. */
  isMarked: boolean;
  delimiter: string;
  /** Lines above the header that are skipped. */
  linesAbove: number;
}

export interface TableOptions extends Partial<Pick<ContactRules, 'encoding' | 'delimiter' | 'headerLine'>> {
  /** Whether a row is a usable header: this decides between possible delimiters. */
  isUnderstood: (header: string[]) => boolean;
}

export interface Table extends Dialect {
  /** The line of what looks like a header below the first row, with at least so many texts; undefined if there is none. */
  headerBelow(fewestCells: number): number | undefined;
  /**
   * The rows, the header first, in batches of at least one. Throws InputError: `unclosed_quote`, `bad_encoding`, `too_wide`,
   * `empty_file`, each with its line.
   */
  rows(): AsyncGenerator<Row[]>;
  /** Rows of several cells without any text that were skipped so far. */
  emptyRows(): number;
}

/** `source` is the file's name, for messages. */
export async function openTable(bytes: AsyncIterable<Buffer>, source: string, options: TableOptions): Promise<Table> {
  const { encoding, isMarked, pieces } = await decode(bytes, source, options.encoding);
  const beginning = await gather(pieces, SAMPLE_BYTES);
  const separator = separatorLine(beginning);
  const lineBehind = separator === undefined ? 1 : 2;
  const { headerLine = 1, isUnderstood } = options;
  const firstLine = Math.max(lineBehind, headerLine);
  const lines = withoutLines(continued(beginning.subarray(separator?.bytes ?? 0), pieces), firstLine - lineBehind);
  const text = await gather(lines, SAMPLE_BYTES);
  const named = options.delimiter ?? separator?.delimiter;
  const delimiter = named ?? findDelimiter(text.subarray(0, SAMPLE_BYTES), isUnderstood);
  let emptyRows = 0;
  const rowText = { source, delimiter, firstLine };
  return {
    encoding,
    isMarked,
    delimiter,
    linesAbove: headerLine - 1,
    headerBelow(fewestCells) {
      const delimiters = named === undefined ? DELIMITERS : [named];
      const isHeader = (cells: string[]) => textsIn(cells) >= fewestCells && isUnderstood(cells);
      const above = linesAboveHeader(text.subarray(0, SAMPLE_BYTES), delimiters, isHeader);
      return above === undefined ? undefined : firstLine + above;
    },
    async *rows() {
      let isFirst = true;
      for await (const batch of readRows(continued(text, lines), rowText, () => emptyRows++)) {
        const [first] = batch;
        if (first === undefined) continue;
        if (isFirst) requireHeaderHere(first, headerLine, source);
        isFirst = false;
        yield batch;
      }
      if (isFirst) throw nothingIn(source, headerLine);
    },
    emptyRows: () => emptyRows,
  };
}

/** Throws InputError if the first row cannot be the header. */
function requireHeaderHere({ cells, line }: Row, headerLine: number, source: string): void {
  if (headerLine > 1 && line !== headerLine) {
    throw new InputError(`${source} has nothing on line ${headerLine}, where the header should be.`, {
      code: 'no_phone_column',
      hint: `The next row begins on line ${line}.`,
    });
  }
  if (cells.length > MAX_COLUMNS) throw tooWide(source, line, `has ${cells.length} cells`);
}

function nothingIn(source: string, headerLine: number): InputError {
  const message = headerLine === 1 ? `${source} is empty` : `${source} has nothing on line ${headerLine} or below`;
  return new InputError(`${message}.`, { code: 'empty_file' });
}
