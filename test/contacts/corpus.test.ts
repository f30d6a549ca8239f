/**
 * Contacts as operators have them: each file of `corpus` is checked by the built program, and the report is compared, whole,
 * with what was thought out by hand, in a file of the same name in `corpus-expected`. What that leaves out is what a plain
 * file has: UTF-8, commas, a header, nothing wrong.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RowProblem } from '../../src/contacts/problems.ts';
import type { ContactsReport } from '../../src/contacts/report/report.ts';
import type { Contact } from '../../src/contract.ts';
import { pattern } from '../support/cases.ts';
import { Operator, temporaryFolder } from '../support/program.ts';

/** `line 3 Phone not_e164 "415"`: where, in which column, what, and the cell; then what the sentences must say. */
type Told = string | [placed: string, says: string];

interface Expected {
  /** `rows 5, accepted 3, rejected 2`; what is 0 is not named. */
  counts: string;
  encoding?: string;
  delimiter?: string;
  hasHeader?: false;
  emptyRows?: number;
  /** The phone column alone, or the columns of all fields that have one. */
  columns?: string | Partial<Record<keyof Contact, string>>;
  problems?: Told[];
  warnings?: Told[];
  /** `(415) 555-0101 → +14155550101` */
  normalized?: string[];
  /** Sound rows that are not called: `line 3 duplicate`. */
  heldBack?: string[];
  /** `never-call.txt: 3 numbers, 1 held back` */
  excludedBy?: string[];
  /** Where contacts are, if it is asked: `2 US America/Los_Angeles`. */
  zones?: string[] | undefined;
  /** The first three contacts, as numbers where they have nothing else. */
  preview: (string | Contact)[];
  /** What `--rejects` writes, `…` for the reason; and how the operator fixes it: afterwards every row of it is accepted. */
  rejects?: { lines: string[]; fixed?: [from: string, to: string][] };
}

/** The file cannot be read as a table of contacts: the code, and what message and hint say. */
interface FileError {
  error: string;
  says: string;
}

/** `flags` follow the file, as words or with spaces between. */
type Case = { what: string; flags?: string | string[] } & (Expected | FileError);

const FOLDER = join(import.meta.dirname, 'corpus');
const EXPECTED = join(import.meta.dirname, 'corpus-expected');
const operator = new Operator({ env: { VAGENT_LOCAL: '1' }, cwd: FOLDER });
const corpus = readdirSync(EXPECTED).map((name): [file: string, Case[]] => [
  name.replace(/\.json$/, ''),
  JSON.parse(readFileSync(join(EXPECTED, name), 'utf8')),
]);

for (const [file, cases] of corpus) {
  describe.concurrent(file, () => {
    for (const { what, flags = [], ...expected } of cases) {
      const args = [file, ...wordsOf(flags)];
      test(`${what}: ${args.join(' ')}`, async () => {
        if ('error' in expected) await expectFileError(args, expected);
        else await expectReport(args, expected);
      });
    }
  });
}

describe.concurrent('what is too large for a folder of files', () => {
  /** Many times what is read at once, and more than the megabyte from which a line counts as long. */
  test('a cell of 2 MB is told, and not repeated', async () => {
    const file = temporary(`Phone,Name\n+14155550101,${'x'.repeat(2 << 20)}\n+14155550102,Bob\n`);
    const { report } = await check([file]);
    expect(counts(report)).toBe('rows 2, accepted 1, rejected 1');
    expect(report.problems).toMatchObject([{ line: 2, column: 'Name', code: 'too_long', value: 'x'.repeat(100) }]);
  });

  test('of 1,500 problems 1,000 are kept and all are counted', async () => {
    const { report } = await check([temporary(`Phone\n${'x\n'.repeat(1500)}`)]);
    expect(counts(report)).toBe('rows 1500, rejected 1500');
    expect(report.problem_counts).toEqual({ not_e164: 1500 });
    expect(report.problems.map(({ line }) => line)).toEqual(Array.from({ length: 1000 }, (_none, at) => at + 2));
  });
});

test('every file of the folder is checked or is a list that is', () => {
  const lists = corpus.flatMap(([, cases]) =>
    cases.flatMap(({ flags = [] }) => wordsOf(flags).filter((_word, at, words) => words[at - 1] === '--exclude')),
  );
  const files = readdirSync(FOLDER).filter((name) => name !== '.gitattributes');
  expect(files.length).toBeGreaterThanOrEqual(100);
  expect(files.sort()).toEqual([...new Set([...corpus.map(([file]) => file), ...lists])].sort());
});

test('git leaves the bytes of the folder alone', () => {
  expect(readFileSync(join(FOLDER, '.gitattributes'), 'utf8')).toBe('* -text\n');
});

// Running -------------------------------------------------------------------------------------------------------------

function wordsOf(flags: string | readonly string[]): readonly string[] {
  return typeof flags === 'string' ? flags.split(' ') : flags;
}

function temporary(content: string): string {
  const file = join(temporaryFolder(), 'contacts.csv');
  writeFileSync(file, content);
  return file;
}

/** Checks a file, and holds the report to what is true of every report. */
async function check(args: readonly string[]): Promise<{ report: ContactsReport; code: number | null }> {
  const { code, stdout, stderr } = await operator.run(['contacts', 'check', ...args, '--json']);
  if (stdout === '') throw new Error(`vagent contacts check ${args.join(' ')} exited with ${code}: ${stderr}`);
  const report = JSON.parse(stdout) as ContactsReport;
  const { rows, accepted, rejected, duplicates, excluded, problems, warnings } = report;
  expect(accepted + rejected + duplicates + excluded).toBe(rows);
  const isRejecting = !args.some((word, at) => word === '--duplicates' && args[at + 1] !== 'reject');
  const unusable = rejected + (isRejecting ? duplicates : 0);
  expect(code).toBe(unusable > 0 && !args.includes('--skip-invalid') ? 3 : 0);
  for (const { message, fix } of [...problems, ...warnings]) {
    expect(message).toMatch(/\S/);
    expect(fix).toMatch(/\S/);
  }
  return { report, code };
}

async function expectFileError(args: readonly string[], { error: code, says }: FileError): Promise<void> {
  const outcome = await operator.run(['contacts', 'check', ...args, '--json']);
  expect(outcome).toMatchObject({ code: 3, stdout: '' });
  const { error } = JSON.parse(outcome.stderr);
  expect(error).toMatchObject({ code, exit_code: 3 });
  const issues = (error.issues as { field: string; message: string }[]).map(
    ({ field, message }) => `${field}: ${message}`,
  );
  expect([error.message, error.hint, ...issues].join(' ')).toMatch(pattern(says));
}

async function expectReport(args: readonly string[], expected: Expected): Promise<void> {
  const rejects = join(temporaryFolder(), 'rejects.csv');
  const { report } = await check(expected.rejects === undefined ? args : [...args, '--rejects', rejects]);
  expect(shown(report)).toEqual(shownOf(expected));
  expectSentences(report.problems, expected.problems);
  expectSentences(report.warnings, expected.warnings);
  expect(report.problem_counts).toEqual(tally(report.problems));
  expect(report.warning_counts).toEqual(tally(report.warnings));
  expect(report.normalized).toBe(report.normalizations.length);
  expect(existsSync(rejects)).toBe(expected.rejects !== undefined);
  if (expected.rejects !== undefined) await expectRejects(rejects, args, report, expected.rejects);
}

async function expectRejects(
  file: string,
  args: readonly string[],
  report: ContactsReport,
  { lines, fixed }: NonNullable<Expected['rejects']>,
): Promise<void> {
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(linesLike(lines));
  if (fixed === undefined) return;
  writeFileSync(
    file,
    fixed.reduce((now, [from, to]) => now.replace(from, to), text),
  );
  const again = await check([file, ...args.slice(1)]);
  const left = report.rejected + report.duplicates;
  expect(again).toMatchObject({ code: 0, report: { rows: left, accepted: left } });
}

/** Lines of a file, with any text for `…`. */
function linesLike(lines: readonly string[]): RegExp {
  const escaped = lines.map((line) => `${line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace('…', '[^\\r\\n]+')}\r\n`);
  return new RegExp(`^${escaped.join('')}$`);
}

// Comparing -----------------------------------------------------------------------------------------------------------

/** A report as an expectation is written. */
function shown(report: ContactsReport): Required<Omit<Expected, 'rejects' | 'hasHeader'>> & { hasHeader: boolean } {
  return {
    counts: counts(report),
    encoding: report.encoding,
    delimiter: report.delimiter,
    hasHeader: report.has_header,
    emptyRows: report.empty_rows,
    columns: report.columns,
    problems: report.problems.map(placed),
    warnings: report.warnings.map(placed),
    normalized: report.normalizations.map(({ value, phone_number }) => `${value} → ${phone_number}`),
    heldBack: report.held_back.map(({ line, code }) => `line ${line} ${code}`),
    excludedBy: report.excluded_by.map((list) => `${list.file}: ${list.numbers} numbers, ${list.excluded} held back`),
    zones: report.zones?.map(({ zones, country, contacts }) =>
      `${contacts} ${country ?? '--'} ${zones.join(', ')}`.trim(),
    ),
    preview: report.preview,
  };
}

/** An expectation in full: what it does not name is what a plain file has. */
function shownOf({ rejects: _rejects, ...expected }: Expected): ReturnType<typeof shown> {
  const { columns = 'phone_number', problems = [], warnings = [] } = expected;
  return {
    encoding: 'utf-8',
    delimiter: ',',
    hasHeader: true,
    emptyRows: 0,
    normalized: [],
    heldBack: [],
    excludedBy: [],
    zones: undefined,
    ...expected,
    columns: typeof columns === 'string' ? { phone_number: columns } : columns,
    problems: problems.map(placeOf),
    warnings: warnings.map(placeOf),
    preview: expected.preview.map(
      (contact): Contact => (typeof contact === 'string' ? { phone_number: contact } : contact),
    ),
  };
}

function counts({ rows, accepted, rejected, duplicates, excluded }: ContactsReport): string {
  const told = Object.entries({ accepted, rejected, duplicates, excluded }).filter(([, count]) => count > 0);
  return [`rows ${rows}`, ...told.map(([name, count]) => `${name} ${count}`)].join(', ');
}

/** Characters of a cell that an expectation writes out. */
const SHOWN_OF_A_CELL = 40;

function placed({ line, column, code, value }: RowProblem): string {
  const cell = value.length > SHOWN_OF_A_CELL ? `${value.slice(0, SHOWN_OF_A_CELL)}…` : value;
  return `line ${line} ${column} ${code} ${JSON.stringify(cell)}`;
}

function placeOf(told: Told): string {
  return typeof told === 'string' ? told : told[0];
}

function expectSentences(found: readonly RowProblem[], expected: readonly Told[] = []): void {
  for (const [at, told] of expected.entries()) {
    if (typeof told !== 'string') expect(`${found[at]?.message}. ${found[at]?.fix}`).toMatch(pattern(told[1]));
  }
}

function tally(found: readonly RowProblem[]): Record<string, number> {
  const tallied: Record<string, number> = {};
  for (const { code } of found) tallied[code] = (tallied[code] ?? 0) + 1;
  return tallied;
}
