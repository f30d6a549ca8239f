/**
 * What can be wrong with a row, and what may be: code (by the command line's contract), message and fix of all that is reported.
 */
import { FIRST_LINE_ADVISED_WORDS } from '../contract.ts';
import { counted } from '../text/numbers.ts';
import { phoneKey } from '../text/phone.ts';

/** What is wrong: `message` names it, `fix` says what to do. */
export interface Problem {
  code: string;
  message: string;
  fix: string;
}

/** A value and its place: `line` is the line of the file on which its row begins, `column` the header of its cell. */
export interface CellValue {
  line: number;
  column: string;
  value: string;
}

export type RowProblem = CellValue & Problem;

/** A row of the tables: the code, and what makes message and fix of the values in question. */
function told<Values extends unknown[]>(code: string, words: (...values: Values) => readonly [string, string]) {
  return (...values: Values): Problem => {
    const [message, fix] = words(...values);
    return { code, message, fix };
  };
}

let names: Intl.DisplayNames | undefined;

/** `Spain`, `the United Kingdom`, of an ISO code. */
export function countryName(code: string): string {
  names ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
  const name = names.of(code) ?? code;
  return /^(United|Netherlands|Philippines|Bahamas|Gambia|Maldives)|(Islands|Republic|Territor(y|ies)|States)$/.test(
    name,
  )
    ? `the ${name}`
    : name;
}

/** The most characters in a spreadsheet's cell; a longer one has swallowed others after a quote that is not closed. */
export const MAX_CELL = 32_767;
/** Characters of such a cell that the report shows. */
export const SHOWN_OF_A_LONG_CELL = 100;

/** Follows the fix of a number that a spreadsheet damaged. */
export const FORMAT_AS_TEXT = ' Format the column as text before the numbers go in.';
/**
 * The fixes of a number without a country name a flag: they are text of the report and of the file of rejects, a row at a time, so
 * they are not left to the terminal, as the advice on errors is.
 */
const OR_A_COUNTRY = { exitCode: ', or say --country', national: ', or say --country for national numbers' };
const WITH_PLUS = 'Correct it, or write it with + and the country code.';

/** Whether a number was refused only because no country is known. */
export function asksForCountry({ fix }: Problem): boolean {
  return Object.values(OR_A_COUNTRY).some((words) => fix.includes(words));
}

const NOT_VALID = 'is not a valid number in';

/** Whether a text that could be a number is none in the country that is meant. */
export function isOfNoNumber({ message }: Problem): boolean {
  return message.includes(NOT_VALID);
}

/** A fix where no flag names the country. */
export function withoutFlag(fix: string): string {
  return fix.replace(OR_A_COUNTRY.national, '').replace(OR_A_COUNTRY.exitCode, '');
}

const notE164 = told('not_e164', (text: string, fix: string) => [
  `${quoted(text)} is not an international number, like +14155550100`,
  fix,
]);

/** Of the cell of a number. */
export const NUMBER_PROBLEMS = {
  missing: told('missing_phone', () => ['no phone number', 'Fill it in, or remove the row.']),
  notE164,
  notOneNumber: (text: string) => notE164(text, 'Write one number, and nothing else.'),
  exitCode: (text: string) =>
    notE164(text, `What 00 means depends on the country: write + instead${OR_A_COUNTRY.exitCode}.`),
  national: (text: string) => notE164(text, `Write it with + and the country code${OR_A_COUNTRY.national}.`),
  several(text: string, numbers: readonly { number: string }[]) {
    const readings = numbers.map(({ number }) => number);
    if (readings.length > 1) return notE164(text, `It could be ${readings.join(' or ')}: write the one that is meant.`);
    const [only] = readings;
    return notE164(text, only === undefined ? WITH_PLUS : `Write ${only}, if that is the number.`);
  },
  withTrunk: (text: string, number: string) =>
    notE164(text, `Write ${number}, if that is the number: the digits left out are not dialled from abroad.`),
  notOf: told('not_e164', (country: string, text: string) => [
    `${quoted(text)} ${NOT_VALID} ${countryName(country)}`,
    WITH_PLUS,
  ]),
  mayBeTwo: told('not_e164', (text: string) => [
    `${quoted(text)} may be two numbers, or one with an extension`,
    'Write the one number to call.',
  ]),
  lostPlus: told('spreadsheet_damage', (text: string, digits: string) => [
    `${quoted(text)} has lost its +, as in a spreadsheet`,
    `Write +${digits}, if that is the number.${FORMAT_AS_TEXT}`,
  ]),
  damaged: told('spreadsheet_damage', (text: string, how: string) => [
    `${quoted(text)} ${how}`,
    'Format the column as text before the numbers go in, and export the original again.',
  ]),
  invisible: told('invisible_character', (text: string, codePoint: string) => [
    `${quoted(text)} holds the invisible character ${codePoint}`,
    'Type the number again: deleting invisible characters is not reliable.',
  ]),
  foreign: told('invisible_character', (text: string, character: string, codePoint: string) => [
    `${quoted(text)} holds ${character} (${codePoint}), which only looks like a digit or sign`,
    'Type the number again with + and the digits 0 to 9.',
  ]),
};

/** What a spreadsheet shows in place of a text, in its language: `#N/A`, `#¿NOMBRE?`, `#WERT!`. */
export const SHEET_ERROR = /^(#(N\/[AD]|NV|[¡¿]?[\p{Lu}\d/]+[!?])|Err:\d{3})$/u;

/** Of other cells and of the whole row. */
export const ROW_PROBLEMS = {
  sheetError: told('spreadsheet_damage', (text: string) => [
    `${quoted(text)} is a spreadsheet's error, and would be sent as the text`,
    'Write the text, or leave the cell empty.',
  ]),
  ragged: told('ragged_row', (cells: number, width: number) => [
    `${counted(cells, 'cell')}, where the header has ${width}`,
    'Put cells that contain the delimiter in quotes, and leave no cell out.',
  ]),
  tooLong: told('too_long', (length: number) => [
    `a cell of ${length} characters, where a spreadsheet's has at most ${MAX_CELL}`,
    'Look for a quote that is opened and not closed.',
  ]),
  nul: told('nul_character', () => [
    'the cell holds a NUL character',
    'Save the file again as CSV UTF-8; it may have been UTF-16.',
  ]),
  duplicate: told('duplicate', (message: string) => [
    message,
    'Remove one of them, or use --duplicates skip (or keep, to call twice).',
  ]),
  /** `template` is what messages call it. */
  missingValue: told('missing_value', (template: string, column: string) => [
    `${template} needs ${column}, which is empty`,
    `Fill it in, or give a fallback: {{${column}|…}}.`,
  ]),
  unknownZone: told('unknown_zone', (written: string) => [
    `${quoted(written)} is not a time zone`,
    'Write an IANA name like Europe/Berlin, or leave the cell empty: then the number tells.',
  ]),
  nowhere: told('no_common_hour', (number: string) => [
    `it is not known in which time zone ${number} is`,
    'Write its time zone into a column, and name that with --zone-column.',
  ]),
  /** `zones`: those in which the number may be. */
  noCommonHour: told('no_common_hour', (number: string, zones: readonly string[]) => [
    `the window is never open at once in the time zones where ${number} may be: ${named(zones)}`,
    'Widen the window, or write its time zone into a column and name that with --zone-column.',
  ]),
};

/** Of a row that can be used. */
export const WARNINGS = {
  swallowedRows: told('swallowed_rows', () => [
    'the cell has several lines, of which some look like rows of their own',
    'Look for a quote that is opened and closed in the wrong places.',
  ]),
  unwrapped: told('unwrapped', (wrapping: string, number: string) => [
    `${wrapping} ${wrapping.includes(' and ') ? 'were' : 'was'} removed`,
    `None, if ${number} is the number.`,
  ]),
  withoutPrefix: told('missing_prefix', (prefix: string, number: string) => [
    `a national number without its ${prefix}, which a spreadsheet may have dropped`,
    `None, if ${number} is the number.`,
  ]),
  unassigned: told('unassigned_number', (number: string) => {
    const today = phoneKey(number);
    return today === number
      ? [
          `${number} is well-formed, but not assigned in its country's numbering plan`,
          'Check it: it is called as it stands.',
        ]
      : [
          `${number} is the old spelling of ${today}`,
          `Write ${today}: the old one is called as it is, and may reach nobody.`,
        ];
  }),
  premium: told('premium_number', (number: string) => [
    `${number} is a premium-rate number: its owner earns from each call`,
    'Check it: it is called as it stands, and may cost far more.',
  ]),
  unfilled: told('unfilled_placeholder', (placeholder: string) => [
    `${placeholder} was left in the text`,
    'Fill it in: the agent is given the text as it is. {{column}} inserts a column.',
  ]),
  longFirstLine: told('long_first_line', (words: number) => [
    `the first line has ${words} words`,
    `Keep it under ${FIRST_LINE_ADVISED_WORDS}, as the service advises.`,
  ]),
};

const MOST_NAMED = 3;

function named(zones: readonly string[]): string {
  const rest = zones.length - MOST_NAMED;
  return zones.slice(0, MOST_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** A text for a message: quoted and shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
