/** What came of a contact. */
import { type CallLogEntry, type ContactState, resultOf } from '../../contract.ts';
import { plainText } from '../../text/csv.ts';

/** What the state of a contact depends on: its calls, the oldest first, and what may still come. */
export function stateOf(
  calls: readonly { status: string; isVoicemail: boolean }[],
  attempts: number,
  isOver: boolean,
): ContactState {
  const results = calls.map(resultOf);
  if (results.includes('reached')) return 'reached';
  if (results.includes('voicemail')) return 'voicemail';
  const last = calls.at(-1);
  if (last === undefined) return isOver ? 'never_called' : 'waiting';
  if (calls.length < attempts && !isOver) return 'waiting';
  // A status of the service's own: a call that is still going on, or one that came to nothing.
  return results.at(-1) ?? (isOver ? 'failed' : 'waiting');
}

/** Outcomes are labels of the service's own choice; these words are in those for a call that a machine took. */
const MACHINE = /voice.?mail|answering.?machine|\bmachine|\bamd\b|mailbox/i;

/** Whether a completed call was taken by a machine. */
export function isVoicemail({ call_outcome }: Pick<CallLogEntry, 'call_outcome'>): boolean {
  return MACHINE.test(plainText(call_outcome).replaceAll('_', ' '));
}
