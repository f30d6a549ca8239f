/** Feeds csv-parse a piece at a time and returns the rows that end in each, with the lines on which they begin. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Parser, parse } from 'csv-parse';
import { MAX_ROW_BYTES } from './endless-lines.ts';
import { LINE_ENDS } from './lines.ts';

export interface Row {
  cells: string[];
  /** The line of the file on which it begins. */
  line: number;
}

export class RowReader {
  readonly #parser: Parser;
  #rows: Row[] = [];
  /** The line behind the last row, not counting the empty lines there, and the empty lines before. */
  #line: number;
  #emptyLines = 0;
  /** A cell with a line break is quoted, so line breaks are counted only after the first quote. */
  #hasQuotes = false;
  #failure: Error | undefined;
  #fail: (error: Error) => void = () => {};
  #isFlowing = false;

  constructor(delimiter: string, firstLine = 1) {
    this.#line = firstLine;
    this.#parser = parse({
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: [...LINE_ENDS],
      max_record_size: MAX_ROW_BYTES,
    });
    this.#parser.on('data', (cells: string[]) => {
      const line = this.openLine;
      this.#emptyLines = this.#parser.info.empty_lines;
      this.#rows.push({ cells, line });
      this.#line = line + 1 + (this.#hasQuotes ? breaksIn(cells) : 0);
    });
    this.#parser.on('error', (error) => {
      this.#failure = error;
      this.#fail(error);
    });
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
    await this.#settled((done) => this.#parser.write(piece, (error) => error ?? done()));
  }

  end(): Promise<void> {
    return this.#settled((done) => this.#parser.on('end', done).end());
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

  #settled(act: (done: () => void) => void): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#fail = reject;
      if (this.#failure !== undefined) reject(this.#failure);
      else act(resolve);
    });
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
