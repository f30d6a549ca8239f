/**
 * How a file that was refused could be read after all. Each reading was tried: it gives a phone column and a number that can be
 * dialled. None is chosen here, also if it is the only one: whoever knows the file says which is right.
 */
import { InputError } from '../../errors.ts';
import { looksLikeNumber } from '../../text/phone.ts';
import { readExclusions } from '../check/exclusion-list.ts';
import type { CheckedFile } from '../check-file.ts';
import { isUnderstood, readHeader } from '../header/header.ts';
import { asksForCountry, isOfNoNumber } from '../problems.ts';
import { openTable } from '../read/open-table.ts';
import type { Row } from '../read/rows.ts';
import type { ContactRules } from '../rules.ts';
import { countryReadings, isDialable, type Near } from './countries.ts';
import { encodingReadings } from './encodings.ts';
import type { Reading, ReadingRules, Refused, Reread } from './reading.ts';

/** The first rows of a table, the header among them. */
interface Sample {
  rows: readonly Row[];
  header: readonly string[];
  phoneAt: number;
  isSheet: boolean;
}

/** The readings that are likelier come first. */
export async function readingsOf(refused: Refused, file: Reread, rules: ReadingRules, near: Near): Promise<Reading[]> {
  if (!(refused instanceof InputError)) return ofRows(refused, rules, near);
  const { code, reason } = refused;
  if (reason?.kind === 'other_encoding' || reason?.kind === 'unmarked_utf16' || reason?.kind === 'nul_in_header') {
    const reads = async (encoding: ContactRules['encoding']) => canRead(file, { ...rules, encoding });
    return encodingReadings(file, rules.encoding, reads);
  }
  if (reason?.kind === 'several_columns') return columnReadings(file, rules);
  if (!MISTAKEN.has(code)) return [];
  const otherwise = [...(await headerReadings(file, rules)), ...(await delimiterReadings(file, rules))];
  return otherwise.length === 0 && code === 'no_phone_column' ? columnReadings(file, rules) : otherwise;
}

/** The same for a list of numbers that are never called: `contacts` is the file that is read by the same rules. */
export async function listReadingsOf(
  { reason, issues }: InputError,
  list: Reread,
  contacts: Reread,
  rules: ReadingRules,
  near: Near = { numbers: [] },
): Promise<Reading[]> {
  if (reason?.kind === 'other_encoding' || reason?.kind === 'unmarked_utf16') {
    // Read in another encoding, the contacts would have other names.
    if (await isMoreThanAscii(contacts)) return [];
    const reads = (encoding: ContactRules['encoding']) =>
      readExclusions(list.bytes(), list.name, { ...rules, encoding }).then(
        () => true,
        () => false,
      );
    return encodingReadings(list, rules.encoding, reads);
  }
  if (rules.country !== undefined) return [];
  const cells = issues.flatMap(({ field, message }) => {
    const [value] = asksForCountry({ code: '', message: '', fix: message })
      ? (/^"(?:\\.|[^"\\])*"/.exec(message) ?? [])
      : [];
    return value === undefined
      ? []
      : [{ line: Number(field.replace('line ', '')), column: '', value: JSON.parse(value) }];
  });
  return countryReadings(cells, near);
}

async function isMoreThanAscii(file: Reread): Promise<boolean> {
  for await (const chunk of file.bytes()) if (chunk.some((byte) => byte > 0x7f)) return true;
  return false;
}

/** Errors that another header line or delimiter may cause. */
const MISTAKEN = new Set(['no_phone_column', 'unknown_column', 'duplicate_header']);

function ofRows({ report }: CheckedFile, { country }: ReadingRules, near: Near): Reading[] {
  const cells = report.problems.filter(country === undefined ? asksForCountry : isOfNoNumber);
  // A few such rows among others are mistakes of their own.
  if (cells.length * 2 < report.problems.length || cells.length === 0) return [];
  if (country !== undefined && report.accepted > report.rejected) return [];
  const numbers = [...near.numbers, ...report.preview.map(({ phone_number }) => phone_number)];
  const others = countryReadings(cells, { ...near, numbers });
  return others.filter(({ value }) => value !== country);
}

// What a reading gives ---------------------------------------------------------------------------------------------------

const ROWS_READ = 100;

/** Undefined if the file cannot be read so, or no row has a number that could be dialled. */
async function sampleOf(file: Reread, rules: ReadingRules): Promise<Sample | undefined> {
  try {
    const table = await openTable(file.bytes(), file.name, {
      ...rules,
      isUnderstood: (header) => isUnderstood(header, rules.mapping),
    });
    const { columns, header, headerLine, rows: batches } = await readHeader(table, rules, file.name);
    const phoneAt = columns.at.phone_number as number;
    const rows: Row[] = header === undefined ? [] : [{ cells: [...header], line: headerLine }];
    for await (const batch of batches) {
      rows.push(...batch.slice(0, ROWS_READ - rows.length));
      if (rows.length >= ROWS_READ) break;
    }
    const cells = rows.slice(header === undefined ? 0 : 1).map(({ cells }) => cells[phoneAt] ?? '');
    return isDialable(cells, rules.country)
      ? { rows, header: header ?? [], phoneAt, isSheet: table.sheet !== undefined }
      : undefined;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // Which of several columns it is, is another question.
    if (error.reason?.kind !== 'several_columns' || error.reason.field !== 'phone_number') return undefined;
    return sampleOf(file, withColumn(rules, error.reason.first));
  }
}

/** At once, or when one more question is answered. */
async function canRead(file: Reread, rules: ReadingRules): Promise<boolean | 'with one more'> {
  if ((await sampleOf(file, rules)) !== undefined) return true;
  const further = [...(await headerReadings(file, rules)), ...(await columnReadings(file, rules))];
  return further.length > 0 && 'with one more';
}

function withColumn(rules: ReadingRules, column: string): ReadingRules {
  return { ...rules, mapping: { ...rules.mapping, phone_number: { column, name: column } } };
}

const LINES_SHOWN = 3;

function shownOf({ rows }: Sample): Reading['lines'] {
  return rows.slice(0, LINES_SHOWN).map(({ line, cells }) => ({ line, text: inCells(cells) }));
}

/** A row whose cells can be told apart, whatever is between them in the file. */
function inCells(cells: readonly string[]): string {
  return cells.map((cell) => cell.trim()).join(' | ');
}

// The header, the delimiter, the column of the number -----------------------------------------------------------------------

/** Lines in which a header is looked for. */
const LINES_TRIED = 20;

async function headerReadings(file: Reread, rules: ReadingRules): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (let headerLine = 1; headerLine <= LINES_TRIED; headerLine++) {
    if (headerLine === rules.headerLine) continue;
    const sample = await sampleOf(file, { ...rules, headerLine });
    if (sample?.rows[0]?.line !== headerLine || sample.header.length === 0) continue;
    const first = inCells(sample.header);
    readings.push({ rule: 'headerLine', value: String(headerLine), lines: shownOf(sample), first });
  }
  return readings;
}

/** Characters that programs put between cells, beside those that are found without a question. */
const DELIMITERS = [',', ';', '\t', '|', ':', '~', '^', '#', '\u001f'];

async function delimiterReadings(file: Reread, rules: ReadingRules): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (const delimiter of DELIMITERS) {
    if (delimiter === rules.delimiter) continue;
    const sample = await sampleOf(file, { ...rules, delimiter });
    if (sample === undefined || sample.isSheet || sample.header.length < 2) continue;
    readings.push({ rule: 'delimiter', value: delimiter, lines: shownOf(sample), first: sample.header[0] as string });
  }
  return readings;
}

async function columnReadings(file: Reread, rules: ReadingRules): Promise<Reading[]> {
  const header = await headerOf(file, rules);
  // Taken for a header, the first contact would be left out.
  if (header.some(looksLikeNumber)) return [];
  const readings: Reading[] = [];
  for (const value of new Set(header.map((name) => name.trim()))) {
    const sample = value === '' ? undefined : await sampleOf(file, withColumn(rules, value));
    const cells = sample?.rows.slice(1).map(({ line, cells }) => ({ line, text: cells[sample.phoneAt]?.trim() ?? '' }));
    const filled = cells?.filter(({ text }) => text !== '') ?? [];
    const [first] = filled;
    if (first === undefined) continue;
    readings.push({ rule: 'mapping', value, lines: filled.slice(0, LINES_SHOWN), first: first.text });
  }
  return readings;
}

async function headerOf(file: Reread, rules: ReadingRules): Promise<readonly string[]> {
  const isFine = (header: string[]) => isUnderstood(header, rules.mapping);
  const table = await openTable(file.bytes(), file.name, { ...rules, isUnderstood: isFine });
  const rows = table.rows();
  try {
    const { value } = await rows.next();
    return (value as Row[] | undefined)?.[0]?.cells ?? [];
  } finally {
    await rows.return(undefined);
  }
}
