/** What a check of contacts found: the counts of everything, and the first of each kind in full. */
import type { Contact } from '../contract.ts';
import type { Columns, Field } from './columns.ts';
import type { Encoding } from './decode.ts';
import type { Problem, Warning } from './problems.ts';
import type { Form } from './table.ts';

/** How many of each kind are kept in full; the counts know no limit. */
export const MAX_KEPT = 1000;
const PREVIEWED = 3;

/** A number that is sent otherwise than it stands in the file. */
export interface Normalization {
  line: number;
  column: string;
  value: string;
  phone_number: string;
}

/** A sound row that is not called, because the operator said so. */
export interface HeldBack {
  line: number;
  column: string;
  code: 'duplicate' | 'excluded';
  value: string;
  message: string;
}

/** One list of `--exclude`: the numbers in it, and the rows it held back. */
export interface ExclusionCount {
  file: string;
  numbers: number;
  excluded: number;
}

/** `contacts check --json`; always accepted + rejected + duplicates + excluded = rows. */
export interface Report {
  rows: number;
  accepted: number;
  rejected: number;
  duplicates: number;
  excluded: number;
  normalized: number;
  encoding: Encoding;
  delimiter: string;
  has_header: boolean;
  /** Rows without any text, which are no rows of data. */
  empty_rows: number;
  /** The header of the column of each field that comes from one. */
  columns: Partial<Record<Field, string>>;
  /** The template of each field that comes from one. */
  templates: Partial<Record<Field, string>>;
  /** The columns that a template takes the place of. */
  overridden: string[];
  problem_counts: Record<string, number>;
  problems: Problem[];
  warning_counts: Record<string, number>;
  warnings: Warning[];
  normalizations: Normalization[];
  held_back: HeldBack[];
  excluded_by: ExclusionCount[];
  /** The first contacts as they would be sent. */
  preview: Contact[];
}

export class ReportWriter {
  readonly report: Report;

  constructor({ encoding, delimiter }: Form, { hasHeader, headers, at }: Columns, templates: Report['templates']) {
    const columns = Object.entries(at).flatMap(([field, index]) =>
      Object.hasOwn(templates, field) ? [] : [[field, headers[index] ?? '']],
    );
    this.report = {
      rows: 0,
      accepted: 0,
      rejected: 0,
      duplicates: 0,
      excluded: 0,
      normalized: 0,
      encoding,
      delimiter,
      has_header: hasHeader,
      empty_rows: 0,
      columns: Object.fromEntries(columns),
      templates,
      overridden: Object.entries(at).flatMap(([field, index]) =>
        Object.hasOwn(templates, field) ? [headers[index] ?? ''] : [],
      ),
      problem_counts: {},
      problems: [],
      warning_counts: {},
      warnings: [],
      normalizations: [],
      held_back: [],
      excluded_by: [],
      preview: [],
    };
  }

  accepted(contact: Contact): void {
    this.report.accepted++;
    if (this.report.preview.length < PREVIEWED) this.report.preview.push(contact);
  }

  problem(problem: Problem): void {
    count(this.report.problem_counts, problem.code);
    keep(this.report.problems, problem);
  }

  warning(warning: Warning): void {
    count(this.report.warning_counts, warning.code);
    keep(this.report.warnings, warning);
  }

  normalized(normalization: Normalization): void {
    this.report.normalized++;
    keep(this.report.normalizations, normalization);
  }

  heldBack(row: HeldBack): void {
    keep(this.report.held_back, row);
  }
}

function count(counts: Record<string, number>, code: string): void {
  counts[code] = (counts[code] ?? 0) + 1;
}

function keep<T>(kept: T[], item: T): void {
  if (kept.length < MAX_KEPT) kept.push(item);
}
