/**
 * Where a million contacts of eight countries are: `contacts check --zones` and `campaign create --dry-run`, beside the same
 * without; a number's zones beside reading it with libphonenumber-js; and the hours of places beside a conversion by Temporal.
 */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { Temporal } from 'temporal-polyfill';
import { whereaboutsOf } from '../../src/contacts/zones/zones.ts';
import { callingWindowsOf } from '../../src/plans/rules/calendar.ts';
import { parseWindow } from '../../src/plans/rules/window.ts';
import { CONTACTS, campaignOf, compare, measureIn, say } from './workplace.ts';

const ROUNDS = 5;
const QUESTIONS = 1_000_000;
/** Those of whole countries, of areas, and of mobiles that may be anywhere. */
const BEGINNINGS = ['+1415', '+1212', '+79', '+49151', '+4474', '+55119', '+336', '+614'];
const DIGITS: Record<string, number> = { '+1': 12, '+7': 12, '+49': 14, '+44': 13, '+55': 14, '+33': 12, '+61': 12 };

function numberAt(row: number): string {
  const beginning = BEGINNINGS[row % BEGINNINGS.length] as string;
  const length = Object.entries(DIGITS).find(([code]) => beginning.startsWith(code))?.[1] ?? 12;
  const room = length - beginning.length;
  return beginning + String(2 * 10 ** (room - 1) + row).slice(-room);
}

await measureIn((place) => {
  const header = 'phone_number,name\n';
  const file = place.file('contacts.csv', header, CONTACTS, (row) => `${numberAt(row)},Person ${row}\n`);
  const check = ['contacts', 'check', file, '--json'];
  const dry = campaignOf('--contacts', file, '--dry-run', '--output', 'table');
  compare(`${CONTACTS} rows`, ROUNDS, {
    'contacts check': () => place.vagent(...check),
    'contacts check --zones (at most 1.5×)': () => place.vagent(...check, '--zones'),
  });
  compare(`${CONTACTS} rows`, ROUNDS, {
    // Without the warning nobody's hours are looked at.
    'campaign create without its warning': () => place.vagent(...dry, '--quiet'),
    'campaign create (at most 1.5×)': () => place.vagent(...dry),
  });
});

const numbers = Array.from({ length: 200_000 }, (_none, row) => numberAt(row));
for (const number of numbers) whereaboutsOf(number);
const zones = perItem(numbers, (number) => whereaboutsOf(number));
const parsed = perItem(numbers.slice(0, 20_000), (number) => parsePhoneNumberFromString(number));
print('the zones of a number, beside reading it with libphonenumber-js', parsed, zones);

const places = [...new Set(numbers.map(whereaboutsOf))];
const hours = callingWindowsOf({ window: parseWindow('mon-sat=09:00-20:00'), zone: 'contact', skipDates: [] }, places);
const start = Date.UTC(2026, 0, 1);
const questions = Array.from({ length: QUESTIONS }, (_none, at) => at);
const asked = perItem(questions, (at) => hours.windowAt(at % places.length, start + at * 30_000));
const converted = perItem(
  questions.slice(0, 20_000),
  (at) => Temporal.Instant.fromEpochMilliseconds(start + at * 30_000).toZonedDateTimeISO('America/New_York').hour,
);
print(`the opening of one of ${places.length} places within a year, beside a conversion by Temporal`, converted, asked);

/** Microseconds. */
function perItem<T>(items: readonly T[], each: (item: T) => unknown): number {
  const started = performance.now();
  for (const item of items) each(item);
  return ((performance.now() - started) / items.length) * 1000;
}

function print(title: string, peer: number, ours: number): void {
  say(`${title}\n  peer ${peer.toFixed(2)} µs, vagent ${ours.toFixed(2)} µs: ${(ours / peer).toFixed(2)}×`);
}
