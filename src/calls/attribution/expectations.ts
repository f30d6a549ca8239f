/** Calls whose times name no zone, and when those who may have made them were expected to. */
import type { Claims } from './claims.ts';
import type { Entry } from './entry.ts';
import type { Span } from './launched.ts';
import type { Expectation, WrittenCall } from './zone.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
/** The mean milliseconds until a single call is made, after it was sent. */
const CALL_LAG = 5 * SECOND;
/** How many calls tell in which zone a log is written. */
const ENOUGH = 400;

/** In the order of their times, the last among them. `margin`: milliseconds by which the times may be too early or too late. */
export function writtenCalls(entries: Iterable<Entry>, claims: Claims, margin: number): WrittenCall[] {
  const written = [...entries]
    .flatMap((entry) => (entry.written === undefined ? [] : [{ written: entry.written, entry }]))
    .sort((one, other) => one.written - other.written || (one.entry.mark < other.entry.mark ? -1 : 1));
  const step = Math.max(1, Math.ceil(written.length / ENOUGH));
  return written
    .filter((_call, index) => index % step === 0 || index === written.length - 1)
    .map(({ written, entry }) => ({ written, expectations: expectationsOf(entry.phone, claims, margin) }));
}

function expectationsOf(phone: number, claims: Claims, margin: number): Expectation[] {
  const { from, until } = claims.of(phone);
  const expectations: Expectation[] = [];
  for (let claim = from; claim < until; claim++) {
    const source = claims.sources[claim] as number;
    const expected = claims.expectedOf(claim);
    const call = claims.callOf(claim);
    if (call !== undefined)
      expectations.push({ source, ...widened(call.span, margin), expected, scale: Math.max(CALL_LAG, margin) });
    const campaign = claims.campaignOf(claim);
    if (campaign === undefined) continue;
    const scale = Math.max((2 * HOUR) / campaign.callsPerHour, 2 * SECOND, margin) + (expected - campaign.start) / 2;
    expectations.push({ source, ...widened(campaign.span, margin), expected, scale });
  }
  return expectations;
}

function widened({ from, until }: Span, margin: number): Span {
  return { from: from - margin, until: until + margin };
}
