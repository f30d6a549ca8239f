/** Finds the call log entry of a call that was just placed: the service's answer to trigger-call does not identify it. */
import { type CallLogEntry, isCallStatus, type RequestOf } from '../contract.ts';
import { markOf } from '../paging/identity.ts';
import { plainText } from '../text/csv.ts';
import { phoneKey } from '../text/phone.ts';
import { CLOCK_LAG, certainInstantOf, phoneOf } from './select.ts';

export interface PlacedCall {
  request: RequestOf<'triggerCall'>;
  /** Milliseconds since the epoch, by the clock of the program that asked for the call. */
  at: number;
  /** The marks (`markOf`) of earlier entries with the same agent and numbers. */
  earlier: ReadonlySet<string>;
}

/** Whether an entry has the agent and both numbers of a request. */
export function isBetween(
  { agent_id, called_to, call_from }: CallLogEntry,
  request: RequestOf<'triggerCall'>,
): boolean {
  return (
    agent_id === request.use_agent_id &&
    phoneOf(called_to) === phoneKey(request.called_to) &&
    phoneOf(call_from) === phoneKey(request.call_from)
  );
}

/** Whether an entry may be that of the call. If several may be, there is no way to decide which one is. */
export function mayBe(call: CallLogEntry, { request, at, earlier }: PlacedCall): boolean {
  return isBetween(call, request) && !earlier.has(markOf(call)) && (certainInstantOf(call) ?? at) >= at - CLOCK_LAG;
}

/** Services may send the turns of a conversation as a list. */
const NOTHING: ReadonlySet<string> = new Set(['', '[]', '{}']);

/** Whether a field is still empty. */
function isBlank(value: unknown): boolean {
  return NOTHING.has(plainText(value).trim());
}

/** Whether the call is over and the entry reports it: its status is final, and a completed call has its transcript. */
export function isReported({ call_status, transcript }: CallLogEntry): boolean {
  if (call_status === 'completed') return !isBlank(transcript);
  return isCallStatus(call_status);
}

/** Whether nothing more will be added to an entry: a completed call also has its outcome. */
export function isSettled(call: CallLogEntry): boolean {
  return isReported(call) && !(call.call_status === 'completed' && isBlank(call.call_outcome));
}

/** Milliseconds between the first two looks at the log, and the longest pause between two looks. */
export const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 10_000;
const GROWTH = 1.5;

/** Milliseconds: the longer a call has lasted, the longer the pause. */
export function nextPause(pause: number): number {
  return Math.min(LONGEST_PAUSE, pause * GROWTH);
}
