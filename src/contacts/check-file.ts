/**
 * A contacts file from its bytes to the report:
 *
 *   bytes → table → header → rows → contacts, or rejected rows → without those who opted out, or were sent before → report
 */
import { createHash, type Hash } from 'node:crypto';
import { type CheckedContacts, type Contact, checkContacts } from '../contract.ts';
import { badRequest, InputError } from '../errors.ts';
import type { FileForm } from '../text/kept-rows.ts';
import { type ExclusionList, readExclusions } from './check/exclusion-list.ts';
import { RowChecker } from './check/row-checker.ts';
import { isUnderstood, readHeader } from './header/header.ts';
import { numberReader } from './numbers/phone-cell.ts';
import { openTable } from './read/open-table.ts';
import { RejectsFile } from './report/rejects.ts';
import { type ContactsReport, type LeftOut, ReportWriter, withLeftOut } from './report/report.ts';
import type { ContactRules, Source } from './rules.ts';
import type { Whereabouts } from './zones/zones.ts';

export interface CheckOptions extends ContactRules {
  /** Whether rows that cannot be used are left out, instead of preventing a campaign. */
  skipsInvalid: boolean;
  /** The path of the file of rejects. */
  rejects?: string | undefined;
  /** Whether to return the contacts too; the report alone takes little memory. */
  keepsContacts?: boolean | undefined;
  /** Whether to return the SHA-256 of the file, by which it is recognised later. */
  hashes?: boolean | undefined;
  /** Removes contacts that are not to be called, or were sent before. Called only if every row can be used. */
  leaveOut?: LeaveOut | undefined;
}

export type LeaveOut = (contacts: readonly Contact[]) => Promise<LeftOut>;

/** A file that is being written. */
export interface Sink {
  write(text: string): void;
}

/** Takes the rows that are accepted, as they are in the file, before it is known whether every row can be used. */
export interface AcceptedRows {
  /** Called first. `header` is undefined if the file has none, `form` if it is a workbook, or UTF-8 with commas. */
  begin(header: readonly string[] | undefined, form: FileForm | undefined): void;
  /** `place` is undefined if the rules do not ask where contacts are; it is the same object for the same zones and country. */
  row(cells: readonly string[], contact: Contact, place: Whereabouts | undefined): void;
}

/** What a check needs from its caller. */
export interface Surroundings {
  /** Creates the file of rejects, which appears under its name once `fill` has succeeded. */
  create<T>(path: string, fill: (file: Sink) => Promise<T>): Promise<T>;
  /** Called after each batch with the number of rows so far. */
  progress(rows: number): void;
  accepted?: AcceptedRows | undefined;
}

export interface CheckedFile {
  report: ContactsReport;
  /** Rows that prevent a campaign: rejected ones and rejected duplicates, unless they are left out. */
  unusable: number;
  /** The contacts to call; empty if they were not asked for, or if rows are unusable. */
  contacts: CheckedContacts;
  sha256: string | undefined;
}

/**
 * Checks the whole file and writes the file of rejects. Problems of rows are in the report. Throws InputError, with one of the
 * file codes of the command line's contract, if the file cannot be read as a table of contacts at all.
 */
export async function checkContactsFile(
  source: Source,
  options: CheckOptions,
  around: Surroundings,
): Promise<CheckedFile> {
  if (options.rejects === undefined) return check(source, options, around);
  return around.create(options.rejects, (file) => check(source, options, around, file));
}

async function check(
  { name, bytes }: Source,
  options: CheckOptions,
  { progress, accepted }: Surroundings,
  rejectsFile?: Sink,
): Promise<CheckedFile> {
  const lists: ExclusionList[] = [];
  for (const list of options.exclude) lists.push(await readExclusions(list.bytes, list.name, options));
  const reader = numberReader(options.country);
  const sha256 = options.hashes ? createHash('sha256') : undefined;

  const table = await openTable(hashed(bytes, sha256), name, {
    ...options,
    isUnderstood: (header) => isUnderstood(header, options.mapping),
  });
  const headed = await readHeader(table, options, name);
  const report = new ReportWriter(table, headed, options.templates, lists);
  const rejects = rejectsFile && new RejectsFile(rejectsFile, headed.columns, table);
  const { zones } = options;
  const places = zones && (await import('./zones/row-places.ts')).placeFinder(zones, headed, name);
  const { delimiter } = table;
  const rows = new RowChecker({ headed, duplicates: options.duplicates, lists, reader, delimiter, report, places });

  const { encoding } = table;
  const isPlain = table.sheet !== undefined || (encoding === 'utf-8' && delimiter === ',');
  accepted?.begin(headed.header, isPlain ? undefined : { delimiter, encoding });
  const contacts: Contact[] = [];
  for await (const batch of headed.rows) {
    for (const row of batch) {
      const outcome = rows.check(row);
      if (outcome === undefined) continue;
      if ('problems' in outcome) {
        rejects?.add(outcome);
        continue;
      }
      accepted?.row(row.cells, outcome.contact, outcome.place);
      if (options.keepsContacts) contacts.push(outcome.contact);
    }
    progress(report.addRows(batch.length));
    // Frees the rows before the next ones are read, because the stream still holds the batch.
    batch.length = 0;
  }
  rejects?.end();

  const found = report.finish(table.emptyRows(), zones !== undefined);
  if (found.rows === 0) throw new InputError(`${name} has a header and no contacts.`, { code: 'empty_file' });
  const duplicates = options.duplicates === 'reject' ? found.duplicates : 0;
  const unusable = options.skipsInvalid ? 0 : found.rejected + duplicates;
  const rest = unusable > 0 ? undefined : await options.leaveOut?.(contacts);
  return {
    report: rest === undefined ? found : withLeftOut(found, rest),
    unusable,
    contacts: checked(unusable > 0 ? [] : (rest?.contacts ?? contacts)),
    sha256: sha256?.digest('hex'),
  };
}

async function* hashed(chunks: AsyncIterable<Buffer>, sha256: Hash | undefined): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    sha256?.update(chunk);
    yield chunk;
  }
}

/** Checks the contacts against the contract, once: they are not checked again on the way to the service. */
function checked(contacts: readonly Contact[]): CheckedContacts {
  const list = checkContacts(contacts);
  if (!list.ok) throw badRequest(list.issues);
  return list.value;
}
