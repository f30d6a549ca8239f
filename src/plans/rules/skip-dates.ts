/** Lists of dates on which nobody is called: a line each, such as `2026-12-25`, or `2026-10-03 DE` for people of one country. */
import { isCalendarDate } from '../../contract.ts';
import { InputError, type Issue } from '../../errors.ts';
import { counted } from '../../text/numbers.ts';
import { remembered } from '../../text/remembered.ts';
import { datesMeant } from '../../text/written-time.ts';
import { canonicalName, listedZones } from '../../text/zone-clock.ts';
import type { Place } from './plan.ts';
import { type PlanRules, type SkippedDate, ZONE_OF_CONTACT } from './rules.ts';

/** Countries of numbers that Intl has no time zone of. */
const UNKNOWN_TO_INTL = ['AC', 'TA', 'XK'];
const MOST_ISSUES = 100;

/**
 * Empty lines, what follows a `#`, and a first line without digits are passed over. Throws InputError with an issue for each line
 * that is not understood, and if there is no date at all. `name` is what messages call the list.
 */
export function parseSkipDates(text: string, name = 'the list of skipped dates'): SkippedDate[] {
  const dates: SkippedDate[] = [];
  const issues: Issue[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (const [at, line] of lines.entries()) {
    const written = line.replace(/#.*/, '').trim();
    if (written === '' || (at === 0 && !/\d/.test(written))) continue;
    const read = readLine(written);
    if (typeof read === 'string') issues.push({ field: `line ${at + 1}`, message: read });
    else dates.push(read);
  }
  if (issues.length === 0 && dates.length === 0) {
    throw new InputError(`${name} holds no date.`, { code: 'empty_file', hint: 'Leave it out if there is none.' });
  }
  if (issues.length === 0) return dates;
  throw new InputError(`${name}: ${counted(issues.length, 'line')} not understood, from ${issues[0]?.field}.`, {
    hint: 'Write a date a line, such as 2026-12-25, or 2026-10-03 DE for people of one country.',
    issues: issues.slice(0, MOST_ISSUES),
  });
}

/** What is wrong, if it is not understood. */
function readLine(written: string): SkippedDate | string {
  const [date = '', country, ...more] = written.split(/[\s,;]+/).filter((word) => word !== '');
  if (!isCalendarDate(date)) {
    const meant = datesMeant(date);
    return `${JSON.stringify(date)} is not a date${meant.length > 0 ? `: write ${meant.join(' or ')}` : ''}`;
  }
  if (more.length > 0) return `${JSON.stringify(more.join(' '))} after the country`;
  if (country === undefined) return { date, country: undefined };
  const code = countryOf(country);
  return code === undefined ? `${JSON.stringify(country)} is not the ISO code of a country` : { date, country: code };
}

/** The code that numbers have: GB for UK. Undefined if no number can be of it. */
function countryOf(written: string): string | undefined {
  if (!/^[a-z]{2}$/i.test(written)) return undefined;
  const { region } = new Intl.Locale(`und-${written}`);
  if (region === undefined) return undefined;
  return listedZones(region).length > 0 || UNKNOWN_TO_INTL.includes(region) ? region : undefined;
}

type SkipRules = Pick<PlanRules, 'zone' | 'skipDates'>;

/** The dates on which nobody at the place is called, sorted. */
export function skippedAt({ zone, skipDates }: SkipRules, place: Place): string[] {
  const dates = skipDates
    .filter(({ country }) => country === undefined || mayBeIn(country, place, zone))
    .map(({ date }) => date);
  return [...new Set(dates)].sort();
}

/** The countries of dates that hold for none of the places. */
export function countriesOfNobody({ zone, skipDates }: SkipRules, places: readonly Place[]): string[] {
  const named = new Set(skipDates.flatMap(({ country }) => (country === undefined ? [] : [country])));
  return [...named].filter((country) => !places.some((place) => mayBeIn(country, place, zone)));
}

/**
 * By the number, or by a zone. A number of no country, such as a toll-free one, may be anywhere unless its own zone says more: one
 * zone that holds for all says nothing of where it is.
 */
function mayBeIn(country: string, { country: own, zones }: Place, zone: string): boolean {
  if (own === country || zones.some((name) => zonesOfCountry(country).has(name))) return true;
  return own === null && (zone !== ZONE_OF_CONTACT || zones.every(isOfNoCountry));
}

const zonesOfCountry = remembered((country: string) => new Set(listedZones(country).map(canonicalName)));

/** Zones such as UTC, Etc/GMT+5 and EST5EDT. */
function isOfNoCountry(zone: string): boolean {
  return !zone.includes('/') || zone.startsWith('Etc/');
}
