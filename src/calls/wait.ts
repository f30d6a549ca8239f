/** Which entry of the call log belongs to a call that was just placed: the service's answer to the call does not name it. */
import { CALL_STATUSES, type CallLogEntry, type RequestOf } from '../contract.ts';
import { plainText } from '../csv.ts';
import { CLOCK_LAG, certainInstantOf, phoneNumberOf } from './select.ts';

export interface PlacedCall {
  request: RequestOf<'triggerCall'>;
  /** Milliseconds since the epoch, by the clock of whoever asked for the call. */
  at: number;
  /** The call_ids that the same agent and numbers had before. */
  earlier: ReadonlySet<string>;
}

/** Whether an entry has the agent and both numbers of a request. */
export function isBetween(
  { agent_id, called_to, call_from }: CallLogEntry,
  request: RequestOf<'triggerCall'>,
): boolean {
  return (
    agent_id === request.use_agent_id &&
    phoneNumberOf(called_to) === request.called_to &&
    phoneNumberOf(call_from) === request.call_from
  );
}

/** Whether an entry may be that of the call. Several may: then nobody can tell which it is. */
export function mayBe(call: CallLogEntry, { request, at, earlier }: PlacedCall): boolean {
  return isBetween(call, request) && !earlier.has(call.call_id) && (certainInstantOf(call) ?? at) >= at - CLOCK_LAG;
}

/** Services may send the turns of a conversation as a list. */
const NO_TRANSCRIPT: ReadonlySet<string> = new Set(['', '[]', '{}']);

/** Whether nothing more is to be expected of an entry: its status is a final one, and a completed call has its transcript. */
export function isSettled({ call_status, transcript }: CallLogEntry): boolean {
  if (call_status === 'completed') return !NO_TRANSCRIPT.has(plainText(transcript).trim());
  return CALL_STATUSES.some((status) => status === call_status);
}

/** Milliseconds between the first two looks at the log, and between two looks at most. */
export const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 10_000;
const GROWTH = 1.5;

/** Milliseconds: a call that has not ended after a while is not expected at any moment. */
export function pauseAfter(pause: number): number {
  return Math.min(LONGEST_PAUSE, pause * GROWTH);
}
