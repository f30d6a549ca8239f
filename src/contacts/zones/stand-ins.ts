/**
 * The map calls some areas by a zone of another country that keeps, or kept, the same time: Kaliningrad by Europe/Bucharest. That
 * zone may change its clocks when the area does not, so zones of the area's own country stand in its place.
 */
import { remembered } from '../../text/remembered.ts';

/** The dates on which clocks are compared: winter and summer, wherever that is. */
const COMPARED = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];

/**
 * `zones`, with all zones of `own` that share a clock, in winter or in summer, instead of those that are not among these. A zone of
 * `around`, the countries with the same calling code, may be right, and stays beside them.
 */
export function clocksInstead(
  zones: readonly string[],
  own: readonly string[],
  around: readonly string[],
): readonly string[] {
  if (zones.every((zone) => own.includes(zone))) return zones;
  const found = zones.flatMap((zone) => [
    ...(own.includes(zone) ? [] : own.filter((other) => sharesClock(other, zone))),
    ...(around.includes(zone) ? [zone] : []),
  ]);
  return found.length === 0 ? own : [...new Set(found)].sort();
}

/**
 * `zones` and `others`, but of zones beyond `own` none that shows the same time as one of `zones` all year: Guernsey does not
 * make a number of London doubtful.
 */
export function withOtherClocks(
  zones: readonly string[],
  others: readonly string[],
  own: readonly string[],
): readonly string[] {
  const clocks = zones.map((zone) => offsetsOf(zone).join());
  const added = others.filter((zone) => own.includes(zone) || !clocks.includes(offsetsOf(zone).join()));
  return [...new Set([...zones, ...added])].sort();
}

function sharesClock(one: string, other: string): boolean {
  const others = offsetsOf(other);
  return offsetsOf(one).some((offset) => others.includes(offset));
}

const offsetsOf = remembered((timeZone: string): readonly string[] => {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return COMPARED.map((at) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '');
});
