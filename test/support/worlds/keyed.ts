/** The attribution of what has a number each, as worlds and cases name it. */
import { markOf } from '../../../src/calls/paging/identity.ts';
import * as attribution from '../../../src/campaigns/attribution/attribution.ts';
import type { Party, Span } from '../../../src/campaigns/attribution/party.ts';
import type { Tally } from '../../../src/campaigns/attribution/tally.ts';
import type { CallLogEntry } from '../../../src/contract.ts';
import { phoneKeyOfNumber } from '../../../src/text/phone.ts';

export interface LaunchedCampaign extends Party {
  key: number;
}

export interface LaunchedCall {
  key: number;
  agentId: number;
  /** E.164. */
  from: string;
  to: string;
  identifier: string | undefined;
  start: number;
  span: Span;
}

export interface Launched {
  campaigns: readonly LaunchedCampaign[];
  calls: readonly LaunchedCall[];
}

export type Owner =
  | { kind: 'campaign'; key: number; row: number; attempt: number; isAmbiguous: boolean }
  | { kind: 'call'; key: number; isAmbiguous: boolean };

export interface Attribution {
  take(call: CallLogEntry): boolean;
  resolve(now: number): void;
  ownerOf(mark: string): Owner | undefined;
  timeOf(mark: string): number | undefined;
  tallyOf(key: number): Tally;
  outcomesOf(key: number): Iterable<attribution.ContactOutcome>;
  /** Entries of those that were taken which nobody claims. */
  readonly unclaimed: number;
  /** Entries that single calls claim. */
  readonly ofCalls: number;
}

export function attribute({ campaigns, calls }: Launched, steps?: number): Attribution {
  const singles = calls.map(({ key, agentId, from, to, identifier, start, span }): LaunchedCampaign => {
    const contacts = { phones: Float64Array.of(phoneKeyOfNumber(to)), identifierOf: () => identifier };
    const once = { callsPerHour: 1, attempts: 1, retryDelay: 0, isSingleCall: true as const };
    return { key, agentId, from, start, span, ...once, contacts };
  });
  const made = new attribution.Attribution([...campaigns, ...singles], steps);
  const taken = new Set<string>();
  const campaignOf = (key: number) => campaigns.find((one) => one.key === key) as LaunchedCampaign;
  /** Which of its contact's calls each is, as the results show them. */
  const attempts = new Map<string, number>();
  const ownersOfAll = () => [...taken].map((mark) => made.ownerOf(mark));
  return {
    take(call) {
      const isTaken = made.take(call);
      if (isTaken) taken.add(markOf(call));
      return isTaken;
    },
    resolve(now) {
      made.resolve(now);
      attempts.clear();
      for (const campaign of campaigns) {
        for (const { calls } of made.outcomesOf(campaign))
          for (const [nth, { mark }] of calls.entries()) attempts.set(mark, nth + 1);
      }
    },
    ownerOf(mark) {
      const owner = made.ownerOf(mark);
      if (owner === undefined) return undefined;
      const { party, row, isAmbiguous } = owner;
      const { key } = party;
      return party.isSingleCall
        ? { kind: 'call', key, isAmbiguous }
        : { kind: 'campaign', key, row, attempt: attempts.get(mark) as number, isAmbiguous };
    },
    timeOf: (mark) => made.timeOf(mark),
    tallyOf: (key) => made.tallyOf(campaignOf(key)),
    outcomesOf: (key) => made.outcomesOf(campaignOf(key)),
    get unclaimed() {
      return ownersOfAll().filter((owner) => owner === undefined).length;
    },
    get ofCalls() {
      return ownersOfAll().filter((owner) => owner?.party.isSingleCall).length;
    },
  };
}
