/** The columns that a file of rejects begins with: how it is known again when it comes back mended. */

/** Before the cells, so that a row with a cell too many stays in its columns. */
export const OWN_COLUMNS = ['line', 'column', 'code', 'reason'] as const;
const CODE_AT = OWN_COLUMNS.indexOf('code');
const REASON_AT = OWN_COLUMNS.indexOf('reason');

/** They have a prefix where the file had columns of such names itself. */
export function isRejectsHeader(headers: readonly string[]): boolean {
  const prefix = /^((?:reject_)*)line$/.exec(headers[0] ?? '')?.[1];
  return prefix !== undefined && OWN_COLUMNS.every((name, at) => headers[at] === prefix + name);
}

/** Whether a row was rejected as a duplicate, and nobody has changed its number since: it would call somebody twice. */
export function wasDuplicate(cells: readonly string[], number: string): boolean {
  return cells[CODE_AT] === 'duplicate' && (cells[REASON_AT] ?? '').startsWith(number);
}
