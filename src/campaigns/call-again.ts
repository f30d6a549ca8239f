/** Which contacts of a campaign are to be called again: by what came of them, and by what has happened since. */

import { markOf } from '../calls/paging/identity.ts';
import { certainInstantOf, phoneOf } from '../calls/select.ts';
import type { CallLogEntry, ContactState } from '../contract.ts';
import { phoneKey } from '../text/phone.ts';
import type { ContactOutcome } from './attribution/attribution.ts';
import { isVoicemail } from './attribution/tally.ts';

/** Why a contact is not called again although its state would have it; the first that applies is counted. */
const HELD_BACK = ['do_not_call', 'unknown', 'waiting', 'reached', 'excluded', 'repeated'] as const;
export type HeldBack = (typeof HELD_BACK)[number];

/** The states that are called again unless others are named. */
export const CALLED_AGAIN: readonly ContactState[] = ['busy', 'no_answer', 'voicemail'];

/** What is known of phones besides the campaign. Numbers are E.164. */
export interface Meanwhile {
  reached: ReachedPhones;
  /** Whether a request of unknown outcome may call the phone, or may have called it. */
  isUnknown(number: string): boolean;
  /** Whether the phone still waits in another campaign. */
  isWaiting(number: string): boolean;
  isExcluded(number: string): boolean;
  /** Whether its owner opted out of calls. */
  hasOptedOut(number: string): boolean;
}

/** Conversations with people, from the entries of the log of all agents and numbers. */
export class ReachedPhones {
  /** By phone. */
  readonly #conversations = new Map<string, { mark: string; at: number | undefined }[]>();

  /** Takes each entry once. */
  take(call: CallLogEntry): void {
    if (call.call_status !== 'completed' || isVoicemail(call)) return;
    const phone = phoneOf(call.called_to);
    const standing = this.#conversations.get(phone);
    const conversation = { mark: markOf(call), at: certainInstantOf(call) };
    if (standing === undefined) this.#conversations.set(phone, [conversation]);
    else standing.push(conversation);
  }

  /**
   * Whether somebody talked on the phone in a call other than `own`, not before `since`, in milliseconds since the epoch. A
   * conversation whose time is not known counts: nobody is called twice for want of a time.
   */
  since(phone: string, since: number, own: readonly { mark: string }[]): boolean {
    return (this.#conversations.get(phone) ?? []).some(
      ({ mark, at }) => (at === undefined || at >= since) && !own.some((call) => call.mark === mark),
    );
  }
}

export interface CallAgain {
  /** The places of the contacts in the campaign, in its order. */
  rows: number[];
  heldBack: Record<HeldBack, number>;
  /** How many of those to call have a call that may be of another campaign, so that this one may still call them. */
  ambiguous: number;
}

/** A campaign, and what is known besides. */
export interface Choice {
  /** The states that are called again. */
  states: ReadonlySet<ContactState>;
  /** When the campaign began, in milliseconds since the epoch. */
  start: number;
  /** Of its contacts, in their order. */
  numbers: readonly string[];
  meanwhile: Meanwhile;
}

/**
 * `outcomes` are those of the campaign, in the order of its contacts. A contact that was reached itself is held back only for a
 * conversation after its own.
 */
export function chooseAgain(
  outcomes: Iterable<ContactOutcome>,
  { states, start, numbers, meanwhile }: Choice,
): CallAgain {
  const { reached, isUnknown, isWaiting, isExcluded, hasOptedOut } = meanwhile;
  const rows: number[] = [];
  const heldBack = Object.fromEntries(HELD_BACK.map((reason) => [reason, 0])) as CallAgain['heldBack'];
  const taken = new Set<string>();
  let ambiguous = 0;
  for (const outcome of outcomes) {
    const { row, state, calls } = outcome;
    if (!states.has(state)) continue;
    const number = numbers[row] ?? '';
    const phone = phoneKey(number);
    const since = state === 'reached' ? Math.max(start, ...calls.flatMap(({ at }) => at ?? [])) : start;
    if (hasOptedOut(number)) heldBack.do_not_call++;
    else if (isUnknown(number)) heldBack.unknown++;
    else if (isWaiting(number)) heldBack.waiting++;
    else if (reached.since(phone, since, calls)) heldBack.reached++;
    else if (isExcluded(number)) heldBack.excluded++;
    else if (taken.has(phone)) heldBack.repeated++;
    else {
      taken.add(phone);
      rows.push(row);
      if (outcome.isAmbiguous) ambiguous++;
    }
  }
  return { rows, heldBack, ambiguous };
}
