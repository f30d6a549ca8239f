/**
 * The original rows of a table, kept as the lines of JSON in which they are written to a file: the columns first, then a row on
 * each. A million rows are some hundred buffers, and no object for each row.
 */
import { fieldsIn } from './json.ts';
import { masked } from './redact.ts';

/** Characters that are encoded together, which is faster than line by line. */
const TOGETHER = 1 << 16;

/** How the file of a table was written, where that was not UTF-8 with commas. */
export interface FileForm {
  delimiter: string;
  encoding: string;
}

/** The form among what was kept with the columns, which may be anything. */
export function formIn(kept: unknown): FileForm | undefined {
  const { delimiter, encoding } = fieldsIn(kept) ?? {};
  const isForm = typeof delimiter === 'string' && /^[^"\r\n]$/u.test(delimiter) && typeof encoding === 'string';
  return isForm ? { delimiter, encoding } : undefined;
}

export class KeptRows {
  readonly columns: readonly string[];
  readonly form: FileForm | undefined;
  readonly #encoded: Buffer[] = [];
  /** Lines that are in no buffer yet. */
  #text: string;
  count = 0;

  constructor(columns: readonly string[], form?: FileForm) {
    this.columns = columns;
    this.form = form;
    this.#text = `${JSON.stringify({ columns, ...form })}\n`;
  }

  add(cells: readonly string[]): void {
    this.#take(JSON.stringify(cells));
  }

  /** The rows with a true answer, by their place from 0. */
  only(isWanted: (row: number) => boolean): KeptRows {
    const left = new KeptRows(this.columns, this.form);
    let row = 0;
    for (const line of this.lines((text) => text)) if (isWanted(row++)) left.#take(line);
    return left;
  }

  /** The content of the file. `redact` masks the key. */
  *file(redact: (text: string) => string): Generator<Buffer, void> {
    this.#encode();
    for (const bytes of this.#encoded) {
      const text = bytes.toString();
      const maskedLine = (line: string) =>
        redact(line) === line ? line : JSON.stringify(masked(JSON.parse(line), redact));
      // Usually one look shows that the key is in none of them.
      yield redact(text) === text ? bytes : Buffer.from(text.split('\n').map(maskedLine).join('\n'));
    }
  }

  /** The JSON of each row, without the columns. */
  *lines(redact: (text: string) => string): Generator<string, void> {
    let isHeader = true;
    for (const bytes of this.file(redact)) {
      for (const line of bytes.toString().split('\n')) {
        if (line !== '' && !isHeader) yield line;
        isHeader &&= line === '';
      }
    }
  }

  #take(line: string): void {
    this.#text += `${line}\n`;
    this.count++;
    if (this.#text.length > TOGETHER) this.#encode();
  }

  #encode(): void {
    this.#encoded.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
