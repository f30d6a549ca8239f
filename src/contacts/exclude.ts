/** Lists of numbers that are never to be called: a text file of one a line, or a CSV with a column of them. */
import { E164 } from '../contract.ts';
import { InputError, type Issue } from '../errors.ts';
import { isHeaderless, phoneColumns } from './columns.ts';
import { quoted } from './damage.ts';
import type { Encoding } from './decode.ts';
import { NumberLines } from './number-lines.ts';
import { isFault, numberReader } from './numbers.ts';
import { MAX_KEPT } from './report.ts';
import { openTable } from './table.ts';

export interface ExclusionList {
  file: string;
  /** The numbers, and the line on which each stands. */
  numbers: NumberLines;
}

/** How the list is read. */
export interface ExclusionRules {
  /** ISO code of the country of numbers in national form. */
  country: string | undefined;
  encoding: Encoding | undefined;
}

/** Every phone column of the file counts. Throws InputError where an entry is not understood: it would be called. */
export async function readExclusions(
  bytes: AsyncIterable<Buffer>,
  file: string,
  { country, encoding }: ExclusionRules,
): Promise<ExclusionList> {
  const read = numberReader(country);
  const numbers = new NumberLines();
  const issues: Issue[] = [];
  let faulty = 0;
  const fault = (line: number, message: string) => {
    faulty++;
    if (issues.length < MAX_KEPT) issues.push({ field: `line ${line}`, message });
  };
  let header: { width: number; columns: readonly number[] } | undefined;
  const isUnderstood = (names: string[]) => phoneColumns(names).length > 0;
  const table = await openTable(bytes, file, { encoding, isUnderstood });
  await table.eachRow((cells, line) => {
    if (header === undefined) {
      header = { width: cells.length, columns: columnsOf(cells, file) };
      if (!isHeaderless(cells)) return;
    }
    if (cells.length !== header.width) {
      fault(line, `${cells.length} cells, where the first line has ${header.width}`);
      return;
    }
    for (const [at, cell] of cells.entries()) {
      const text = cell.trim();
      if (text === '') continue;
      if (!header.columns.includes(at)) {
        if (E164.test(text)) fault(line, `${text} stands in a column that is not known to hold phone numbers`);
        continue;
      }
      const reading = read(cell);
      if (isFault(reading)) fault(line, `${reading.message}. ${reading.fix}`);
      // Put together otherwise than it stands, and then nobody's number: it would match nobody.
      else if (!reading.isAssigned && reading.number !== text) fault(line, `${quoted(text)} is nobody's number`);
      else numbers.add(reading.number, line);
    }
  });
  if (faulty === 0 && numbers.size === 0) {
    throw new InputError(`${file} holds no number.`, { code: 'empty_file', hint: 'Leave it out if there is none.' });
  }
  if (faulty === 0) return { file, numbers };
  throw new InputError(
    `${file}: ${faulty} ${faulty === 1 ? 'entry is' : 'entries are'} not understood, and would not be held back.`,
    { issues },
  );
}

function columnsOf(first: readonly string[], file: string): readonly number[] {
  if (isHeaderless(first)) return [0];
  const columns = phoneColumns(first);
  if (columns.length > 0) return columns;
  throw new InputError(`${file} has no column that is known to hold phone numbers.`, {
    code: 'no_phone_column',
    hint: 'Name the column phone_number, or give a file of one number a line.',
  });
}
