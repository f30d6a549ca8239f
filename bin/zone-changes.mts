/**
 * Says which changes of clocks a folder of compiled zones has that neither this Node.js nor `src/text/zone-changes.ts` knows. With
 * the current package of Debian:
 *
 *     apt-get update && apt-get download tzdata && dpkg-deb -x tzdata_*.deb tzdata
 *     npx tsx bin/zone-changes.mts "$PWD"/tzdata/usr/share/zoneinfo
 *
 * Exit code 1 if something is missing. `zdump` reads the zones; it comes with the C library.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { changesOf, LOOKED_THROUGH, OWN_RELEASE } from '../src/text/zone-changes.ts';

const HOUR = 3_600_000;
/** Years that are compared: from last year on. */
const YEAR = new Date().getUTCFullYear();
const [FIRST, LAST] = [Date.UTC(YEAR - 1, 0), Date.UTC(YEAR + 4, 0)];
const [folder = '/usr/share/zoneinfo'] = process.argv.slice(2);

/** Offsets in minutes, with the instants from which they hold. */
type Offsets = [from: number, offset: number][];

function newOffsets(path: string): Offsets {
  const lines = execFileSync('zdump', ['-v', '-c', `${YEAR - 2},${YEAR + 4}`, path], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line): Offsets => {
    const [, time, seconds] = /\s(\w{3} +\d+ \d\d:\d\d:\d\d \d{4}) UTC? = .* gmtoff=(-?\d+)/.exec(line) ?? [];
    return time === undefined ? [] : [[Date.parse(`${time} UTC`), Number(seconds) / 60]];
  });
}

const offsetAt = (offsets: Offsets, at: number) => offsets.findLast(([from]) => from <= at)?.[1];

function ownOffset(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  return (at) => {
    const [, sign, hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/.exec(format.format(at)) ?? [];
    return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  };
}

/** The first instant of each stretch of hours in which a zone shows a time that is not known here. */
function missingIn(zone: string, offsets: Offsets): string[] {
  const own = ownOffset(zone);
  const changes = changesOf(new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone);
  const others = changes.map(({ as, from, until }) => ({ from, until, offset: ownOffset(as) }));
  const found: string[] = [];
  let before: string | undefined;
  for (let at = FIRST; at < LAST; at += HOUR) {
    const right = offsetAt(offsets, at);
    const known = [
      own(at),
      ...others.filter(({ from, until }) => at >= from && at < until).map((one) => one.offset(at)),
    ];
    const now =
      right === undefined || known.includes(right) ? undefined : `UTC${right / 60}, not ${(known[0] as number) / 60}`;
    if (now !== undefined && now !== before) found.push(`${new Date(at).toISOString().slice(0, 16)}Z: ${now}`);
    before = now;
  }
  return found;
}

function isKnown(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

const root = resolve(folder);
const zones = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() || entry.isSymbolicLink())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .filter((name) => /^[A-Z]/.test(name) && !name.includes('.') && name !== 'Factory');
process.stdout.write(
  `${zones.length} zones; Node.js has ${OWN_RELEASE}, the table goes to ${LOOKED_THROUGH.release}.\n`,
);
for (const zone of zones.sort()) {
  const offsets = newOffsets(join(root, zone));
  const missing = isKnown(zone) ? missingIn(zone, offsets) : ['not known by Intl'];
  if (missing.length > 0) process.exitCode = 1;
  for (const line of missing) process.stdout.write(`${zone} ${line}\n`);
}
if (process.exitCode !== 1) process.stdout.write('Nothing is missing.\n');
