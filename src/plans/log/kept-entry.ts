/** What is kept of an entry of the call log until it is known whose it is: transcripts of a day's calls would fill the memory. */

import { hash } from 'node:crypto';
import { callIdOf, markOf } from '../../calls/paging/identity.ts';
import { phoneOf, secondsOf, timeOf } from '../../calls/select.ts';
import { isVoicemail } from '../../campaigns/attribution/tally.ts';
import { type CallLogEntry, isCallStatus } from '../../contract.ts';
import { plainText } from '../../text/csv.ts';
import { HOUR, SECOND } from '../../text/units.ts';
import type { LoadedPlan } from '../rules/plan.ts';
import type { SeenCall } from './attempts.ts';

/** The farthest that a time without a zone may be from the real one. */
export const ANY_ZONE = 14 * HOUR;
/** Milliseconds by which a service may correct the time of a call. */
export const SAME_CALL = 30 * SECOND;
/** Characters of a hash. */
const IDENTITY_LENGTH = 16;

export interface KeptEntry {
  /** Without its transcript; its `call_id` is its mark. */
  call: CallLogEntry;
  mark: string;
  /** `phoneKeyOfDigits` of the number that was called. */
  phone: number;
  /** When it was made, by what it says itself; undefined if that cannot be read. Milliseconds since the epoch. */
  at: number | undefined;
  /** Whether that names its zone. */
  isCertain: boolean;
  result: Pick<SeenCall, 'status' | 'outcome' | 'isVoicemail' | 'seconds' | 'callId' | 'recordingUrl'> & {
    identity: string;
  };
}

/** Undefined for a phone that the plan does not have. `redact` masks the key: a service may repeat it in anything it says. */
export function keptEntry(
  entry: CallLogEntry,
  { roster }: Pick<LoadedPlan, 'roster'>,
  redact: (text: string) => string,
): KeptEntry | undefined {
  const phone = phoneIn(entry);
  if (roster.rowsOfPhone(phone).length === 0) return undefined;
  const mark = markOf(entry);
  const time = timeOf(entry);
  const { transcript: _, ...call } = entry;
  const recordingUrl = redact(plainText(entry.recording_url));
  const callId = callIdOf(entry);
  const status = redact(plainText(entry.call_status));
  return {
    call: { ...call, call_id: mark },
    mark,
    phone,
    at: time?.epochMs,
    isCertain: time?.hasOffset === true,
    result: {
      status,
      outcome: redact(plainText(entry.call_outcome)),
      isVoicemail: status === 'completed' && isVoicemail(entry),
      seconds: secondsOf(entry) ?? 0,
      identity: identityOf(entry, phone),
      ...(callId !== undefined && { callId: redact(callId) }),
      ...(recordingUrl !== '' && { recordingUrl }),
    },
  };
}

/** `phoneKeyOfDigits` of the number that was called. */
export function phoneIn({ called_to }: CallLogEntry): number {
  return Number(phoneOf(called_to).slice(1));
}

/** The same for an entry whatever changes in it: without a call_id, who was called by whom and when is that. */
function identityOf(entry: CallLogEntry, phone: number): string {
  const { agent_id, call_from, timestamp } = entry;
  const same = JSON.stringify([phone, callIdOf(entry) ?? [agent_id, call_from, timestamp]]);
  return hash('sha256', same, 'base64url').slice(0, IDENTITY_LENGTH);
}

/** Whether nothing more is expected of an entry. */
export function isFinal({ result }: KeptEntry): boolean {
  return isCallStatus(result.status);
}
