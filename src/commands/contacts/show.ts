/** A report on contacts for a person: all of it, or in a few lines what was not as plain as it could be. */

import type { Placed } from '../../contacts/problems.ts';
import type { ExclusionCount, HeldBack, Normalization, Report } from '../../contacts/report.ts';
import { type Io, sourceName } from '../../io.ts';
import { cell } from '../../output.ts';
import type { ContactsFile } from './flags.ts';

/** Rows of each kind that are shown; --json has more. */
const SHOWN = 5;
const DELIMITER_NAMES: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** The whole report, as it is shown on a terminal. */
export function renderReport(report: Report, file: ContactsFile, io: Io): string {
  const bold = (text: string) => (io.colorsStdout ? `\u001b[1m${text}\u001b[22m` : text);
  const sections = [
    [bold(`${sourceName(file.path)}: ${form(report)}`), ...understood(report).map((line) => `  ${line}`)],
    counts(report),
    ...byCode(report.problems, report.problem_counts, bold),
    section('Held back', report.held_back, heldBackLine, heldBack(report), bold),
    section('Changed to E.164', report.normalizations, changeLine, report.normalized, bold),
    ...byCode(report.warnings, report.warning_counts, bold, 'Warning: '),
    report.preview.length === 0
      ? []
      : [bold('As they would be sent'), ...report.preview.map((contact) => `  ${cell(JSON.stringify(contact))}`)],
  ];
  const shown = sections.filter((lines) => lines.length > 0);
  return shown.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
}

/** For a command that goes on: what was understood, changed, left out or doubtful, and nothing where all was plain. */
export function noteReport(report: Report, { path }: ContactsFile, io: Io): void {
  const { rows, accepted, rejected, duplicates, excluded, normalized, warnings, warning_counts } = report;
  const source = sourceName(path);
  if (!isPlain(report)) io.note([`${source}: ${form(report)}`, ...understood(report)].join('; '));
  if (accepted < rows) {
    io.note(
      `${source}: ${accepted} of ${rows} rows accepted; ${rejected} rejected, ${duplicates} duplicates, ${excluded} excluded.`,
    );
  }
  for (const { file, numbers, excluded: held } of report.excluded_by)
    io.note(exclusionLine({ file, numbers, excluded: held }));
  if (normalized > 0) {
    const [first] = report.normalizations;
    io.note(
      `${source}: ${normalized} numbers changed to E.164, such as ${cell(first?.value)} → ${first?.phone_number}`,
    );
  }
  for (const { line, message } of warnings.slice(0, SHOWN)) io.warn(`${source}, line ${line}: ${cell(message)}`);
  const unseen = total(warning_counts) - SHOWN;
  if (unseen > 0) io.warn(`and ${unseen} more (vagent contacts check shows them).`);
}

function isPlain({ encoding, delimiter, has_header, columns, templates, empty_rows }: Report): boolean {
  const named = Object.entries(columns).every(([field, header]) => field === header.toLowerCase());
  return (
    named &&
    has_header &&
    encoding === 'utf-8' &&
    delimiter === ',' &&
    empty_rows === 0 &&
    Object.keys(templates).length === 0
  );
}

function form({ encoding, delimiter, has_header, empty_rows }: Report): string {
  const between = DELIMITER_NAMES[delimiter] ?? cell(delimiter);
  const header = has_header ? '' : ', no header';
  const rows = empty_rows === 1 ? 'row' : 'rows';
  const empty = empty_rows === 0 ? '' : `, ${empty_rows} empty ${rows} passed over`;
  return `${encoding}, cells between ${between}${header}${empty}`;
}

function understood({ columns, templates, overridden }: Report): string[] {
  const fromColumns = Object.entries(columns).map(([field, header]) => `${field} from ${cell(header)}`);
  const fromTemplates = Object.entries(templates).map(([field, text]) => `${field} from ${cell(JSON.stringify(text))}`);
  const instead = overridden.map((header) => `not from the column ${cell(header)}`);
  return [...fromColumns, ...fromTemplates, ...instead];
}

function counts(report: Report): string[] {
  const { rows, accepted, rejected, duplicates, excluded, normalized } = report;
  const told = Object.entries({ rows, accepted, rejected, duplicates, excluded, normalized });
  const width = String(rows).length;
  const lines = told.map(([name, value]) => `${name.padEnd(10)}  ${String(value).padStart(width)}`);
  return [...lines, ...report.excluded_by.map((list) => `  ${exclusionLine(list)}`)];
}

/** Duplicates are problems where they are not to be skipped. */
function heldBack({ duplicates, excluded, problem_counts }: Report): number {
  return excluded + duplicates - (problem_counts.duplicate ?? 0);
}

function exclusionLine({ file, numbers, excluded }: ExclusionCount): string {
  const [ofNumbers, ofRows] = [numbers === 1 ? 'number' : 'numbers', excluded === 1 ? 'row' : 'rows'];
  return `${cell(file)}: ${numbers} ${ofNumbers}, ${excluded} ${ofRows} held back`;
}

/** A section for each code, its rows with what to do about them. */
function byCode(
  placed: readonly Placed<string>[],
  countsByCode: Record<string, number>,
  bold: (text: string) => string,
  prefix = '',
): string[][] {
  return Object.entries(countsByCode).map(([code, count]) =>
    section(
      `${prefix}${code}`,
      placed.filter((found) => found.code === code),
      placedLine,
      count,
      bold,
    ),
  );
}

function section<T>(
  title: string,
  items: readonly T[],
  line: (item: T) => string,
  count: number,
  bold: (text: string) => string,
): string[] {
  if (count === 0) return [];
  const shown = items.slice(0, SHOWN);
  const unseen = count - shown.length;
  const more = unseen > 0 ? [`  … and ${unseen} more (--json shows more)`] : [];
  return [bold(`${title} (${count})`), ...shown.map((item) => `  ${line(item)}`), ...more];
}

function placedLine({ line, column, message, fix }: Placed<string>): string {
  const where = column === '' ? `line ${line}` : `line ${line}, ${cell(column)}`;
  return `${where}: ${cell(message)}\n    → ${cell(fix)}`;
}

function heldBackLine({ line, message }: HeldBack): string {
  return `line ${line}: ${cell(message)}`;
}

function changeLine({ line, value, phone_number }: Normalization): string {
  return `line ${line}: ${cell(value)} → ${phone_number}`;
}

function total(byCodes: Record<string, number>): number {
  return Object.values(byCodes).reduce((sum, count) => sum + count, 0);
}
