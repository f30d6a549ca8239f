/**
 * What the local engine does where the interface says "not shown". Each choice is one constant or function here and one row of
 * the table in `vagent help fidelity`. The remote client relies on none of them.
 */
import { FIRST_INSTANT, FIRST_ORGANIZATION, LAST_INSTANT, parseInstant } from '../contract.ts';
import { DAY, SECOND } from '../text/units.ts';
import { micros } from './money.ts';

/** get-agents limits `limit` like get-call-logs, because the interface shows no maximum for it. */
export const MAX_AGENTS_LIMIT = 1000;

/** Bounds of create-campaign: wide enough for any real campaign, and small enough that arithmetic stays exact. */
export const MAX_CALLS_PER_HOUR = 3_600_000;
export const MAX_RETRY_ATTEMPTS = 100;
/** Seconds. */
export const MAX_RETRY_DELAY = (30 * DAY) / SECOND;
export const MAX_CONTACTS = 1_000_000;

/** Characters in the name of an agent or a campaign, and in every other text. */
export const MAX_NAME_LENGTH = 1_000;
export const MAX_TEXT_LENGTH = 100_000;

const MIB = 1024 * 1024;

/** Limits of a request body; a larger one is refused before any of it is parsed. */
export const BODY_LIMITS = {
  bytes: MIB,
  /** For requests with a list: enough for a campaign of a million contacts with instructions. */
  bytesWithList: 256 * MIB,
  /** The deepest nesting of objects and arrays. */
  depth: 32,
  /** The number of objects and arrays: a million contacts, and room for fields that are ignored. */
  containers: 1_100_000,
  /** Bytes of all names in one object. */
  nameBytes: 64 * 1024,
};

/** The interface names 0.2 for trigger-call; create-campaign and every dial of a campaign require the same. */
export const MINIMUM_BALANCE = micros('0.2');

/** New agents can call at once: the interface allows `active` or `draft`. */
export const NEW_AGENT_STATUS = 'active';

/** Only an agent of this status places calls. */
export const CALLING_AGENT_STATUS = 'active';

/** The outcome of a call that reached nobody: the interface leaves the list of outcomes open. */
export const NOT_CONNECTED = 'not_connected';

/** Why a campaign is paused. */
export const PAUSE_REASONS = ['operator', 'insufficient_balance', 'agent_not_active'] as const;

/** The outcome model of a new store; an operator can change it for each store. */
export const DEFAULT_SCENARIO = {
  /** The four rates add up to 1. */
  answer_rate: 0.62,
  busy_rate: 0.12,
  no_answer_rate: 0.2,
  failed_rate: 0.06,
  /** Seconds of a completed conversation. */
  median_duration: 75,
  min_duration: 20,
  max_duration: 240,
  /** Millionths for each started minute of a completed conversation. */
  price_per_minute: micros('0.1'),
};

/** Bounds of a scenario's conversations in seconds: whoever answers says something, and nobody talks for more than a day. */
export const SHORTEST_CONVERSATION = 1;
export const LONGEST_CONVERSATION = DAY / SECOND;

/** Millionths: even after the most expensive conversation, the balance must be an exact integer. */
export const MAX_PRICE_PER_MINUTE = micros('1000');

/** The share of completed calls with a recording. */
export const RECORDED_SHARE = 0.9;

/** Destinations that always end the same way, so that a test does not depend on the random seed. */
const FIXED_ENDINGS: Record<string, string> = {
  '5550190': 'completed',
  '5550191': 'busy',
  '5550192': 'no_answer',
  '5550193': 'failed',
};

/** The status that a destination's last digits fix for this attempt (1 is the first); undefined if it is random. */
export function fixedStatus(calledTo: string, attempt: number): string | undefined {
  const ending = calledTo.slice(-7);
  if (ending === '5550194') return attempt === 1 ? 'busy' : 'completed';
  return FIXED_ENDINGS[ending];
}

/** Whether trigger-call to this destination answers 500. */
export function alwaysFailsToPlace(calledTo: string): boolean {
  return calledTo.endsWith('5550199');
}

/** `start_time` in milliseconds: without an offset it is UTC, and a time in the past means now. */
export function startInstant(startTime: string | undefined, now: number): number {
  return Math.max(now, (startTime === undefined ? undefined : parseInstant(startTime)?.epochMs) ?? now);
}

/**
 * The calendar and the engine's clock end with the year 9999. Later events never happen: a retry is not made, and a campaign
 * whose next slot is beyond stays as it is.
 */
export function isWithinCalendar(instant: number): boolean {
  return instant <= LAST_INSTANT;
}

/** What a clock shows, limited to the calendar. */
export function withinCalendar(instant: number): number {
  return Math.min(LAST_INSTANT, Math.max(FIRST_INSTANT, instant));
}

/** `start_date` and `end_date` are whole UTC days, both included: returns the half-open range [from, until) in milliseconds. */
export function dayRange(startDate: string | undefined, endDate: string | undefined): { from: number; until: number } {
  return {
    from: startDate === undefined ? Number.NEGATIVE_INFINITY : Date.parse(`${startDate}T00:00:00Z`),
    until: endDate === undefined ? Number.POSITIVE_INFINITY : Date.parse(`${endDate}T00:00:00Z`) + DAY,
  };
}

/**
 * `call_` and ten digits, counting up, so that text order is the order of the calls; of another organization than the first with
 * its id before the digits.
 */
export function callId(organizationId: number, number: number): string {
  const digits = String(number).padStart(10, '0');
  return organizationId === FIRST_ORGANIZATION ? `call_${digits}` : `call_${organizationId}_${digits}`;
}

/** Its digits as a number. */
export function callNumber(id: string): number {
  return Number(id.slice(id.lastIndexOf('_') + 1));
}
