/** What comes before the header in a file with rows of another file, so that the same flags read both. */
import { BYTE_ORDER_MARK } from '../../text/csv.ts';
import { DELIMITERS } from '../read/delimiter.ts';
import type { Dialect } from '../read/table.ts';

/** The new file is UTF-8. `dialect` is that of the file the rows are from; the delimiter is the same. */
export function aboveHeader({ encoding, isMarked, delimiter, linesAbove }: Dialect): string {
  // A byte order mark counts more than a flag: it is there if the original was not plain UTF-8.
  const mark = isMarked || encoding !== 'utf-8' ? BYTE_ORDER_MARK : '';
  // A delimiter that is not found by itself is named in the file.
  const separator = DELIMITERS.includes(delimiter) ? [] : [`sep=${delimiter}`];
  // The header stays on its line, so that the same number of lines is skipped again.
  const above = [...separator, ...Array<string>(Math.max(0, linesAbove - separator.length)).fill('')];
  return mark + above.map((line) => `${line}\r\n`).join('');
}
