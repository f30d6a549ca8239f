/** The rows that cannot be used as a CSV of its own: what is wrong with each, then its cells as they were. */
import { stringify } from 'csv-stringify/sync';
import { BYTE_ORDER_MARK, CSV_FORMAT } from '../csv.ts';
import type { RejectedRow } from './check.ts';
import type { Columns } from './columns.ts';
import { isRejectsHeader, OWN_COLUMNS } from './rejects-header.ts';
import { DELIMITERS, type Form } from './table.ts';

export interface RejectsWriter {
  header(): string;
  rows(rejected: readonly RejectedRow[]): string;
}

/** In the delimiter of the file that the rows are from: once mended, it is read with the same flags. */
export function rejectsWriter({ headers, hasHeader }: Columns, { encoding, isMarked, delimiter }: Form): RejectsWriter {
  // The columns of an earlier rejects file are not piled up.
  const own = isRejectsHeader(headers) ? OWN_COLUMNS.length : 0;
  const named = (hasHeader ? headers : ['phone_number']).slice(own);
  // The file is UTF-8, though the one that the rows are from was not, or said so too.
  const mark = isMarked || encoding !== 'utf-8' ? BYTE_ORDER_MARK : '';
  // A delimiter that nobody would find is named in the file.
  const separator = DELIMITERS.includes(delimiter) ? '' : `sep=${delimiter}\r\n`;
  const lines = (rows: string[][]) => stringify(rows, { ...CSV_FORMAT, delimiter });
  return {
    header: () => mark + separator + lines([[...distinctFrom(named), ...named]]),
    rows: (rejected) => lines(rejected.map(({ cells, problems }) => [...told(problems), ...cells.slice(own)])),
  };
}

function told(problems: RejectedRow['problems']): string[] {
  const [first] = problems;
  const reasons = problems.map(({ message, fix }) => `${message}. ${fix}`);
  return [String(first?.line ?? ''), first?.column ?? '', first?.code ?? '', reasons.join(' ')];
}

/** Two columns of one name would make the file unreadable. */
function distinctFrom(named: readonly string[]): readonly string[] {
  const taken = new Set(named.map((name) => name.toLowerCase()));
  let names: readonly string[] = OWN_COLUMNS;
  while (names.some((name) => taken.has(name))) names = names.map((name) => `reject_${name}`);
  return names;
}
