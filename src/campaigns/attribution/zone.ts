/**
 * The zone of a log whose times name none. The service is taken to write all of them in one zone, and the likeliest one is found
 * by when calls were expected: a single call right after it was sent, a campaign's at its start and then one after the other.
 */
import { DAY, HOUR, MINUTE, SECOND } from '../../text/units.ts';
import type { Claims } from './claims.ts';
import type { Entry } from './entries.ts';
import type { Span } from './party.ts';

const YEAR = 365 * DAY;
/** What the clocks of the world are ahead of UTC by: whole hours, and these, in hours. */
const OTHER_ZONES = [-9.5, -4.5, -3.5, -2.5, 3.5, 4.5, 5.5, 5.75, 6.5, 8.75, 9.5, 10.5, 12.75, 13.75];
const ZONES = [...Array.from({ length: 27 }, (_none, at) => at - 12), ...OTHER_ZONES].map((hours) => hours * HOUR);
/** Milliseconds that the service's clock may be ahead. */
const AHEAD_OF_NOW = 2 * MINUTE;
/** How much likelier UTC is than another zone when nothing else is known. */
const PREFERENCE = Math.log(20);
/** Zones that are at most this much less likely than the likeliest, as a logarithm, are not ruled out. */
const PLAUSIBLE = Math.log(1_000);
/** How much less likely a log is that ends after now. */
const FUTURE = Math.log(1e-8);
/** The share of calls at some other time than expected, and of those that nobody can have made. */
const UNEXPECTED = 0.3;
const FOREIGN = 0.25;
/** A campaign that begins so much late, in milliseconds, is nothing unusual. */
const SLOW = 15 * MINUTE;
/** Milliseconds that make no difference to when a campaign began. */
const SAME = 20 * SECOND;

/** The mean milliseconds until a single call is made, after it was sent. */
const CALL_LAG = 5 * SECOND;
/** How many calls tell in which zone a log is written. */
const ENOUGH = 400;

/** Somebody who may have made a call, and when it was expected of them; milliseconds since the epoch. */
interface Expectation extends Span {
  /** The same for all calls of one campaign, which may begin late as a whole. */
  source: number;
  expected: number;
  /** The milliseconds by which it usually differs from that. */
  scale: number;
}

/** A call: its time as the service wrote it, and who may have made it. */
interface WrittenCall {
  written: number;
  expectations: readonly Expectation[];
}

/** What a log's times may be ahead of UTC by, in milliseconds: the likeliest, and the least and most that are not ruled out. */
export interface ZoneFound {
  ahead: number;
  least: number;
  most: number;
}

export const UTC: ZoneFound = { ahead: 0, least: 0, most: 0 };

/** `now` is the service's time; `margin`: milliseconds by which times may be too early or too late. */
export function zoneOfLog(entries: Iterable<Entry>, claims: Claims, margin: number, now: number): ZoneFound {
  const calls = writtenCalls(entries, claims, margin);
  const latest = calls.at(-1)?.written ?? Number.NEGATIVE_INFINITY;
  const scores = new Map<number, number>();
  for (const ahead of ZONES) {
    let score = ahead === 0 ? PREFERENCE : 0;
    if (latest - ahead > now + AHEAD_OF_NOW) score += FUTURE;
    score += likelihoodOf(calls, ahead);
    // Rounded, so that the order of a sum decides nothing.
    scores.set(ahead, Math.round(score * 1e6) / 1e6);
  }
  const best = Math.max(...scores.values());
  const plausible = [...scores].filter(([, score]) => score >= best - PLAUSIBLE);
  const aheads = plausible.map(([ahead]) => ahead);
  const likeliest = plausible.filter(([, score]) => score === best).map(([ahead]) => ahead);
  const [ahead = 0] = likeliest.sort((one, other) => Math.abs(one) - Math.abs(other));
  return { ahead, least: Math.min(...aheads), most: Math.max(...aheads) };
}

/** In the order of their times, the last among them. */
function writtenCalls(entries: Iterable<Entry>, claims: Claims, margin: number): WrittenCall[] {
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
  return Array.from({ length: until - from }, (_none, at) => {
    const claim = from + at;
    const { isSingleCall, span, start, callsPerHour } = claims.partyOf(claim);
    const expected = claims.expectedOf(claim);
    const paced = Math.max((2 * HOUR) / callsPerHour, 2 * SECOND, margin) + (expected - start) / 2;
    return {
      source: claims.sources[claim] as number,
      ...{ from: span.from - margin, until: span.until + margin, expected },
      scale: isSingleCall ? Math.max(CALL_LAG, margin) : paced,
    };
  });
}

/** The logarithm of how likely the calls are if their times are `ahead` of UTC. */
function likelihoodOf(calls: readonly WrittenCall[], ahead: number): number {
  const bySource = new Map<number, Deviation[]>();
  let total = 0;
  for (const { written, expectations } of calls) {
    const likeliest = nearest(written - ahead, expectations);
    if (likeliest === undefined) {
      const longest = Math.max(2 * DAY, ...expectations.map(({ from, until }) => Math.min(until - from, YEAR)));
      total += Math.log(FOREIGN / longest);
    } else bySource.set(likeliest.source, [...(bySource.get(likeliest.source) ?? []), likeliest]);
  }
  for (const deviations of bySource.values()) {
    const usual = deviations.map(({ by }) => by).sort((one, other) => one - other)[deviations.length >> 1] ?? 0;
    total += Math.max(ON_TIME + fitOf(deviations, 0), likelihoodOfDelay(usual) + fitOf(deviations, Math.max(0, usual)));
  }
  return total;
}

const ON_TIME = Math.log(0.6);

/** The logarithm of how likely a campaign begins just so many milliseconds late. */
function likelihoodOfDelay(late: number): number {
  return late < SLOW ? Math.log((0.3 * SAME) / SLOW) : Math.log((0.1 * SAME) / HOUR) - late / HOUR;
}

interface Deviation {
  source: number;
  /** Milliseconds after it was expected. */
  by: number;
  scale: number;
  /** How likely, for a millisecond, the call is at any time. */
  anytime: number;
}

function nearest(at: number, expectations: readonly Expectation[]): Deviation | undefined {
  let found: Deviation | undefined;
  let most = 0;
  for (const { source, from, until, expected, scale } of expectations) {
    if (at < from || at > until) continue;
    const deviation = { source, by: at - expected, scale, anytime: 1 / Math.min(until - from, YEAR) };
    const likelihood = density(deviation, 0);
    if (likelihood <= most) continue;
    most = likelihood;
    found = deviation;
  }
  return found;
}

function fitOf(deviations: readonly Deviation[], late: number): number {
  return deviations.reduce((sum, deviation) => sum + Math.log(density(deviation, late)), 0);
}

function density({ by, scale, anytime }: Deviation, late: number): number {
  return ((1 - UNEXPECTED) * Math.exp(-Math.abs(by - late) / scale)) / (2 * scale) + UNEXPECTED * anytime;
}
