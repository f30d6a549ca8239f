/** The result of checking contacts: counts of everything, and the first items of each kind in full. */
import type { Contact } from '../../contract.ts';
import type { Columns, Field } from '../header/columns.ts';
import type { Templates } from '../header/template.ts';
import type { CellValue, RowProblem } from '../problems.ts';
import type { Dialect } from '../read/table.ts';
import type { Encoding } from '../rules.ts';
import type { Whereabouts } from '../zones/zones.ts';

/** Items of each kind that are kept in full; the counts have no limit. */
export const MAX_KEPT = 1000;
const PREVIEWED = 3;

/** A number that is sent in another spelling than in the file. */
export interface Normalization extends CellValue {
  phone_number: string;
}

/** A valid row that is left out because the operator asked for it. */
export interface HeldBack extends CellValue {
  code: 'duplicate' | 'excluded';
  message: string;
}

/** One list of exclusions: the numbers in it, and the rows that it excludes. */
export interface ExclusionCount {
  file: string;
  numbers: number;
  excluded: number;
}

/** How many contacts may be in these zones, and have numbers of this country. No zone: nobody can say where they are. */
export interface PlaceCount extends Whereabouts {
  contacts: number;
}

/** `contacts check --json`; always accepted + rejected + duplicates + excluded = rows. */
export interface ContactsReport {
  rows: number;
  accepted: number;
  rejected: number;
  duplicates: number;
  excluded: number;
  normalized: number;
  encoding: Encoding;
  delimiter: string;
  /** Of a workbook, whose texts are UTF-8 and whose cells have no delimiter. */
  sheet?: string;
  has_header: boolean;
  /** The line of the header, if it is not the first. */
  header_line?: number;
  /** Rows without any text, which are not counted in `rows`. */
  empty_rows: number;
  /** For each field from a column, the header of the column. */
  columns: Partial<Record<Field, string>>;
  /** For each field from a template, the template. */
  templates: Partial<Record<Field, string>>;
  /** Columns that are ignored because a template replaces them. */
  overridden: string[];
  problem_counts: Record<string, number>;
  problems: RowProblem[];
  warning_counts: Record<string, number>;
  warnings: RowProblem[];
  normalizations: Normalization[];
  held_back: HeldBack[];
  excluded_by: ExclusionCount[];
  /** Rows that are excluded because their numbers opted out of calls; absent if that was not asked. */
  do_not_call?: number;
  /** The first contacts as they would be sent. */
  preview: Contact[];
  /** The most frequent first, if it was asked where contacts are. */
  zones?: PlaceCount[];
}

export class ReportWriter {
  readonly #report: ContactsReport;
  readonly #places = new Map<Whereabouts, number>();

  constructor(
    { encoding, delimiter, sheet }: Dialect,
    { columns: { hasHeader, headers, at }, headerLine }: { columns: Columns; headerLine: number },
    templates: Templates,
    exclude: readonly { file: string; numbers: { size: number } }[],
  ) {
    const isOverridden = (field: string) => templates.some((template) => template.field === field);
    const named = Object.entries(at).map(([field, index]) => [field, headers[index] ?? ''] as const);
    this.#report = {
      ...{ rows: 0, accepted: 0, rejected: 0, duplicates: 0, excluded: 0, normalized: 0 },
      ...{ encoding, delimiter, ...(sheet === undefined ? {} : { sheet }), has_header: hasHeader },
      ...(hasHeader && headerLine > 1 ? { header_line: headerLine } : {}),
      empty_rows: 0,
      columns: Object.fromEntries(named.filter(([field]) => !isOverridden(field))),
      templates: Object.fromEntries(templates.map(({ field, text }) => [field, text])),
      overridden: named.flatMap(([field, header]) => (isOverridden(field) ? [header] : [])),
      ...{ problem_counts: {}, problems: [], warning_counts: {}, warnings: [], normalizations: [], held_back: [] },
      excluded_by: exclude.map(({ file, numbers }) => ({ file, numbers: numbers.size, excluded: 0 })),
      preview: [],
    };
  }

  addRows(rows: number): number {
    this.#report.rows += rows;
    return this.#report.rows;
  }

  accepted(contact: Contact, place: Whereabouts | undefined): void {
    this.#report.accepted++;
    if (place !== undefined) this.#places.set(place, (this.#places.get(place) ?? 0) + 1);
    if (this.#report.preview.length < PREVIEWED) this.#report.preview.push(contact);
  }

  /** As rows of one of the counts. */
  rejected(as: 'rejected' | 'duplicates', problems: readonly RowProblem[]): void {
    this.#report[as]++;
    for (const problem of problems) tell(this.#report.problem_counts, this.#report.problems, problem);
  }

  warning(warning: RowProblem): void {
    tell(this.#report.warning_counts, this.#report.warnings, warning);
  }

  /** `by` is the index of the list that excludes the row. */
  heldBack(as: 'duplicates' | 'excluded', row: HeldBack, by = -1): void {
    this.#report[as]++;
    const list = this.#report.excluded_by[by];
    if (list !== undefined) list.excluded++;
    if (this.#report.held_back.length < MAX_KEPT) this.#report.held_back.push(row);
  }

  /** Many rows may be normalized, so `phoneCell` is called only for those that are kept. */
  normalized(phone_number: string, phoneCell: () => CellValue): void {
    this.#report.normalized++;
    const { normalizations } = this.#report;
    if (normalizations.length < MAX_KEPT) normalizations.push({ ...phoneCell(), phone_number });
  }

  /** `asksPlaces`: whether places are part of the report. */
  finish(emptyRows: number, asksPlaces: boolean): ContactsReport {
    const places = [...this.#places].map(([{ zones, country }, contacts]) => ({ zones, country, contacts }));
    places.sort((one, other) => other.contacts - one.contacts);
    return { ...this.#report, empty_rows: emptyRows, ...(asksPlaces ? { zones: places } : {}) };
  }
}

function tell(counts: Record<string, number>, kept: RowProblem[], item: RowProblem): void {
  counts[item.code] = (counts[item.code] ?? 0) + 1;
  if (kept.length < MAX_KEPT) kept.push(item);
}

/** Which contacts are left, without those that are not to be called or were sent before. */
export interface LeftOut {
  contacts: readonly Contact[];
  /** How many contacts each earlier campaign excludes. */
  leftOut: readonly ExclusionCount[];
  /** How many opted out of calls; undefined if that was not asked. */
  doNotCall?: number;
}

/** The report after leaving out contacts that opted out, or were sent before: each earlier campaign counts as a list. */
export function withLeftOut(report: ContactsReport, { contacts, leftOut, doNotCall }: LeftOut): ContactsReport {
  const excluded = report.excluded + report.accepted - contacts.length;
  const out = doNotCall === undefined ? {} : { do_not_call: doNotCall };
  return { ...report, accepted: contacts.length, excluded, excluded_by: [...report.excluded_by, ...leftOut], ...out };
}
