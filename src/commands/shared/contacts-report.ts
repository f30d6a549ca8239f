/** The report on a contacts file for a person: complete, or only what was unusual, in a few lines. */
import { fitLine } from '../../cli/terminal/fit-message.ts';
import { type Io, sourceName } from '../../cli/terminal/io.ts';
import { cell } from '../../cli/terminal/output.ts';
import { labelInWords } from '../../cli/terminal/words.ts';
import type { RowProblem } from '../../contacts/problems.ts';
import type {
  ContactsReport,
  ExclusionCount,
  HeldBack,
  Normalization,
  PlaceCount,
} from '../../contacts/report/report.ts';
import { counted, plural } from '../../text/numbers.ts';

/** Rows shown of each kind; --json has more. */
const SHOWN = 5;
const DELIMITER_NAMES: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

export function renderReport(report: ContactsReport, path: string, io: Io): string {
  // Duplicates that are rejected are problems.
  const heldBack = report.excluded + report.duplicates - (report.problem_counts.duplicate ?? 0);
  const lineOf = ({ line, message }: HeldBack) => `line ${line}: ${cell(message)}`;
  const changeOf = ({ line, value, phone_number }: Normalization) => `line ${line}: ${cell(value)} → ${phone_number}`;
  const preview = report.preview.flatMap(({ phone_number, ...texts }) => [
    `  ${phone_number}`,
    ...Object.entries(texts).map(([field, text]) => `    ${labelInWords(field).replace('custom ', '')}: ${cell(text)}`),
  ]);
  const [form, ...others] = [
    [`${cell(sourceName(path))}: ${formOf(report)}`, ...understood(report).map((line) => `  ${line}`)],
    ...placeSections(report.zones ?? []),
    ...byCode(report.problems, report.problem_counts),
    section('Left out', report.held_back, lineOf, heldBack),
    section('Reformatted', report.normalizations, changeOf, report.normalized),
    ...byCode(report.warnings, report.warning_counts, 'Warning: '),
    preview.length === 0 ? [] : ['As they would be sent', ...preview],
  ].map(([heading = '', ...lines]) =>
    io.colorsStdout && heading ? [`\u001b[1m${heading}\u001b[22m`, ...lines] : [heading, ...lines],
  );
  const room = io.stdoutIsTerminal ? io.columns : Number.POSITIVE_INFINITY;
  return [form ?? [], counts(report), ...others]
    .filter(([heading]) => heading !== '')
    .map((lines) => lines.flatMap((text) => text.split('\n')).flatMap((line) => fitLine(line, room)))
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

/** For commands that use the contacts: notes what was recognised, changed, left out or doubtful; nothing for a plain file. */
export function noteReport(report: ContactsReport, path: string, io: Io): void {
  const { rows, accepted, rejected, duplicates, excluded, normalized, warnings, warning_counts } = report;
  const { do_not_call = 0 } = report;
  const source = sourceName(path);
  if (!isPlain(report)) io.note([`${source}: ${formOf(report)}`, ...understood(report)].join('; '));
  if (accepted < rows) {
    const twice = counted(duplicates, 'duplicate');
    io.note(
      `${source}: ${accepted} of ${counted(rows, 'row')} accepted; ${rejected} rejected, ${twice}, ${excluded} excluded.`,
    );
  }
  for (const list of report.excluded_by) io.note(exclusionLine(list));
  if (do_not_call > 0) io.warn(optedOutLine(do_not_call, rows));
  if (normalized > 0) {
    const [first] = report.normalizations;
    io.note(
      `${source}: ${counted(normalized, 'number')} reformatted, such as ${cell(first?.value)} → ${first?.phone_number}`,
    );
  }
  for (const { line, message } of warnings.slice(0, SHOWN)) io.warn(`${source}, line ${line}: ${cell(message)}`);
  const unseen = Object.values(warning_counts).reduce((sum, count) => sum + count, -SHOWN);
  if (unseen > 0) io.warn(`and ${unseen} more (vagent contacts check shows them).`);
}

function isPlain({ columns, templates, ...report }: ContactsReport): boolean {
  const named = Object.entries(columns).every(([field, header]) => field === header.toLowerCase());
  const isUsual = report.encoding === 'utf-8' && report.delimiter === ',' && report.empty_rows === 0;
  const isHeaderFirst = report.has_header && report.header_line === undefined;
  return named && isUsual && isHeaderFirst && Object.keys(templates).length === 0;
}

function formOf({ encoding, delimiter, sheet, has_header, header_line, empty_rows }: ContactsReport): string {
  const between = DELIMITER_NAMES[delimiter] ?? cell(delimiter);
  const below = header_line === undefined ? '' : `, header on line ${header_line}`;
  const header = has_header ? below : ', no header';
  const rows = plural(empty_rows, 'row');
  const empty = empty_rows === 0 ? '' : `, ${empty_rows} empty ${rows} ignored`;
  const form = sheet === undefined ? `${encoding}, cells between ${between}` : `a workbook, its sheet ${cell(sheet)}`;
  return `${form}${header}${empty}`;
}

function understood({ columns, templates, overridden }: ContactsReport): string[] {
  const fromColumns = Object.entries(columns).map(([field, header]) => `${field} from ${cell(header)}`);
  const fromTemplates = Object.entries(templates).map(([field, text]) => `${field} from ${cell(JSON.stringify(text))}`);
  const instead = overridden.map((header) => `not from the column ${cell(header)}`);
  return [...fromColumns, ...fromTemplates, ...instead];
}

function counts(report: ContactsReport): string[] {
  const { rows, accepted, rejected, duplicates, excluded, normalized, do_not_call = 0 } = report;
  const lines = Object.entries({ rows, accepted, rejected, duplicates, excluded, reformatted: normalized });
  const width = String(rows).length;
  const table = lines.map(([name, value]) => `${name.padEnd(11)}  ${String(value).padStart(width)}`);
  const optedOut = do_not_call === 0 ? [] : [`  ${optedOutLine(do_not_call, rows)}`];
  return [...table, ...report.excluded_by.map((list) => `  ${exclusionLine(list)}`), ...optedOut];
}

export function exclusionLine({ file, numbers, excluded }: ExclusionCount): string {
  const [ofNumbers, ofRows] = [plural(numbers, 'number'), plural(excluded, 'row')];
  return `${cell(file)}: ${numbers} ${ofNumbers}, ${excluded} ${ofRows} excluded`;
}

export function optedOutLine(doNotCall: number, contacts: number): string {
  const [out, are] = doNotCall === 1 ? ['it is', 'has'] : ['they are', 'have'];
  return `${doNotCall} of ${counted(contacts, 'contact')} ${are} opted out of calls: ${out} left out.`;
}

/** A section for each code, its rows with their fixes. */
function byCode(found: readonly RowProblem[], countsByCode: Record<string, number>, prefix = ''): string[][] {
  return Object.entries(countsByCode).map(([code, count]) => {
    const title = `${prefix}${code === 'not_e164' ? 'not international, like +34…' : labelInWords(code)}`;
    return section(
      title,
      found.filter((problem) => problem.code === code),
      problemLine,
      count,
    );
  });
}

/** A heading, and the first of the items; nothing if there are none. */
function section<T>(
  title: string,
  items: readonly T[],
  line: (item: T) => string,
  count: number,
  rest?: string,
): string[] {
  if (count === 0) return [];
  const shown = items.slice(0, SHOWN).map((item) => `  ${line(item)}`);
  const unseen = count - shown.length;
  const more = rest ?? (unseen > 0 ? `${unseen} more (--json shows more)` : '');
  return [`${title} (${count})`, ...shown, ...(more === '' ? [] : [`  … and ${more}`])];
}

function problemLine({ line, column, message, fix }: RowProblem): string {
  const where = column === '' ? `line ${line}` : `line ${line}, ${cell(column)}`;
  return `${where}: ${cell(message)}\n    → ${cell(fix)}`;
}

// Where the contacts are: the most frequent zones, and what is not sure -----------------------------------------------------

/** Zones named of a place that has several. */
const NAMED = 2;

/** A section for each kind of place; the most frequent come first, as they are given. */
function placeSections(places: readonly PlaceCount[]): string[][] {
  const none = places.filter(({ zones }) => zones.length === 0);
  return [
    placeSection(
      'In one time zone',
      places.filter(({ zones }) => zones.length === 1),
    ),
    placeSection(
      'In any of several time zones',
      places.filter(({ zones }) => zones.length > 1),
    ),
    none.length === 0 ? [] : [`In an unknown time zone (${contactsIn(none)})`],
  ];
}

function placeSection(title: string, places: readonly PlaceCount[]): string[] {
  const width = String(places[0]?.contacts ?? 0).length;
  const rest = places.slice(SHOWN);
  const line = ({ zones, country, contacts }: PlaceCount) =>
    `${String(contacts).padStart(width)}  ${country ?? '--'}  ${named(zones)}`;
  const more = rest.length === 0 ? '' : `${contactsIn(rest)} in ${rest.length} more (--json shows all)`;
  return section(title, places, line, contactsIn(places), more);
}

function named(zones: readonly string[]): string {
  const more = zones.length - NAMED;
  return zones.slice(0, NAMED).map(cell).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function contactsIn(places: readonly PlaceCount[]): number {
  return places.reduce((sum, { contacts }) => sum + contacts, 0);
}
