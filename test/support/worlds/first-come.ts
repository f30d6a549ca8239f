/** The simplest matcher that one could write: an entry is of the first who could have made it. The examiner must find fault with it. */

import { markOf } from '../../../src/calls/paging/identity.ts';
import { instantOf, phoneOf, secondsOf } from '../../../src/calls/select.ts';
import type { ContactOutcome } from '../../../src/campaigns/attribution/attribution.ts';
import type { KeptCall } from '../../../src/campaigns/attribution/entries.ts';
import { type Tally, isVoicemail } from '../../../src/campaigns/attribution/tally.ts';
import { type CallLogEntry, CONTACT_STATES, type ContactState } from '../../../src/contract.ts';
import { plainText } from '../../../src/text/csv.ts';
import { phoneKey, phoneKeyOfDigits } from '../../../src/text/phone.ts';
import type { Attribution, Launched, Owner } from './keyed.ts';

export function firstCome({ campaigns, calls }: Launched): Attribution {
  const taken = new Map<string, CallLogEntry>();
  const owners = new Map<string, Owner>();
  const kept = new Map<number, KeptCall[][]>();
  const [any] = [...campaigns, ...calls];
  const known = new Set([
    ...campaigns.flatMap(({ contacts }) => [...contacts.phones]),
    ...calls.map(({ to }) => phoneKeyOfDigits(Number(to.slice(1)))),
  ]);
  const keyOf = (call: CallLogEntry) => phoneKeyOfDigits(Number(phoneOf(call.called_to).slice(1)));
  const claim = (call: CallLogEntry, mark: string) => {
    const at = instantOf(call) ?? 0;
    const isDuring = ({ span }: (typeof calls)[number] | (typeof campaigns)[number]) =>
      at >= span.from && at <= span.until;
    const single = calls.find((sent) => isDuring(sent) && phoneKey(sent.to) === phoneOf(call.called_to));
    if (single !== undefined) {
      owners.set(mark, { kind: 'call', key: single.key, isAmbiguous: false });
      return;
    }
    for (const sent of campaigns.filter(isDuring)) {
      const row = sent.contacts.phones.indexOf(keyOf(call));
      const before = kept.get(sent.key)?.[row];
      if (before === undefined || before.length >= sent.attempts) continue;
      before.push({
        ...{ mark, callId: plainText(call.call_id), at, status: plainText(call.call_status) },
        ...{ outcome: plainText(call.call_outcome), duration: secondsOf(call) ?? 0, recordingUrl: undefined },
      });
      owners.set(mark, { kind: 'campaign', key: sent.key, row, attempt: before.length, isAmbiguous: false });
      return;
    }
  };
  const outcomesOf = (key: number): ContactOutcome[] => {
    const most = campaigns.find((sent) => sent.key === key)?.attempts ?? 0;
    return (kept.get(key) ?? []).map((all, row) => ({
      row,
      state: stateOf(all, most),
      calls: all,
      isAmbiguous: false,
    }));
  };
  return {
    take(call) {
      const isOurs = any?.agentId === call.agent_id && any?.from === call.call_from && known.has(keyOf(call));
      if (isOurs) taken.set(markOf(call), call);
      return isOurs;
    },
    resolve() {
      owners.clear();
      kept.clear();
      for (const { key, contacts } of campaigns)
        kept.set(
          key,
          Array.from(contacts.phones, () => []),
        );
      const inOrder = [...taken].toSorted(([, left], [, right]) => (instantOf(left) ?? 0) - (instantOf(right) ?? 0));
      for (const [mark, call] of inOrder) claim(call, mark);
    },
    ownerOf: (mark) => owners.get(mark),
    timeOf(mark) {
      const call = taken.get(mark);
      return call && instantOf(call);
    },
    outcomesOf,
    tallyOf: (key) => tallied(outcomesOf(key)),
    get unclaimed() {
      return taken.size - owners.size;
    },
    get ofCalls() {
      return [...owners.values()].filter(({ kind }) => kind === 'call').length;
    },
  };
}

function stateOf(calls: readonly KeptCall[], most: number): ContactState {
  const completed = calls.filter(({ status }) => status === 'completed');
  if (completed.length > 0) {
    return completed.every(({ outcome }) => isVoicemail({ call_outcome: outcome })) ? 'voicemail' : 'reached';
  }
  return calls.length < most ? 'waiting' : (calls.at(-1)?.status as ContactState);
}

function tallied(outcomes: readonly ContactOutcome[]): Tally {
  const calls = outcomes.flatMap((outcome) => outcome.calls);
  const states = Object.fromEntries(CONTACT_STATES.map((state) => [state, 0])) as Tally['states'];
  for (const { state } of outcomes) states[state] += 1;
  const byStatus: Tally['byStatus'] = {};
  for (const { status } of calls) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const times = calls.flatMap(({ at }) => (at === undefined ? [] : [at]));
  return {
    ...{ contacts: outcomes.length, states, attempts: calls.length, ambiguous: 0, byStatus, byHour: new Map() },
    firstCall: times.length === 0 ? undefined : Math.min(...times),
    lastCall: times.length === 0 ? undefined : Math.max(...times),
  };
}
