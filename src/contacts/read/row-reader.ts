/** Feeds csv-parse a piece at a time and returns the rows that end in each, with the number of empty lines before them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Parser, parse } from 'csv-parse';
import { MAX_ROW_BYTES } from './endless-lines.ts';
import { LINE_ENDS } from './lines.ts';

export interface ReadRows {
  cells: string[][];
  /** For each row, the number of empty lines from the beginning of the table. */
  emptyLinesBefore: number[];
}

const noRows = (): ReadRows => ({ cells: [], emptyLinesBefore: [] });

export class RowReader {
  readonly #parser: Parser;
  #rows = noRows();
  #failure: Error | undefined;
  #fail: (error: Error) => void = () => {};
  #isFlowing = false;

  constructor(delimiter: string) {
    this.#parser = parse({
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: [...LINE_ENDS],
      max_record_size: MAX_ROW_BYTES,
    });
    this.#parser.on('data', (cells: string[]) => {
      this.#rows.cells.push(cells);
      this.#rows.emptyLinesBefore.push(this.emptyLines);
    });
    this.#parser.on('error', (error) => {
      this.#failure = error;
      this.#fail(error);
    });
  }

  get emptyLines(): number {
    return this.#parser.info.empty_lines;
  }

  /** Resolves when the rows that end in the piece can be taken. */
  async write(piece: Buffer): Promise<void> {
    // The stream must flow first: then each row comes at the moment it ends, and the count of empty lines belongs to it.
    if (!this.#isFlowing) await nextTurn();
    this.#isFlowing = true;
    await this.#settled((done) => this.#parser.write(piece, (error) => error ?? done()));
  }

  end(): Promise<void> {
    return this.#settled((done) => this.#parser.on('end', done).end());
  }

  /** The rows since the last call. */
  taken(): ReadRows {
    const taken = this.#rows;
    this.#rows = noRows();
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
