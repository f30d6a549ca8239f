/**
 * Zones whose clocks were changed after the zone data of this program was made, by the release notes of tzdata. A law may come too
 * late, or be taken back: so what is known here beside that data does not replace it, and both count.
 */
import { DAY } from './units.ts';

export interface ZoneChange {
  /** The release that has it first, named as in `process.versions.tz`. */
  since: string;
  /** As Intl names them. */
  zones: readonly string[];
  /** Instants from and until which older data is wrong at times, in milliseconds since the epoch. */
  from: number;
  until: number;
  /** A zone that every release knows, and that shows the right time in between. */
  as: string;
}

/** The newest release that was looked through, and when it was made; `bin/zone-changes.mts` tells what a newer one has. */
export const LOOKED_THROUGH = { release: '2026f', date: '2026-10-27' };

const FOR_GOOD = Number.POSITIVE_INFINITY;

const CHANGES: readonly ZoneChange[] = [
  // British Columbia keeps UTC-7 all year since March 2026: the first difference is the autumn.
  {
    since: '2026b',
    zones: ['America/Vancouver'],
    from: Date.UTC(2026, 10, 1, 9),
    until: FOR_GOOD,
    as: 'Etc/GMT+7',
  },
  // Since 2022 Moldova changes its clocks with the European Union, an hour later.
  { since: '2026b', zones: ['Europe/Chisinau'], from: Date.UTC(2022, 2, 27), until: FOR_GOOD, as: 'Europe/Bucharest' },
  // Alberta keeps UTC-6 all year since June 2026, and the Northwest Territories since August.
  { since: '2026c', zones: ['America/Edmonton'], from: Date.UTC(2026, 10, 1, 8), until: FOR_GOOD, as: 'Etc/GMT+6' },
  { since: '2026d', zones: ['America/Inuvik'], from: Date.UTC(2026, 10, 1, 8), until: FOR_GOOD, as: 'Etc/GMT+6' },
  // Morocco, and with it Western Sahara, keeps UTC all year since September 2026.
  {
    since: '2026c',
    zones: ['Africa/Casablanca', 'Africa/El_Aaiun'],
    from: Date.UTC(2026, 8, 20, 1),
    until: FOR_GOOD,
    as: 'Etc/GMT',
  },
  // Manitoba keeps UTC-5 all year since October 2026.
  { since: '2026e', zones: ['America/Winnipeg'], from: Date.UTC(2026, 10, 1, 7), until: FOR_GOOD, as: 'Etc/GMT+5' },
  // Cuba leaves out the winter time of 2026.
  {
    since: '2026f',
    zones: ['America/Havana'],
    from: Date.UTC(2026, 10, 1, 5),
    until: Date.UTC(2027, 10, 7, 5),
    as: 'Etc/GMT+4',
  },
];

/** What of it is older than this many days says nothing of the clocks of today. */
const TOO_OLD = 400;

/** The release of the zone data that Intl goes by; undefined if the runtime does not say. */
export const OWN_RELEASE: string | undefined = process.versions.tz;

/** What is missing in a release. Of a runtime that does not say which it has, everything may be. */
export function changesAfter(release = OWN_RELEASE): readonly ZoneChange[] {
  return CHANGES.filter(({ since }) => release === undefined || release < since);
}

/** The same for one zone, named as Intl does. */
export function changesOf(zone: string, release = OWN_RELEASE): readonly ZoneChange[] {
  return changesAfter(release).filter(({ zones }) => zones.includes(zone));
}

/**
 * Which of these zones, or of all, have changed clocks that a release misses and that may be right at some time from an instant
 * on.
 */
export function changedZones(now: number, among?: ReadonlySet<string>, release = OWN_RELEASE): readonly string[] {
  const missed = changesAfter(release).filter(({ until }) => until > now);
  return missed.flatMap(({ zones }) => zones.filter((zone) => among?.has(zone) ?? true)).sort();
}

/** Whether neither a release nor what is known beside it can tell of the changes of the last year. */
export function isTooOld(now: number, release = OWN_RELEASE): boolean {
  const isNewer = release !== undefined && release > LOOKED_THROUGH.release;
  const madeBy = isNewer ? Date.UTC(Number(release.slice(0, 4)) + 1, 0) : Date.parse(LOOKED_THROUGH.date);
  return now - madeBy > TOO_OLD * DAY;
}
