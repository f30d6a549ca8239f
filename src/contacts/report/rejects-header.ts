/** The first columns of a file of rejects, by which it is recognised when it is read again after fixing. */
import { phoneKey } from '../../text/phone.ts';

/** They come before the cells, so that a row with too many cells does not shift them. */
export const OWN_COLUMNS = ['line', 'column', 'code', 'reason'] as const;
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
