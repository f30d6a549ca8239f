/** Times in the zone of `--timezone`. */
import { canonicalZone } from '../../../text/time.ts';

/** Converts an ISO 8601 time in UTC to the local time of a zone, with its offset. */
export type InZone = (time: string) => string;

/** Undefined if no zone is given. Throws InputError if the zone does not exist. */
export async function zoneOf(timezone: string | undefined): Promise<InZone | undefined> {
  if (timezone === undefined) return undefined;
  const timeZone = canonicalZone(timezone, '--timezone');
  const { Temporal } = await import('temporal-polyfill');
  return (time) => Temporal.Instant.from(time).toString({ timeZone, fractionalSecondDigits: 3 });
}
