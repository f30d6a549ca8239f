/** UTF-8 → the rows of a delimited table (RFC 4180, any line ends), each with the line on which it begins. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { InputError } from '../errors.ts';
import { decode, type Encoding, gather } from './decode.ts';
import { quoteFormulas } from './formulas.ts';

/** Those that are looked for. */
export const DELIMITERS = [',', ';', '\t', '|'];

/** Bytes that a row may have: what is longer is no row, but a quote that was never closed. */
const MAX_ROW_BYTES = 16 << 20;

/** Told of every row that has any text; `line` is the one on which it begins. */
export type TakeRow = (cells: string[], line: number) => void;

/** How a table is written. */
export interface Form {
  encoding: Encoding;
  /** Whether it begins with a byte order mark. */
  isMarked: boolean;
  delimiter: string;
}

export interface TableOptions {
  /** Undefined: UTF-8, or what the byte order mark says. */
  encoding?: Encoding | undefined;
  /** Undefined: what a `sep=` line says, or the one that makes a table of the text. */
  delimiter?: string | undefined;
  /** Whether a header makes sense, where several delimiters could be meant. */
  isUnderstood: (header: string[]) => boolean;
}

export interface Table extends Form {
  /**
   * Reads all rows, the header too; those of more than one cell that hold nothing, as spreadsheets leave them at the end,
   * are counted and passed over. Throws InputError: `unclosed_quote`, `bad_encoding`, `empty_file`, each with its line.
   */
  eachRow(take: TakeRow): Promise<{ emptyRows: number }>;
}

/** `source` is the file's name, for messages. */
export async function openTable(bytes: AsyncIterable<Buffer>, source: string, options: TableOptions): Promise<Table> {
  const { encoding, isMarked, pieces } = await decode(bytes, source, options.encoding);
  const first = await gather(pieces, SAMPLE_BYTES);
  const separator = separatorLine(first);
  const text = first.subarray(separator?.bytes ?? 0);
  const delimiter = options.delimiter ?? separator?.delimiter ?? (await findDelimiter(text, options.isUnderstood));
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield text;
      yield* pieces;
    } finally {
      await pieces.return(undefined);
    }
  }
  const firstLine = separator === undefined ? 1 : 2;
  return {
    encoding,
    isMarked,
    delimiter,
    async eachRow(take) {
      let rows = 0;
      const facts = await eachRow(all(), { source, delimiter, firstLine }, (cells, line) => {
        rows++;
        take(cells, line);
      });
      if (rows === 0) throw new InputError(`${source} is empty.`, { code: 'empty_file' });
      return facts;
    },
  };
}

async function eachRow(
  pieces: AsyncGenerator<Buffer>,
  { source, delimiter, firstLine }: { source: string; delimiter: string; firstLine: number },
  take: TakeRow,
): Promise<{ emptyRows: number }> {
  const reader = new RowReader(delimiter);
  let line = firstLine;
  let emptyLines = 0;
  let emptyRows = 0;
  // A cell with a line break is quoted: where no quote has come yet, none needs to be looked for.
  let hasQuotes = false;
  const takeAll = () => {
    for (const { cells, emptyLinesBefore } of reader.taken()) {
      line += emptyLinesBefore - emptyLines;
      emptyLines = emptyLinesBefore;
      if (!isBlank(cells)) take(cells, line);
      else if (cells.length > 1) emptyRows++;
      line += hasQuotes ? 1 + breaksIn(cells) : 1;
    }
  };
  try {
    for await (const piece of quoteFormulas(pieces, delimiter)) {
      hasQuotes ||= piece.includes('"');
      await reader.write(piece);
      takeAll();
    }
    await reader.end();
    takeAll();
  } catch (error) {
    takeAll();
    throw error instanceof CsvError ? misquoted(error, source, line + reader.emptyLines - emptyLines) : error;
  } finally {
    reader.close();
    await pieces.return(undefined);
  }
  return { emptyRows };
}

interface ReadRow {
  cells: string[];
  /** Lines without anything on them, from the beginning of the table. */
  emptyLinesBefore: number;
}

/** The parser, a piece at a time. */
class RowReader {
  readonly #parser: Parser;
  #rows: ReadRow[] = [];
  #failure: Error | undefined;
  #fail: (error: Error) => void = () => {};
  #isFlowing = false;

  constructor(delimiter: string) {
    this.#parser = parse({
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: MAX_ROW_BYTES,
    });
    this.#parser.on('data', (cells: string[]) => this.#rows.push({ cells, emptyLinesBefore: this.emptyLines }));
    this.#parser.on('error', (error) => {
      this.#failure = error;
      this.#fail(error);
    });
  }

  get emptyLines(): number {
    return this.#parser.info.empty_lines;
  }

  /** Resolves when the rows that end in the piece are there. */
  async write(piece: Buffer): Promise<void> {
    // Only once the stream flows is each row told at the moment when it ends, while the count of empty lines is its own.
    if (!this.#isFlowing) await nextTurn();
    this.#isFlowing = true;
    await this.#settled((done) => this.#parser.write(piece, (error) => error ?? done()));
  }

  end(): Promise<void> {
    return this.#settled((done) => this.#parser.on('end', done).end());
  }

  /** The rows since the last time. */
  taken(): ReadRow[] {
    const taken = this.#rows;
    this.#rows = [];
    return taken;
  }

  close(): void {
    this.#parser.destroy();
  }

  #settled(act: (done: () => void) => void): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#fail = reject;
      if (this.#failure !== undefined) reject(this.#failure);
      else act(resolve);
    });
  }
}

function isBlank(cells: readonly string[]): boolean {
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

function misquoted(error: CsvError, source: string, line: number): InputError {
  const [message, hint] = MISQUOTED[error.code] ?? [error.message, 'Check the quotes of that row.'];
  return new InputError(`${source}, line ${line}: ${message}.`, {
    code: 'unclosed_quote',
    hint,
    issues: [{ field: `line ${line}`, message }],
    cause: error,
  });
}

const DOUBLED = 'Put the cell in quotes, and double every quote inside it: "He said ""yes""".';
const MISQUOTED: Record<string, [message: string, hint: string]> = {
  CSV_QUOTE_NOT_CLOSED: ['a quote is opened in the row that begins here and never closed', 'Close it, or take it out.'],
  CSV_MAX_RECORD_SIZE: [
    `the row that begins here has no end within ${MAX_ROW_BYTES >> 20} MB: a quote is opened and never closed, or this is no table`,
    'Close the quote, or take it out.',
  ],
  CSV_INVALID_CLOSING_QUOTE: ['text follows a closing quote in the row that begins here', DOUBLED],
  INVALID_OPENING_QUOTE: ['a quote stands inside a cell that is not quoted, in the row that begins here', DOUBLED],
};

// Finding the delimiter -----------------------------------------------------------------------------------------------

/** A spreadsheet's first line that names the delimiter: `sep=;`. */
const SEPARATOR_LINE = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r|$)/iu;

/** The delimiter that a `sep=` line names, and the bytes of that line; undefined where there is none. */
function separatorLine(first: Buffer): { delimiter: string; bytes: number } | undefined {
  const [line, delimiter] = SEPARATOR_LINE.exec(first.subarray(0, 16).toString()) ?? [];
  if (line === undefined || delimiter === undefined) return undefined;
  return { delimiter, bytes: Buffer.byteLength(line) };
}

/** Bytes that are looked at to find the delimiter. */
const SAMPLE_BYTES = 1 << 16;

/**
 * Which of the four delimiters makes a table of the text: the one whose header `isUnderstood`, whose rows are as wide as
 * the header, and that has the most columns, in this order. A comma, where none makes two columns.
 */
async function findDelimiter(first: Buffer, isUnderstood: (header: string[]) => boolean): Promise<string> {
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

/** The rows at the beginning, as far as they can be read; the last one may be cut off. */
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
