/** The number in a spreadsheet's cell → the text that the spreadsheet shows. */
import { format as formatted, isDateFormat } from 'numfmt';
import { DAY, SECOND } from '../units.ts';

export const GENERAL = 'General';

/** The formats that have a number instead of a code. Dates in the order of a country, which the file does not tell, are ISO. */
const DATE = 'yyyy-mm-dd';
const BUILT_IN: Record<number, string> = {
  ...{ 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 11: '0.00E+00', 12: '# ?/?', 13: '# ??/??' },
  ...{ 14: DATE, 15: 'd-mmm-yy', 16: 'd-mmm', 17: 'mmm-yy', 18: 'h:mm AM/PM', 19: 'h:mm:ss AM/PM', 20: 'h:mm' },
  ...{ 21: 'h:mm:ss', 22: `${DATE} hh:mm`, 37: '#,##0;(#,##0)', 38: '#,##0;(#,##0)', 39: '#,##0.00;(#,##0.00)' },
  ...{ 40: '#,##0.00;(#,##0.00)', 45: 'mm:ss', 46: '[h]:mm:ss', 47: 'mm:ss.0', 48: '##0.0E+0', 49: '@' },
  ...Object.fromEntries([27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, DATE])),
};

export function builtInFormat(id: number): string {
  return BUILT_IN[id] ?? GENERAL;
}

/** Days between the two beginnings of time that workbooks have. */
const DAYS_TO_1904 = 1462;
/** A spreadsheet keeps 15 digits: a longer number has lost some. */
const TOO_LONG = 1e15;
/** From here on a number may be one to call: its digits are never rounded, scaled or hidden. */
const MAY_BE_CALLED = 1e6;

/** Spanish as spreadsheets in Spain name it, and the name that is known. */
const MODERN_SPANISH = /-0*C0A\]/i;

/** `is1904`: whether days are counted from 1904. */
export function shownNumber(value: number, format: string, is1904: boolean): string {
  const stored = storedText(value);
  if (format === GENERAL || format === '@') return stored;
  let shown: string;
  try {
    if (isDateFormat(format)) return shownDate(value, format, is1904);
    shown = formatted(format, value).trim();
  } catch {
    return stored;
  }
  // Where no more digits are kept than shown, they were lost before: 3.46E+10.
  if (/\dE[+-]?\d+$/i.test(shown)) {
    return Number.isInteger(value) && value < TOO_LONG && Number(shown) !== value ? stored : shown;
  }
  const isWhole = digitsIn(shown).includes(digitsIn(stored));
  return Math.abs(value) >= MAY_BE_CALLED && !isWhole ? stored : shown;
}

function shownDate(value: number, format: string, is1904: boolean): string {
  // A duration counts from no day.
  const days = value + (is1904 && !/\[[hms]+\]/i.test(format) ? DAYS_TO_1904 : 0);
  // What is shown to the second is rounded as one: else 23:59:59.9 would become the first second of the same day.
  const shown = /\.0/.test(format) ? days : Math.round((days * DAY) / SECOND) * (SECOND / DAY);
  return formatted(format.replace(MODERN_SPANISH, '-40A]'), shown).trim();
}

function storedText(value: number): string {
  if (Math.abs(value) >= TOO_LONG) return value.toExponential(14).toUpperCase();
  const isExact = Number.isInteger(value) || Math.abs(value) >= MAY_BE_CALLED;
  return String(isExact ? value : Number(value.toPrecision(15)));
}

function digitsIn(text: string): string {
  return text.replace(/\D/g, '');
}
