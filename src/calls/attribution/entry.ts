/** What is kept of an entry of the call log to find out whose it is, and to tell what came of it. */
import { type CallLogEntry, parseInstant } from '../../contract.ts';
import { isUnnamed, markOf } from '../../paging/identity.ts';
import { plainText } from '../../text/csv.ts';
import { secondsOf } from '../select.ts';
import type { KeptCall } from './attribution.ts';
import { isVoicemail } from './states.ts';

export interface Entry extends Omit<KeptCall, 'callId'> {
  /** The place of its phone among those that were called. */
  phone: number;
  /** Where its time names no zone: that time, read as UTC. */
  written: number | undefined;
  isCompleted: boolean;
  isVoicemail: boolean;
  /** Undefined where the service echoes nothing. */
  echo: Echo | undefined;
  /** Whose it is: the claim, or -1. */
  claim: number;
  /** Whose it would be by the rules alone, before habits are looked at. */
  byRules: number;
  attempt: number;
  isAmbiguous: boolean;
  /** Whether another could claim it by the rules. */
  isContested: boolean;
  /** The next entry of the same phone, in no order. */
  next: Entry | undefined;
}

/** What a service shows of the request beyond the interface. */
export interface Echo {
  identifier: string | undefined;
  campaignId: number | undefined;
}

/** `only` returns the same text for equal ones: a million entries have few different labels. */
export function entryOf(call: CallLogEntry, phone: number, only: (text: string) => string): Entry {
  const { timestamp, recording_url } = call;
  const instant = typeof timestamp === 'string' ? parseInstant(timestamp) : undefined;
  const status = only(plainText(call.call_status));
  const isCompleted = status === 'completed';
  return {
    mark: markOf(call),
    at: instant?.epochMs,
    status,
    outcome: only(plainText(call.call_outcome)),
    duration: secondsOf(call) ?? 0,
    recordingUrl: plainText(recording_url) || undefined,
    phone,
    written: instant?.hasOffset === false ? instant.epochMs : undefined,
    isCompleted,
    isVoicemail: isCompleted && isVoicemail(call),
    echo: echoOf(call),
    claim: -1,
    byRules: -1,
    attempt: 0,
    isAmbiguous: false,
    isContested: false,
    next: undefined,
  };
}

function echoOf({ custom_identifiers, campaign_id }: CallLogEntry): Echo | undefined {
  if (custom_identifiers === undefined && campaign_id === undefined) return undefined;
  // A list or an object is something of the service's own.
  const identifier =
    typeof custom_identifiers === 'object' ? undefined : plainText(custom_identifiers).trim() || undefined;
  // Campaigns are counted from 1: a 0 means none.
  const campaignId = /^0*[1-9]\d{0,14}$/.test(plainText(campaign_id)) ? Number(campaign_id) : undefined;
  return identifier === undefined && campaignId === undefined ? undefined : { identifier, campaignId };
}

export function keptOf({ mark, at, status, outcome, duration, recordingUrl }: Entry): KeptCall {
  return { mark, callId: isUnnamed(mark) ? undefined : mark, at, status, outcome, duration, recordingUrl };
}
