/** What came of a contact. */
import type { CallLogEntry } from '../../contract.ts';
import { plainText } from '../../text/csv.ts';

/**
 * `reached`: a call was completed, and not with a machine. `voicemail`: one was completed, with a machine. `busy`, `no_answer`,
 * `failed`: the last status, when no attempt is left or the campaign is over. `waiting`: for a first or another attempt.
 * `never_called`: the campaign is over and did not call.
 */
export const CONTACT_STATES = [
  'reached',
  'voicemail',
  'busy',
  'no_answer',
  'failed',
  'waiting',
  'never_called',
] as const;

export type ContactState = (typeof CONTACT_STATES)[number];

/** What the state of a contact depends on: its calls, the oldest first, and what may still come. */
export function stateOf(
  calls: readonly { status: string; isCompleted: boolean; isVoicemail: boolean }[],
  attempts: number,
  isOver: boolean,
): ContactState {
  if (calls.some(({ isCompleted, isVoicemail }) => isCompleted && !isVoicemail)) return 'reached';
  if (calls.some(({ isCompleted }) => isCompleted)) return 'voicemail';
  const last = calls.at(-1);
  if (last === undefined) return isOver ? 'never_called' : 'waiting';
  if (calls.length < attempts && !isOver) return 'waiting';
  if (last.status === 'busy' || last.status === 'no_answer' || last.status === 'failed') return last.status;
  // A status of the service's own: a call that is still going on, or one that came to nothing.
  return isOver ? 'failed' : 'waiting';
}

/** Outcomes are labels of the service's own choice; these words are in those for a call that a machine took. */
const MACHINE = /voice.?mail|answering.?machine|\bmachine|\bamd\b|mailbox/i;

/** Whether a completed call was taken by a machine. */
export function isVoicemail({ call_outcome }: Pick<CallLogEntry, 'call_outcome'>): boolean {
  return MACHINE.test(plainText(call_outcome).replaceAll('_', ' '));
}
