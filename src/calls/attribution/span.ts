/** When a request's calls can be made. */
import type { Span } from './launched.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Milliseconds by which the service's clock is known no better, where an answer of it told the time. */
const MEASURED = 2 * SECOND;
/** The same where none did. */
const UNMEASURED = 2 * MINUTE;
/** Milliseconds after its answer within which a service makes a single call. */
const CALL_DELAY = 10 * MINUTE;
/** The same while nobody knows when, or whether, it answered. */
const UNANSWERED_DELAY = 15 * MINUTE;

export interface CampaignTimes {
  /** By the service's clock. */
  start: number;
  isMeasured: boolean;
  contacts: number;
  callsPerHour: number;
  attempts: number;
  /** Milliseconds. */
  retryDelay: number;
}

/** From its start until twice as long as its pace and its retries can take, and two days. */
export function campaignSpan(times: CampaignTimes): Span {
  const { start, isMeasured, contacts, callsPerHour, attempts, retryDelay } = times;
  const longest = (contacts * attempts * HOUR) / callsPerHour + (attempts - 1) * retryDelay;
  return { from: start - (isMeasured ? MEASURED : UNMEASURED), until: start + 2 * longest + 2 * DAY };
}

/** From when it was sent until some minutes after the answer; `answered` is undefined if none came. */
export function callSpan(sent: number, answered: number | undefined, isMeasured: boolean): Span {
  const until = answered === undefined ? sent + UNANSWERED_DELAY : answered + CALL_DELAY;
  const margin = isMeasured ? MEASURED : UNMEASURED;
  return { from: sent - margin, until: until + margin };
}
