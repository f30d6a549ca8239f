/** The countries in which numbers without a country could be dialled. */
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { canonicalName } from '../../text/zone-clock.ts';
import { isProblem } from '../numbers/dialled.ts';
import { countries, numberReader } from '../numbers/phone-cell.ts';
import type { CellValue } from '../problems.ts';
import { zonesOfCountry } from '../zones/zones.ts';
import type { Reading } from './reading.ts';

/** Cells that are tried. */
const CELLS_TRIED = 30;
const LINES_SHOWN = 3;

/** What tells which countries are likelier: numbers of the same people, and the time zone of who asks. */
export interface Near {
  numbers: readonly string[];
  zone?: string | undefined;
}

/**
 * Those in which the most cells are numbers come first; among equals, the countries of the numbers that are near, then those of the
 * zone. Of countries in which the numbers are the same, that of the first number is named.
 */
export function countryReadings(cells: readonly CellValue[], { numbers: near, zone }: Near): Reading[] {
  const tried = cells.slice(0, CELLS_TRIED);
  const nearest = near.flatMap((number) => parsePhoneNumberFromString(number)?.country ?? []);
  const here = zone === undefined || /^[+-]/.test(zone) ? undefined : canonicalName(zone);
  const isHere = (country: CountryCode) => here !== undefined && zonesOfCountry(country).includes(here);
  const distance = (country: CountryCode) =>
    nearest.includes(country) ? nearest.indexOf(country) : nearest.length + (isHere(country) ? 0 : 1);
  const different = new Map<string, { country: CountryCode; numbers: ReturnType<typeof numberIn> }>();
  for (const country of countries() as CountryCode[]) {
    const numbers = tried.flatMap((cell) => numberIn(country, cell));
    const key = numbers.map(({ number }) => number).join();
    const isOwn = parsePhoneNumberFromString(numbers[0]?.number ?? '')?.country === country;
    if (numbers.length > 0 && (isOwn || !different.has(key))) different.set(key, { country, numbers });
  }
  return [...different.values()]
    .sort(
      (one, other) =>
        other.numbers.length - one.numbers.length ||
        distance(one.country) - distance(other.country) ||
        one.country.localeCompare(other.country),
    )
    .map(({ country, numbers }) => ({
      rule: 'country',
      value: country,
      lines: varied(numbers).map(({ line, value, number }) => ({ line, text: `${value} → ${number}` })),
      before: numbers[0]?.value ?? '',
      first: numbers[0]?.number ?? '',
    }));
}

/** Some of them, in their order: first those of other lengths, because they may be of another country. */
function varied<Cell extends CellValue>(numbers: readonly Cell[]): Cell[] {
  const length = ({ value }: Cell) => value.replace(/\D/g, '').length;
  const isNew = (cell: Cell, at: number) => numbers.findIndex((other) => length(other) === length(cell)) === at;
  const [others, rest] = [numbers.filter(isNew), numbers.filter((cell, at) => !isNew(cell, at))];
  return [...others, ...rest].slice(0, LINES_SHOWN).sort((one, other) => one.line - other.line);
}

function numberIn(country: string, cell: CellValue) {
  const reading = numberReader(country)(cell.value);
  return isProblem(reading) || !reading.isAssigned ? [] : [{ ...cell, number: reading.number }];
}

/** Whether a cell holds a number that can be dialled: in that country, or in any if none is named. */
export function isDialable(cells: readonly string[], country: string | undefined): boolean {
  const read = numberReader(country);
  if (cells.some((cell) => !isProblem(read(cell)))) return true;
  if (country !== undefined) return false;
  const values = cells.filter((cell) => cell.trim() !== '').slice(0, CELLS_TRIED);
  return countries().some((code) => values.some((value) => numberIn(code, { line: 0, column: '', value }).length > 0));
}
