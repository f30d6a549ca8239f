/** The file of rejects: a CSV of the unusable rows, with what is wrong with each, then its original cells. */
import { stringify } from 'csv-stringify/sync';
import { CSV_FORMAT } from '../../text/csv.ts';
import type { Columns } from '../header/columns.ts';
import type { Dialect } from '../read/table.ts';
import type { RejectedRow } from '../rows/row-checker.ts';
import { aboveHeader } from './above-header.ts';
import { isRejectsHeader, OWN_COLUMNS } from './rejects-header.ts';

export interface RejectsWriter {
  header(): string;
  rows(rejected: readonly RejectedRow[]): string;
}

/** Uses the delimiter of the file that the rows are from, so that it can be read with the same flags once it is fixed. */
function rejectsWriter({ headers, hasHeader }: Columns, dialect: Dialect): RejectsWriter {
  // Columns of an earlier file of rejects are replaced, not repeated.
  const own = isRejectsHeader(headers) ? OWN_COLUMNS.length : 0;
  const named = (hasHeader ? headers : ['phone_number']).slice(own);
  const { delimiter } = dialect;
  const lines = (rows: string[][]) => stringify(rows, { ...CSV_FORMAT, delimiter });
  return {
    header: () => aboveHeader(dialect) + lines([[...distinctFrom(named), ...named]]),
    rows: (rejected) => lines(rejected.map(({ cells, problems }) => [...ownCells(problems), ...cells.slice(own)])),
  };
}

function ownCells(problems: RejectedRow['problems']): string[] {
  const [first] = problems;
  const reasons = problems.map(({ message, fix }) => `${message}. ${fix}`);
  return [String(first?.line ?? ''), first?.column ?? '', first?.code ?? '', reasons.join(' ')];
}

/** Adds a prefix to our columns if the file has columns of the same names: two of one name make a file unreadable. */
function distinctFrom(named: readonly string[]): readonly string[] {
  const taken = new Set(named.map((name) => name.toLowerCase()));
  let names: readonly string[] = OWN_COLUMNS;
  while (names.some((name) => taken.has(name))) names = names.map((name) => `reject_${name}`);
  return names;
}

/** Characters plus cells that are gathered before they are written. */
const GATHERED = 1 << 20;
/** The most rows that are gathered: the reasons of a short row take more room than its cells. */
const GATHERED_ROWS = 1000;

/** Writes the file of rejects, even if nothing is rejected: a file of an earlier run would mislead. */
export class RejectsFile {
  readonly #file: { write(text: string): void };
  readonly #writer: RejectsWriter;
  #gathered: RejectedRow[] = [];
  #size = 0;

  constructor(file: { write(text: string): void }, columns: Columns, dialect: Dialect) {
    this.#file = file;
    this.#writer = rejectsWriter(columns, dialect);
    file.write(this.#writer.header());
  }

  add(row: RejectedRow): void {
    this.#gathered.push(row);
    for (const cell of row.cells) this.#size += cell.length + 1;
    if (this.#size >= GATHERED || this.#gathered.length >= GATHERED_ROWS) this.end();
  }

  /** Writes what is still gathered. */
  end(): void {
    if (this.#gathered.length > 0) this.#file.write(this.#writer.rows(this.#gathered));
    this.#gathered = [];
    this.#size = 0;
  }
}
