/**
 * Clocks that were changed after the zone data of the oldest Node.js that is tested, taken from the release notes of tzdata and
 * from `zdump` of release 2026f, and from nothing that the product uses: a zone, another that shows the right time, from and
 * until when.
 */
export const NEW_CLOCKS: readonly (readonly [zone: string, like: string, from: string, until: string])[] = [
  ['America/Vancouver', 'Etc/GMT+7', '2026-11-01T09:00Z', '2100-01-01T00:00Z'],
  ['America/Edmonton', 'Etc/GMT+6', '2026-11-01T08:00Z', '2100-01-01T00:00Z'],
  ['America/Inuvik', 'Etc/GMT+6', '2026-11-01T08:00Z', '2100-01-01T00:00Z'],
  ['America/Winnipeg', 'Etc/GMT+5', '2026-11-01T07:00Z', '2100-01-01T00:00Z'],
  ['Africa/Casablanca', 'UTC', '2026-09-20T01:00Z', '2100-01-01T00:00Z'],
  ['Africa/El_Aaiun', 'UTC', '2026-09-20T01:00Z', '2100-01-01T00:00Z'],
  ['America/Havana', 'Etc/GMT+4', '2026-11-01T05:00Z', '2027-11-07T05:00Z'],
  ['Europe/Chisinau', 'Europe/Bucharest', '2022-03-27T00:00Z', '2100-01-01T00:00Z'],
];

/** The zones whose clocks may be right in a zone: itself, and the one that shows what its changed clocks do. */
export function zonesLike(zone: string, at: number): readonly string[] {
  const known = byZone.get(zone);
  return known !== undefined && at >= known.from && at < known.until ? known.zones : (alone.get(zone) ?? keep(zone));
}

const byZone = new Map(
  NEW_CLOCKS.map(([zone, like, from, until]) => [
    zone,
    { zones: [zone, like], from: Date.parse(from), until: Date.parse(until) },
  ]),
);
const alone = new Map<string, readonly string[]>();

function keep(zone: string): readonly string[] {
  alone.set(zone, [zone]);
  return [zone];
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The minute of the day that Intl shows in a zone. */
export function shownMinute(timeZone: string, at: number): number {
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  // To make one takes longer than a hundred uses.
  const shown = formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, ...time });
  formats.set(timeZone, shown);
  const [hours = 0, minutes = 0] = shown.format(at).split(':').map(Number);
  return hours * 60 + minutes;
}
