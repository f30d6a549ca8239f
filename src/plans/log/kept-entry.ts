/** What is kept of an entry of the call log until it is known whose it is: transcripts of a day's calls would fill the memory. */

import { isVoicemail } from '../../calls/attribution/states.ts';
import { instantOf, phoneOf, secondsOf } from '../../calls/select.ts';
import { CALL_STATUSES, type CallLogEntry } from '../../contract.ts';
import { callIdOf, markOf } from '../../paging/identity.ts';
import { plainText } from '../../text/csv.ts';
import type { LoadedPlan } from '../plan.ts';
import type { SeenCall } from '../settle.ts';

export interface KeptEntry {
  /** Without its transcript; its `call_id` is its mark. */
  call: CallLogEntry;
  mark: string;
  /** `phoneKeyOfDigits` of the number that was called. */
  phone: number;
  /** When it was made, by what it says itself; undefined if that cannot be read. Milliseconds since the epoch. */
  at: number | undefined;
  result: Pick<SeenCall, 'status' | 'outcome' | 'isVoicemail' | 'seconds' | 'callId' | 'recordingUrl'>;
}

/** Undefined if it is to a phone that the plan does not have. */
export function keptEntry(entry: CallLogEntry, { roster }: LoadedPlan): KeptEntry | undefined {
  const phone = Number(phoneOf(entry.called_to).slice(1));
  if (roster.rowsOfPhone(phone).length === 0) return undefined;
  const mark = markOf(entry);
  const { transcript: _, ...call } = entry;
  const recordingUrl = plainText(entry.recording_url);
  const callId = callIdOf(entry);
  const status = plainText(entry.call_status);
  return {
    call: { ...call, call_id: mark },
    mark,
    phone,
    at: instantOf(entry),
    result: {
      status,
      outcome: plainText(entry.call_outcome),
      isVoicemail: status === 'completed' && isVoicemail(entry),
      seconds: secondsOf(entry) ?? 0,
      ...(callId !== undefined && { callId }),
      ...(recordingUrl !== '' && { recordingUrl }),
    },
  };
}

/** Whether nothing more is expected of an entry. */
export function isFinal({ result }: KeptEntry): boolean {
  return CALL_STATUSES.some((status) => status === result.status);
}
