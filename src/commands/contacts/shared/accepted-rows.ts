/** For commands that cut a contacts file: checks the whole of it, and hands over the rows that are accepted, as they are. */
import type { ContactsReport } from '../../../contacts/report/report.ts';
import type { Context } from '../../../context.ts';
import { InputError } from '../../../errors.ts';
import { sourceName } from '../../../terminal/io.ts';
import { csvLine } from '../../../text/csv.ts';
import { readContacts, unusableRows } from '../../shared/contacts-file.ts';
import type { ContactOptions } from '../../shared/contacts-flags.ts';
import { noteReport } from '../../shared/contacts-report.ts';

export interface AcceptedFile {
  report: ContactsReport;
  /** What a file of these rows begins with, so that the same flags read it. */
  header: string;
}

/**
 * `take` gets each accepted row; `line` makes a line of CSV of it. Throws InputError if rows cannot be used and are not left out,
 * or if none is accepted: then what was taken is not to be used.
 */
export async function readAccepted(
  path: string,
  options: ContactOptions,
  take: (line: () => string) => void,
  context: Context,
): Promise<AcceptedFile> {
  const { aboveHeader } = await import('../../../contacts/report/above-header.ts');
  let header = '';
  let toLine = (_cells: readonly string[]): string => '';
  const accepted = {
    begin(names: readonly string[] | undefined, dialect: Parameters<typeof aboveHeader>[0]) {
      toLine = (cells) => csvLine(cells, dialect.delimiter);
      header = aboveHeader(dialect) + (names === undefined ? '' : toLine(names));
    },
    row: (cells: readonly string[]) => take(() => toLine(cells)),
  };
  const checked = await readContacts(path, { ...options, flag: '<file>', accepted }, context);
  const { report, unusable } = checked;
  if (unusable > 0) throw unusableRows(path, checked, 'nothing was written');
  noteReport(report, path, context.io);
  if (report.accepted === 0) {
    throw new InputError(`${sourceName(path)}: none of ${report.rows} rows is left; nothing was written.`);
  }
  return { report, header };
}
