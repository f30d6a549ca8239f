/** Lists of numbers that are never to be called: a text file of one a line, or a CSV with a column of them. */
import { InputError, type Issue } from '../errors.ts';
import { findColumns, looksLikeNumber, phoneColumns } from './columns.ts';
import { NumberLines } from './number-lines.ts';
import { isFault, numberReader } from './numbers.ts';
import { MAX_KEPT } from './report.ts';
import { openTable } from './table.ts';

export interface ExclusionList {
  file: string;
  /** The numbers, and the line on which each stands. */
  numbers: NumberLines;
}

/**
 * Every phone column of the file counts. Throws InputError where an entry is not understood: it would be called.
 * `country` is the ISO code of numbers in national form.
 */
export async function readExclusions(
  bytes: AsyncIterable<Buffer>,
  file: string,
  country: string | undefined,
): Promise<ExclusionList> {
  const read = numberReader(country);
  const numbers = new NumberLines();
  const issues: Issue[] = [];
  let faulty = 0;
  let columns: readonly number[] | undefined;
  const table = await openTable(bytes, file, { isUnderstood: (header) => phoneColumns(header).length > 0 });
  await table.eachRow((cells, line) => {
    if (columns === undefined) {
      columns = columnsOf(cells, file);
      if (!isHeaderless(cells)) return;
    }
    for (const at of columns) {
      const cell = cells[at] ?? '';
      if (cell.trim() === '') continue;
      const reading = read(cell);
      if (!isFault(reading)) {
        numbers.add(reading.number, line);
        continue;
      }
      faulty++;
      if (issues.length < MAX_KEPT)
        issues.push({ field: `line ${line}`, message: `${reading.message}. ${reading.fix}` });
    }
  });
  if (faulty === 0) return { file, numbers };
  throw new InputError(
    `${file}: ${faulty} ${faulty === 1 ? 'entry is' : 'entries are'} no number, and would not be held back.`,
    { issues },
  );
}

function isHeaderless(first: readonly string[]): boolean {
  return first.length === 1 && looksLikeNumber(first[0]?.trim() ?? '');
}

function columnsOf(first: readonly string[], file: string): readonly number[] {
  if (isHeaderless(first)) return [0];
  const columns = phoneColumns(first);
  // Several are as good as one here; none is an error, told as for contacts.
  if (columns.length === 0) findColumns(first, {}, file);
  return columns;
}
