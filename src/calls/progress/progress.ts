/** How far a campaign is, at one moment. */
import type { Tally } from '../attribution/attribution.ts';
import type { LaunchedCampaign } from '../attribution/launched.ts';
import { CONTACT_STATES } from '../attribution/states.ts';
import { expectedFinish } from './forecast.ts';
import type { RecentCall, Recently } from './recent-calls.ts';

/** `paused` is known of the local engine's campaigns alone. */
export type Phase = 'scheduled' | 'running' | 'paused' | 'over';

export interface Progress {
  /** Unique among campaigns. */
  key: number;
  campaignId: number;
  name: string;
  phase: Phase;
  /** Why it is paused. */
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

export interface ProgressParts extends Pick<Progress, 'key' | 'campaignId' | 'name' | 'latestFinish' | 'tally'> {
  launched: Pick<LaunchedCampaign, 'start' | 'callsPerHour' | 'attempts' | 'retryDelay'>;
  recently: Recently;
  /** Undefined if it is not known to be paused. */
  paused: { reason: string } | undefined;
}

export function progressOf(parts: ProgressParts, now: number): Progress {
  const { key, campaignId, name, latestFinish, launched, tally, recently, paused } = parts;
  const { start, callsPerHour, attempts, retryDelay } = launched;
  const callsLastHour = recently.inLastHour;
  const standing = {
    ...{ contacts: tally.contacts, waiting: tally.states.waiting, attempts: tally.attempts },
    ...{ answered: tally.states.reached + tally.states.voicemail, attemptsEach: attempts, retryDelay },
    ...{ callsPerHour, callsLastHour, start, firstCall: tally.firstCall },
  };
  const phase = phaseOf(parts, now);
  return {
    ...{ key, campaignId, name, phase, reason: paused?.reason, at: now, start, tally, callsLastHour, callsPerHour },
    expectedFinish: phase === 'paused' ? undefined : notLater(expectedFinish(standing, now), latestFinish),
    ...{ latestFinish, lastCalls: recently.last },
  };
}

/** While the service may still complete a call, what came of its contact is not certain. */
function phaseOf({ tally, recently, launched, paused }: ProgressParts, now: number): Phase {
  if (tally.states.waiting === 0 && recently.open === 0) return 'over';
  if (paused !== undefined) return 'paused';
  return launched.start > now && tally.attempts === 0 ? 'scheduled' : 'running';
}

/** A pace that is kept only on the average can make the expectation later than the last possible call. */
function notLater(expected: number | undefined, latest: number): number | undefined {
  return expected === undefined ? undefined : Math.min(expected, latest);
}

/** The fields of a snapshot, as a program reads it: see `vagent help campaigns`. Times are UTC ISO 8601. */
export function snapshotOf(progress: Progress): Record<string, unknown> {
  const { tally, at, callsLastHour, callsPerHour, lastCalls } = progress;
  return {
    campaign_id: progress.campaignId,
    campaign_name: progress.name,
    at: isoTime(at),
    status: progress.phase,
    reason: progress.reason ?? null,
    contacts: tally.contacts,
    states: Object.fromEntries(CONTACT_STATES.map((state) => [state, tally.states[state]])),
    attempts: tally.attempts,
    ambiguous: tally.ambiguous,
    calls_last_hour: callsLastHour,
    calls_per_hour: callsPerHour,
    start_time: isoTime(progress.start),
    first_call: isoTime(tally.firstCall),
    last_call: isoTime(tally.lastCall),
    expected_finish: isoTime(progress.expectedFinish),
    worst_case_finish: isoTime(progress.latestFinish),
    is_over: progress.phase === 'over',
    last_calls: lastCalls.map((call) => ({
      call_id: call.callId ?? null,
      timestamp: isoTime(call.at),
      called_to: call.number,
      call_status: call.status,
      call_duration: call.duration ?? null,
      call_outcome: call.outcome,
    })),
  };
}

export const SNAPSHOT_FIELDS = [
  ...['campaign_id', 'campaign_name', 'at', 'status', 'reason', 'contacts', 'states', 'attempts', 'ambiguous'],
  ...['calls_last_hour', 'calls_per_hour', 'start_time', 'first_call', 'last_call', 'expected_finish'],
  ...['worst_case_finish', 'is_over', 'last_calls'],
];

/** What changes with a call, in one text: what changes with the time alone is left out. */
export function newsOf(progress: Progress): string {
  const { phase, reason, tally, lastCalls } = progress;
  const { states, attempts, ambiguous } = tally;
  return JSON.stringify([phase, reason, states, attempts, ambiguous, lastCalls]);
}

function isoTime(at: number): string;
function isoTime(at: number | undefined): string | null;
function isoTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
