/** The file of rejects: a CSV of the unusable rows, with what is wrong with each, then its original cells. */
import { BYTE_ORDER_MARK, csvLine } from '../../text/csv.ts';
import { phoneKey } from '../../text/phone.ts';
import type { Columns } from '../header/columns.ts';
import type { RowProblem } from '../problems.ts';
import { DELIMITERS } from '../read/first-rows.ts';
import type { Dialect } from '../read/table.ts';

/**
 * Its own columns, by which it is recognised when it is read again after fixing. They come before the cells, so that a row with
 * too many cells does not shift them.
 */
const OWN_COLUMNS = ['line', 'column', 'code', 'reason'] as const;
const CODE_AT = OWN_COLUMNS.indexOf('code');
const REASON_AT = OWN_COLUMNS.indexOf('reason');

/** They have a prefix if the file itself had columns of these names. */
export function isRejectsHeader(headers: readonly string[]): boolean {
  const prefix = /^((?:reject_)*)line$/.exec(headers[0] ?? '')?.[1];
  return prefix !== undefined && OWN_COLUMNS.every((name, at) => headers[at] === prefix + name);
}

/** Whether a row was rejected as a duplicate and still has the same number: it would call somebody twice. */
export function wasDuplicate(cells: readonly string[], number: string): boolean {
  const [rejected = ''] = (cells[REASON_AT] ?? '').split(' ', 1);
  return cells[CODE_AT] === 'duplicate' && phoneKey(rejected) === phoneKey(number);
}

/** A row that cannot be used, with its original cells. */
export interface RejectedRow {
  cells: readonly string[];
  problems: readonly RowProblem[];
}

/** Characters that are gathered before they are written. */
const GATHERED = 1 << 20;

/** Writes the file of rejects, even if nothing is rejected: a file of an earlier run would mislead. */
export class RejectsFile {
  readonly #file: { write(text: string): void };
  readonly #delimiter: string;
  /** Columns of an earlier file of rejects are replaced, not repeated: so many cells are left out. */
  readonly #leftOut: number;
  #gathered: string;

  /** Uses the delimiter of the file that the rows are from, so that it can be read with the same flags once it is fixed. */
  constructor(file: { write(text: string): void }, { headers, hasHeader }: Columns, dialect: Dialect) {
    this.#file = file;
    this.#delimiter = dialect.delimiter;
    this.#leftOut = isRejectsHeader(headers) ? OWN_COLUMNS.length : 0;
    const named = (hasHeader ? headers : ['phone_number']).slice(this.#leftOut);
    this.#gathered = aboveHeader(dialect) + csvLine([...distinctFrom(named), ...named], this.#delimiter);
  }

  add({ cells, problems }: RejectedRow): void {
    this.#gathered += csvLine([...ownCells(problems), ...cells.slice(this.#leftOut)], this.#delimiter);
    if (this.#gathered.length >= GATHERED) this.end();
  }

  /** Writes what is still gathered. */
  end(): void {
    this.#file.write(this.#gathered);
    this.#gathered = '';
  }
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

/** What comes before the header, so that the same flags read the new file, which is UTF-8, and that of the dialect. */
function aboveHeader({ encoding, isMarked, delimiter, linesAbove }: Dialect): string {
  // A byte order mark counts more than a flag: it is there if the original was not plain UTF-8.
  const mark = isMarked || encoding !== 'utf-8' ? BYTE_ORDER_MARK : '';
  // A delimiter that is not found by itself is named in the file.
  const separator = DELIMITERS.includes(delimiter) ? [] : [`sep=${delimiter}`];
  // The header stays on its line, so that the same number of lines is skipped again.
  const above = [...separator, ...Array<string>(Math.max(0, linesAbove - separator.length)).fill('')];
  return mark + above.map((line) => `${line}\r\n`).join('');
}
