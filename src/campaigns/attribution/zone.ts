/**
 * The zone of a log whose times name none. The service is taken to write all of them in one zone: that in which they are nearest to
 * when calls were expected, a single call right after it was sent, a campaign's at its start and then one after the other.
 */
import { HOUR, MINUTE, SECOND } from '../../text/units.ts';
import type { Claims } from './claims.ts';
import type { Entry } from './entries.ts';

/** What the clocks of the world are ahead of UTC by: whole hours, and these, in hours. */
const OTHER_ZONES = [-9.5, -4.5, -3.5, -2.5, 3.5, 4.5, 5.5, 5.75, 6.5, 8.75, 9.5, 10.5, 12.75, 13.75];
const ZONES = [...Array.from({ length: 27 }, (_none, at) => at - 12), ...OTHER_ZONES].map((hours) => hours * HOUR);
/** Milliseconds that the service's clock may be ahead. */
const AHEAD_OF_NOW = 2 * MINUTE;
/** How many calls tell in which zone a log is written. */
const ENOUGH = 400;
/** Milliseconds: what a call that nobody can have made counts as, and the usual lag of a single call. */
const FOREIGN = 4 * HOUR;
const CALL_LAG = 5 * SECOND;
/** How much farther off a zone may be that is not ruled out, and how much UTC is preferred: sums of logarithms. */
const PLAUSIBLE = Math.log(100);
const PREFERENCE = Math.log(20);
/** How much farther off a log is that ends after now. */
const FUTURE = 20;

/** What a log's times may be ahead of UTC by, in milliseconds: the likeliest, and the least and most that are not ruled out. */
export interface ZoneFound {
  ahead: number;
  least: number;
  most: number;
}

export const UTC: ZoneFound = { ahead: 0, least: 0, most: 0 };

/** `now` is the service's time; `margin`: milliseconds by which times may be too early or too late. */
export function zoneOfLog(entries: Iterable<Entry>, claims: Claims, margin: number, now: number): ZoneFound {
  const calls = [...entries]
    .flatMap((entry) => (entry.written === undefined ? [] : [{ written: entry.written, mark: entry.mark, entry }]))
    .sort((one, other) => one.written - other.written || (one.mark < other.mark ? -1 : 1));
  const latest = calls.at(-1)?.written ?? Number.NEGATIVE_INFINITY;
  const step = Math.max(1, Math.ceil(calls.length / ENOUGH));
  const some = calls
    .filter((_call, index) => index % step === 0 || index === calls.length - 1)
    .map(({ written, entry: { phone, echo } }) => ({ written, phone, echo }));
  const zones = ZONES.map((ahead) => {
    let off = ahead === 0 ? 0 : PREFERENCE;
    if (latest - ahead > now + AHEAD_OF_NOW) off += FUTURE;
    for (const call of some) off += distance(call, ahead, claims, margin);
    // Rounded, so that the order of a sum decides nothing.
    return { ahead, off: Math.round(off * 1e6) / 1e6 };
  }).sort((one, other) => one.off - other.off || Math.abs(one.ahead) - Math.abs(other.ahead));
  const nearest = zones[0] as { ahead: number; off: number };
  const plausible = zones.filter(({ off }) => off <= nearest.off + PLAUSIBLE).map(({ ahead }) => ahead);
  return { ahead: nearest.ahead, least: Math.min(...plausible), most: Math.max(...plausible) };
}

/**
 * How far a call is from when it was expected of the one to whom it is nearest: a logarithm, so that a few strange calls decide
 * little.
 */
function distance(
  { written, phone, echo }: Pick<Entry, 'phone' | 'echo'> & { written: number },
  ahead: number,
  claims: Claims,
  margin: number,
): number {
  const at = written - ahead;
  const { from, until } = claims.of(phone);
  let least = Math.log(FOREIGN / CALL_LAG);
  for (let claim = from; claim < until; claim++) {
    const { isSingleCall, span, start, callsPerHour } = claims.partyOf(claim);
    if (at < span.from - margin || at > span.until + margin || !claims.mayShow(claim, echo)) continue;
    const expected = claims.expectedOf(claim);
    const paced = Math.max((2 * HOUR) / callsPerHour, margin) + (expected - start) / 2;
    const scale = isSingleCall ? Math.max(CALL_LAG, margin) : paced;
    least = Math.min(least, Math.log(1 + Math.abs(at - expected) / scale));
  }
  return least;
}
