/** A contacts file, checked whole: bytes → contacts, and a report that accounts for every row. */
import type { Contact } from '../contract.ts';
import { InputError } from '../errors.ts';
import { type Columns, FIELDS, type Field, findColumns, type Mapping } from './columns.ts';
import type { Encoding } from './decode.ts';
import type { ExclusionList } from './exclude.ts';
import {
  cellDamage,
  longFirstLine,
  MAX_CELL,
  missingValue,
  swallowedRows,
  unassigned,
  unwrapped,
  withoutPrefix,
  wordsBeyondLimit,
} from './faults.ts';
import { NumberLines } from './number-lines.ts';
import { isFault, type NumberReader, numberReader, type PhoneNumber } from './numbers.ts';
import type { Placed, Problem } from './problems.ts';
import { isRejectsHeader, wasDuplicate } from './rejects-header.ts';
import { type Report, ReportWriter } from './report.ts';
import { type Form, openTable } from './table.ts';
import { bindTemplate, type Rendered, type Template } from './template.ts';

export const DUPLICATE_RULES = ['reject', 'skip', 'keep'] as const;
export type DuplicateRule = (typeof DUPLICATE_RULES)[number];

/** The fields that a template can fill, and the flags that give it. */
export const TEMPLATE_FLAGS = {
  custom_first_line: '--first-line',
  custom_instruction: '--instruction',
  custom_identifiers: '--identifier',
} as const satisfies Partial<Record<Field, string>>;
export type TemplateField = keyof typeof TEMPLATE_FLAGS;

export interface ContactRules {
  mapping: Mapping;
  templates: Readonly<Partial<Record<TemplateField, Template>>>;
  /** ISO code of the country of numbers in national form. */
  country: string | undefined;
  duplicates: DuplicateRule;
  exclude: readonly ExclusionList[];
  /** Undefined: UTF-8, or what the byte order mark says. */
  encoding: Encoding | undefined;
  /** Undefined: found from the text. */
  delimiter: string | undefined;
}

/** A row that cannot be used, with the cells as they were. */
export interface RejectedRow {
  cells: readonly string[];
  problems: readonly Problem[];
}

export interface Listener {
  /** Once, before any row. */
  begin?(columns: Columns, form: Form): void;
  /** A contact that may be called. */
  accept?(contact: Contact): void;
  reject?(row: RejectedRow): void;
  /** Now and then, with the rows so far. */
  progress?(rows: number): void;
}

/**
 * `source` is the file's name, for messages. Throws InputError, with one of the file codes of the command line's contract,
 * where the file cannot be read as a table of contacts at all.
 */
export async function checkContacts(
  bytes: AsyncIterable<Buffer>,
  source: string,
  rules: ContactRules,
  listener: Listener = {},
): Promise<Report> {
  const reader = numberReader(rules.country);
  const table = await openTable(bytes, source, {
    encoding: rules.encoding,
    delimiter: rules.delimiter,
    isUnderstood: (header) => canFindColumns(header, rules.mapping),
  });
  let rows: RowChecker | undefined;
  const { emptyRows } = await table.eachRow((cells, line) => {
    if (rows !== undefined) return rows.take(cells, line);
    const columns = findColumns(cells, rules.mapping, source);
    listener.begin?.(columns, table);
    rows = new RowChecker({ columns, table, rules, reader, source, listener });
    if (!columns.hasHeader) rows.take(cells, line);
  });
  if (rows === undefined || rows.report.rows === 0) {
    throw new InputError(`${source} has a header and no contacts.`, { code: 'empty_file' });
  }
  return rows.finish(emptyRows);
}

function canFindColumns(header: string[], mapping: Mapping): boolean {
  try {
    return findColumns(header, mapping, '').hasHeader;
  } catch (error) {
    // Two columns that could be the phone are columns that were understood.
    return error instanceof InputError && error.code === 'ambiguous_phone_column';
  }
}

const SHOWN_OF_A_LONG_CELL = 100;
/** Rows between two tellings of progress. */
const ROWS_A_LOOK = 1024;

/** Where a number stands. */
type Place = Pick<Placed, 'line' | 'column' | 'value'>;

interface RowCheckerParts {
  columns: Columns;
  table: Form;
  rules: ContactRules;
  reader: NumberReader;
  source: string;
  listener: Listener;
}

class RowChecker {
  readonly report: Report;
  readonly #writer: ReportWriter;
  /** Rows held back by each of the exclusion lists. */
  readonly #excludedBy: number[];
  readonly #headers: readonly string[];
  readonly #phoneAt: number;
  readonly #phoneColumn: string;
  /** The fields that come from a cell, and those that come from a template. */
  readonly #cells: readonly { field: Field; at: number }[];
  readonly #templates: readonly { field: TemplateField; render: (cells: readonly string[]) => Rendered }[];
  readonly #rules: ContactRules;
  readonly #reader: NumberReader;
  readonly #listener: Listener;
  readonly #delimiter: string;
  readonly #isRejects: boolean;
  readonly #seen = new NumberLines();

  constructor({ columns, table, rules, reader, source, listener }: RowCheckerParts) {
    const given = Object.entries(rules.templates) as [TemplateField, Template][];
    const { headers, at } = columns;
    const texts = Object.fromEntries(given.map(([field, { text }]) => [field, text]));
    this.#writer = new ReportWriter(table, columns, texts);
    this.report = this.#writer.report;
    this.#excludedBy = rules.exclude.map(() => 0);
    this.#headers = headers;
    this.#phoneAt = at.phone_number ?? 0;
    this.#phoneColumn = headers[this.#phoneAt] ?? '';
    this.#cells = FIELDS.flatMap((field) => {
      const index = at[field];
      return field === 'phone_number' || index === undefined || Object.hasOwn(texts, field)
        ? []
        : [{ field, at: index }];
    });
    this.#templates = given.map(([field, template]) => ({
      field,
      render: bindTemplate(template, headers, { flag: TEMPLATE_FLAGS[field], source }),
    }));
    this.#rules = rules;
    this.#reader = reader;
    this.#listener = listener;
    this.#delimiter = table.delimiter;
    this.#isRejects = isRejectsHeader(headers);
  }

  take(cells: readonly string[], line: number): void {
    const rows = ++this.report.rows;
    if (rows % ROWS_A_LOOK === 0) this.#listener.progress?.(rows);
    const damage = this.#damageOf(cells, line);
    if (damage !== undefined) {
      this.#reject(cells, [damage]);
      return;
    }

    const cell = cells[this.#phoneAt] ?? '';
    const reading = this.#reader(cell);
    if (isFault(reading)) {
      const { problems } = this.#contact('', cells, line);
      this.#reject(cells, [{ ...this.#place(line, cell), ...reading }, ...problems]);
      return;
    }
    const { number } = reading;
    if (this.#isExcluded(number, line, cell)) return;
    const isKept = this.#rules.duplicates === 'keep';
    if (!isKept && this.#isRejects && wasDuplicate(cells, number)) {
      this.#duplicate(cells, this.#place(line, cell), `${number} was rejected as a duplicate, and is the same still`);
      return;
    }
    // Also a row that is then rejected counts: once mended, it would call the same person again.
    const earlier = isKept ? undefined : this.#seen.add(number, line);
    if (earlier !== undefined) {
      this.#duplicate(cells, this.#place(line, cell), `${number} is on line ${earlier} already`);
      return;
    }
    const { contact, problems } = this.#contact(number, cells, line);
    if (problems.length > 0) {
      this.#reject(cells, problems);
      return;
    }
    this.#warn(contact, reading, cells, line, cell);
    if (number !== cell && number !== cell.trim()) {
      this.#writer.normalized({ ...this.#place(line, cell), phone_number: number });
    }
    this.#writer.accepted(contact);
    this.#listener.accept?.(contact);
  }

  #place(line: number, value: string): Place {
    return { line, column: this.#phoneColumn, value };
  }

  finish(emptyRows: number): Report {
    const excludedBy = this.#rules.exclude.map(({ file, numbers }, at) => ({
      file,
      numbers: numbers.size,
      excluded: this.#excludedBy[at] ?? 0,
    }));
    return { ...this.report, empty_rows: emptyRows, excluded_by: excludedBy };
  }

  /** What makes the row unreadable as a whole. */
  #damageOf(cells: readonly string[], line: number): Problem | undefined {
    const width = this.#headers.length;
    if (cells.length !== width) {
      return {
        line,
        column: this.#headers[cells.length] ?? '',
        value: '',
        code: 'ragged_row',
        message: `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, where the header has ${width}`,
        fix: 'Put a cell that holds the delimiter in quotes, and leave no cell out.',
      };
    }
    for (let at = 0; at < width; at++) {
      const value = cells[at] as string;
      if (value.length <= MAX_CELL && !value.includes('\0')) continue;
      const column = this.#headers[at] ?? '';
      return { line, column, value: value.slice(0, SHOWN_OF_A_LONG_CELL), ...cellDamage(value) };
    }
    return undefined;
  }

  #isExcluded(number: string, line: number, cell: string): boolean {
    for (const [by, { file, numbers }] of this.#rules.exclude.entries()) {
      const listed = numbers.lineOf(number);
      if (listed === undefined) continue;
      this.report.excluded++;
      this.#excludedBy[by] = (this.#excludedBy[by] ?? 0) + 1;
      const message = `${number} is on line ${listed} of ${file}`;
      this.#writer.heldBack({ ...this.#place(line, cell), code: 'excluded', message });
      return true;
    }
    return false;
  }

  #duplicate(cells: readonly string[], place: Place, message: string): void {
    this.report.duplicates++;
    if (this.#rules.duplicates === 'skip') {
      this.#writer.heldBack({ ...place, code: 'duplicate', message });
      return;
    }
    const fix = 'Take one of them out, or say --duplicates skip (or keep, to call twice).';
    const problem: Problem = { ...place, code: 'duplicate', message, fix };
    this.#writer.problem(problem);
    this.#listener.reject?.({ cells, problems: [problem] });
  }

  #reject(cells: readonly string[], problems: readonly Problem[]): void {
    this.report.rejected++;
    for (const problem of problems) this.#writer.problem(problem);
    this.#listener.reject?.({ cells, problems });
  }

  /** The contact as it is sent, and the values that its templates miss. */
  #contact(number: string, cells: readonly string[], line: number): { contact: Contact; problems: Problem[] } {
    const contact: Contact = { phone_number: number };
    for (const { field, at } of this.#cells) {
      const value = cells[at]?.trim() ?? '';
      if (value !== '') contact[field] = value;
    }
    const problems: Problem[] = [];
    for (const { field, render } of this.#templates) {
      const { text, missing } = render(cells);
      if (missing.length === 0 && text.trim() !== '') contact[field] = text;
      for (const column of missing) {
        if (problems.some((problem) => problem.column === column)) continue;
        const value = cells[this.#headers.indexOf(column)] ?? '';
        problems.push({ line, column, value, ...missingValue(TEMPLATE_FLAGS[field], column) });
      }
    }
    return { contact, problems };
  }

  #warn(
    { custom_first_line: firstLine }: Contact,
    { number, isAssigned, wrapping, missingPrefix }: PhoneNumber,
    cells: readonly string[],
    line: number,
    cell: string,
  ): void {
    if (wrapping !== undefined) this.#writer.warning({ ...this.#place(line, cell), ...unwrapped(wrapping, number) });
    if (missingPrefix !== undefined) {
      this.#writer.warning({ ...this.#place(line, cell), ...withoutPrefix(missingPrefix, number) });
    }
    if (!isAssigned) this.#writer.warning({ ...this.#place(line, cell), ...unassigned(number) });
    const words = firstLine === undefined ? 0 : wordsBeyondLimit(firstLine);
    if (words > 0) {
      const column = this.#firstLineColumn;
      this.#writer.warning({ line, column, value: firstLine ?? '', ...longFirstLine(words) });
    }
    for (let at = 0; at < cells.length; at++) {
      const value = cells[at] as string;
      if (!value.includes('\n') || !this.#holdsRows(value)) continue;
      const shown = value.slice(0, SHOWN_OF_A_LONG_CELL);
      this.#writer.warning({ line, column: this.#headers[at] ?? '', value: shown, ...swallowedRows });
    }
  }

  /** Whether a line inside a cell reads as a row of this table: with a number where the numbers stand. */
  #holdsRows(value: string): boolean {
    const [, ...lines] = value.split(/\r\n|\n|\r/);
    return lines.some((text) => {
      const inner = text.split(this.#delimiter);
      return inner.length > 1 && !isFault(this.#reader(inner[this.#phoneAt] ?? ''));
    });
  }

  get #firstLineColumn(): string {
    const at = this.#cells.find(({ field }) => field === 'custom_first_line')?.at;
    return at === undefined ? TEMPLATE_FLAGS.custom_first_line : (this.#headers[at] ?? '');
  }
}
