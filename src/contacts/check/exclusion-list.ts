/** Lists of numbers that are never called: a text file with one per line, or a CSV with a column of them. */
import { E164 } from '../../contract.ts';
import { InputError, type Issue, reworded } from '../../errors.ts';
import { counted } from '../../text/numbers.ts';
import { isOldSpelling, phoneKey } from '../../text/phone.ts';
import { isHeaderless, phoneColumns } from '../header/columns.ts';
import { isProblem } from '../numbers/dialled.ts';
import { numberReader } from '../numbers/phone-cell.ts';
import { quoted } from '../problems.ts';
import { withHeaderLine } from '../read/first-rows.ts';
import { openTable } from '../read/open-table.ts';
import { MAX_KEPT } from '../report/report.ts';
import type { ContactRules } from '../rules.ts';

/** The first number of slots; it is always a power of two. */
const FIRST_SLOTS = 1 << 10;

export interface ExclusionList {
  file: string;
  /** The numbers, and the line on which each stands. */
  numbers: NumberLines;
}

/** Reads every phone column of the file. Throws InputError if an entry is not understood, because it would be called. */
export async function readExclusions(
  bytes: AsyncIterable<Buffer>,
  file: string,
  { country, encoding }: Pick<ContactRules, 'country' | 'encoding'>,
): Promise<ExclusionList> {
  const read = numberReader(country);
  const numbers = new NumberLines();
  const issues: Issue[] = [];
  let notUnderstood = 0;
  const report = (line: number, message: string) => {
    notUnderstood++;
    if (issues.length < MAX_KEPT) issues.push({ field: `line ${line}`, message });
  };
  let header: { width: number; columns: readonly number[] } | undefined;
  const isUnderstood = (names: string[]) => phoneColumns(names).length > 0;
  const table = await openTable(bytes, file, { encoding, isUnderstood }).catch(withoutChoice);
  const take = (cells: string[], line: number): void => {
    if (header === undefined) {
      header = { width: cells.length, columns: columnsOf(cells, file) };
      if (!isHeaderless(cells)) return;
    }
    const { width, columns } = header;
    if (cells.length !== width) {
      report(line, `${cells.length} cells, where the first line has ${width}`);
      return;
    }
    for (const [at, cell] of cells.entries()) {
      const text = cell.trim();
      if (text === '') continue;
      if (!columns.includes(at)) {
        if (E164.test(text)) report(line, `${text} stands in a column that is not known to hold phone numbers`);
        continue;
      }
      const reading = read(cell);
      if (isProblem(reading)) report(line, `${reading.message}. ${reading.fix}`);
      // The spelling was changed and the result is not assigned, so it would match no contact.
      else if (!reading.isAssigned && reading.number !== text && !isOldSpelling(reading.number))
        report(line, `${quoted(text)} is not an assigned number`);
      else numbers.add(reading.number, line);
    }
  };
  try {
    for await (const rows of table.rows()) for (const { cells, line } of rows) take(cells, line);
  } catch (error) {
    throw header === undefined ? withHeaderLine(error, table, () => WITHOUT_TITLE) : error;
  }
  if (notUnderstood > 0) {
    const entries = counted(notUnderstood, 'entry is', 'entries are');
    throw new InputError(`${file}: ${entries} not understood, and would be called.`, { issues });
  }
  if (numbers.size > 0) return { file, numbers };
  throw new InputError(`${file} holds no number.`, { code: 'empty_file', hint: 'Leave it out if there is none.' });
}

/** The sheet that is named is that of the contacts. */
function withoutChoice(error: unknown): never {
  if (!(error instanceof InputError && error.reason?.kind === 'several_sheets')) throw error;
  throw reworded(error, { reason: undefined, hint: 'Keep the list in a workbook of one sheet, or as a text file.' });
}

const WITHOUT_TITLE = { hint: 'Remove the lines above it.' };

function columnsOf(first: readonly string[], file: string): readonly number[] {
  if (isHeaderless(first)) return [0];
  const columns = phoneColumns(first);
  if (columns.length > 0) return columns;
  throw new InputError(`${file} has no column that is known to hold phone numbers.`, {
    code: 'no_phone_column',
    hint: 'Name the column phone_number, or give a file of one number a line.',
  });
}

/**
 * The line on which each phone was first seen, under any spelling of its number. A million phones take 24 MB, and a tenth of
 * the time of a Map.
 */
export class NumberLines {
  /** The digits of the numbers as integers: at most 15, which a double holds exactly. 0 is an empty slot. */
  #numbers = new Float64Array(FIRST_SLOTS);
  #lines = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The line on which the phone was first seen; undefined if it was not. `e164` is an E.164 number. */
  lineOf(e164: string): number | undefined {
    const slot = this.#slotOf(toInteger(phoneKey(e164)));
    return this.#numbers[slot] === 0 ? undefined : this.#lines[slot];
  }

  /** Adds a new phone, or returns the line on which it was first seen. */
  add(e164: string, line: number): number | undefined {
    const number = toInteger(phoneKey(e164));
    const slot = this.#slotOf(number);
    if (this.#numbers[slot] !== 0) return this.#lines[slot];
    this.#numbers[slot] = number;
    this.#lines[slot] = line;
    this.#size++;
    if (this.#size * 2 > this.#numbers.length) this.#grow();
    return undefined;
  }

  /** The slot that holds the number, or the empty one where it belongs. */
  #slotOf(number: number): number {
    const numbers = this.#numbers;
    const mask = numbers.length - 1;
    let slot = hash(number) & mask;
    while (numbers[slot] !== 0 && numbers[slot] !== number) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const numbers = this.#numbers;
    const lines = this.#lines;
    this.#numbers = new Float64Array(numbers.length * 2);
    this.#lines = new Uint32Array(numbers.length * 2);
    for (let old = 0; old < numbers.length; old++) {
      const number = numbers[old] as number;
      if (number === 0) continue;
      const slot = this.#slotOf(number);
      this.#numbers[slot] = number;
      this.#lines[slot] = lines[old] as number;
    }
  }
}

const ZERO = 48;

function toInteger(e164: string): number {
  let number = 0;
  for (let at = 1; at < e164.length; at++) number = number * 10 + e164.charCodeAt(at) - ZERO;
  return number;
}

function hash(number: number): number {
  const high = (number / 2 ** 32) >>> 0;
  const mixed = Math.imul((number >>> 0) ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  const twice = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}
