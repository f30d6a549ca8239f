/** How far a campaign is, at one moment, and when it is expected to end. */
import { isoTime, isoTimeOrNull } from '../../text/iso.ts';
import { byName } from '../../text/json.ts';
import { HOUR } from '../../text/units.ts';
import type { RecentCall, Recently } from '../attribution/attribution.ts';
import type { Tally } from '../attribution/tally.ts';
import type { NamedLaunch } from '../launches.ts';

/** `paused` is known of the local engine's campaigns alone. */
export type Phase = 'scheduled' | 'running' | 'paused' | 'over';

export interface Progress {
  key: number;
  campaignId: number;
  name: string;
  phase: Phase;
  reason: string | undefined;
  /** When this was so. Instants in milliseconds since the epoch, by the clock of the service. */
  at: number;
  start: number;
  tally: Tally;
  callsLastHour: number;
  callsPerHour: number;
  /** Undefined if nothing is expected any more, or nobody knows when. */
  expectedFinish: number | undefined;
  /** When the last call is placed if nobody is reached. */
  latestFinish: number;
  /** The latest first. */
  lastCalls: readonly RecentCall[];
}

interface Known extends Pick<Progress, 'tally' | 'latestFinish'> {
  recently: Recently;
  /** Why it is paused; undefined if it is not known to be. */
  paused: string | undefined;
}

export function progressOf(launch: NamedLaunch, known: Known, now: number): Progress {
  const { key, campaignId, name, start, callsPerHour, attempts: attemptsEach, retryDelay } = launch;
  const { tally, latestFinish, recently, paused: reason } = known;
  const { states } = tally;
  const callsLastHour = recently.inLastHour;
  const sent = { start, callsPerHour, attemptsEach, retryDelay };
  const waiting = states.waiting + states.calling;
  const connected = tally.byStatus.completed ?? 0;
  const standing = { ...sent, ...tally, waiting, connected, callsLastHour };
  const phase = phaseOf(known, start, now);
  // A pace that is kept only on the average can make the expectation later than the last possible call.
  const finish = Math.min(expectedFinish(standing, now) ?? Number.NaN, latestFinish);
  return {
    ...{ key, campaignId, name, phase, reason, at: now, start, tally, callsLastHour, callsPerHour, latestFinish },
    expectedFinish: phase === 'paused' || Number.isNaN(finish) ? undefined : finish,
    lastCalls: recently.last,
  };
}

/** While the service may still complete a call, what came of its contact is not certain. */
function phaseOf({ tally, recently, paused }: Known, start: number, now: number): Phase {
  if (tally.states.waiting + tally.states.calling + recently.open === 0) return 'over';
  if (paused !== undefined) return 'paused';
  return start > now && tally.attempts === 0 ? 'scheduled' : 'running';
}

/** The fields of a snapshot, as a program reads it: see `vagent help progress`. Times are UTC ISO 8601. */
const FIELDS: Record<string, (progress: Progress) => unknown> = {
  campaign_id: ({ campaignId }) => campaignId,
  campaign_name: ({ name }) => name,
  at: ({ at }) => isoTime(at),
  status: ({ phase }) => phase,
  reason: ({ reason = null }) => reason,
  contacts: ({ tally }) => tally.contacts,
  states: ({ tally }) => tally.states,
  last_results: ({ tally }) => byName(tally.results),
  attempts: ({ tally }) => tally.attempts,
  ambiguous: ({ tally }) => tally.ambiguous,
  calls_last_hour: ({ callsLastHour }) => callsLastHour,
  calls_per_hour: ({ callsPerHour }) => callsPerHour,
  start_time: ({ start }) => isoTimeOrNull(start),
  first_call: ({ tally }) => isoTimeOrNull(tally.firstCall),
  last_call: ({ tally }) => isoTimeOrNull(tally.lastCall),
  expected_finish: ({ expectedFinish }) => isoTimeOrNull(expectedFinish),
  worst_case_finish: ({ latestFinish }) => isoTimeOrNull(latestFinish),
  is_over: ({ phase }) => phase === 'over',
  last_calls: ({ lastCalls }) =>
    lastCalls.map((call) => ({
      call_id: call.callId ?? null,
      timestamp: isoTime(call.at),
      called_to: call.number,
      call_status: call.status,
      call_duration: call.duration ?? null,
      call_outcome: call.outcome,
    })),
};

export const SNAPSHOT_FIELDS = Object.keys(FIELDS);

export function snapshotOf(progress: Progress): Record<string, unknown> {
  return Object.fromEntries(Object.entries(FIELDS).map(([name, read]) => [name, read(progress)]));
}

/** What changes with a call, in one text: what changes with the time alone is left out. */
export function newsOf(progress: Progress): string {
  const { phase, reason, tally, lastCalls } = progress;
  const { states, attempts, ambiguous } = tally;
  return JSON.stringify([phase, reason, states, attempts, ambiguous, lastCalls]);
}

// When it is expected to end: by what came of its calls so far and how fast it calls ---------------------------------------

export interface Standing
  extends Pick<NamedLaunch, 'start' | 'callsPerHour' | 'retryDelay'>,
    Pick<Tally, 'contacts' | 'attempts' | 'firstCall'> {
  /** Contacts that wait for a first or another attempt, and contacts whose last call was completed. */
  waiting: number;
  connected: number;
  callsLastHour: number;
  attemptsEach: number;
}

/** Undefined if no contact waits. Between an attempt and the next there is at least the delay, however fast the pace is. */
export function expectedFinish(standing: Standing, now: number): number | undefined {
  const { waiting, start, retryDelay } = standing;
  if (waiting === 0) return undefined;
  const from = Math.max(now, start);
  const byPace = from + (attemptsLeft(standing) * HOUR) / pace(standing, now);
  return Math.max(byPace, firstAttemptsEnd(standing, from, now) + (rounds(standing) - 1) * retryDelay);
}

/** As if there had been two calls before, one of them connected: the first calls alone say little. */
function connectedRate({ connected, attempts }: Standing): number {
  return (connected + 1) / (attempts + 2);
}

/** Each waiting contact has at least one attempt before it, and some have more: so many as were not connected so far. */
function attemptsLeft(standing: Standing): number {
  const { contacts, waiting, attempts, attemptsEach } = standing;
  const rate = connectedRate(standing);
  const each = (1 - (1 - rate) ** attemptsEach) / rate;
  return Math.min(waiting * attemptsEach, Math.max(waiting, contacts * each - attempts));
}

/** When everybody has been, or was, called once. */
function firstAttemptsEnd(standing: Standing, from: number, now: number): number {
  const { contacts, attempts, callsPerHour, firstCall = from } = standing;
  if (attempts < contacts) return from + ((contacts - attempts) * HOUR) / pace(standing, now);
  return firstCall + (contacts * HOUR) / callsPerHour;
}

/** The attempts of the contact that needs most: the next round is for those whom the one before did not reach. */
function rounds(standing: Standing): number {
  const missed = 1 - connectedRate(standing);
  let left = standing.contacts * missed;
  let round = 1;
  for (; round < standing.attemptsEach && left >= 0.5; round++) left *= missed;
  return round;
}

/** Calls an hour. A service may call more slowly than it may; that shows only while there is always somebody to call. */
function pace({ contacts, attempts, callsPerHour, callsLastHour, firstCall }: Standing, now: number): number {
  const isShown = firstCall !== undefined && firstCall <= now - HOUR && attempts < contacts && callsLastHour > 0;
  return isShown ? Math.min(callsPerHour, callsLastHour) : callsPerHour;
}
