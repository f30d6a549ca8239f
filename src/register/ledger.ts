/** A summary of the register for the guards: which calls have an unknown outcome, and which campaigns were sent. */
import { phoneKey } from '../text/phone.ts';
import { bySending, type Line, type Outcome, type SentCall, type SentCampaign, type SentLine } from './lines.ts';
import { serviceKey } from './service-key.ts';

/** A request that was sent and not refused. */
export interface Earlier<L extends SentLine = SentLine> {
  sent: L;
  /** Absent while there is no answer. */
  outcome?: Outcome;
  answer?: Record<string, unknown>;
}

/** Whether its outcome is unknown, or it is still under way. */
export function isUnknown({ outcome }: Earlier): boolean {
  return outcome !== 'accepted';
}

/** Plain data, so that it can be stored beside the register instead of reading the whole register at every call. */
export interface LedgerState {
  lastEntry: number;
  /** Requests that were sent and have no end line, by entry. */
  open: [number, SentLine][];
  /** By service and phone: calls that may have been placed since the last one that certainly was, oldest first. */
  calls: [string, SentCall[]][];
  /** By service. */
  campaigns: [string, Earlier<SentCampaign>[]][];
}

/** The summary of an empty register. */
export const EMPTY: LedgerState = { lastEntry: 0, open: [], calls: [], campaigns: [] };

export class Ledger {
  #lastEntry: number;
  readonly #open: Map<number, SentLine>;
  readonly #calls: Map<string, SentCall[]>;
  readonly #campaigns: Map<string, Earlier<SentCampaign>[]>;

  constructor(
    { lastEntry, open, calls, campaigns }: LedgerState = { lastEntry: 0, open: [], calls: [], campaigns: [] },
  ) {
    this.#lastEntry = lastEntry;
    this.#open = new Map(open);
    this.#calls = new Map(calls);
    this.#campaigns = new Map(campaigns);
  }

  get state(): LedgerState {
    return {
      lastEntry: this.#lastEntry,
      open: [...this.#open],
      calls: [...this.#calls],
      campaigns: [...this.#campaigns],
    };
  }

  get lastEntry(): number {
    return this.#lastEntry;
  }

  take(line: Line): void {
    this.#lastEntry = Math.max(this.#lastEntry, line.entry);
    if (line.event === 'sent') {
      // Nobody is left in it whom a guard could know.
      if (line.operation === 'triggerCall' && line.forgotten !== undefined) return;
      this.#open.set(line.entry, line);
      if (line.operation === 'triggerCall') insert(listAt(this.#calls, callKey(line)), line, bySending);
      else insert(listAt(this.#campaigns, serviceKey(line.service)), { sent: line }, byTime);
      return;
    }
    const sent = this.#open.get(line.entry);
    if (sent === undefined) return;
    this.#open.delete(line.entry);
    if (sent.operation === 'triggerCall') this.#endCall(sent, line.outcome);
    else this.#endCampaign(sent, line.outcome, line.answer);
  }

  /** A call that was certainly placed replaces those before it; one that did not ring changes nothing about them. */
  #endCall(sent: SentCall, outcome: Outcome): void {
    // An outcome written by another version or by hand does not count: only the known ones prove that nothing rang.
    if (outcome !== 'accepted' && outcome !== 'refused' && outcome !== 'not_sent') return;
    const key = callKey(sent);
    const isLeft = (call: SentCall) => (outcome === 'accepted' ? bySending(call, sent) > 0 : call.entry !== sent.entry);
    const left = (this.#calls.get(key) ?? []).filter(isLeft);
    if (left.length === 0) this.#calls.delete(key);
    else this.#calls.set(key, left);
  }

  #endCampaign(sent: SentCampaign, outcome: Outcome, answer: Record<string, unknown>): void {
    const campaigns = listAt(this.#campaigns, serviceKey(sent.service));
    const at = campaigns.findIndex((campaign) => campaign.sent.entry === sent.entry);
    if (outcome === 'refused' || outcome === 'not_sent') campaigns.splice(at, 1);
    else campaigns[at] = { sent, outcome, answer };
  }

  /** The last call to the phone of a number that may have been placed, unless a later one certainly was. */
  unknownCall(service: string, number: string): SentCall | undefined {
    return this.#calls.get(keyOf(service, number))?.at(-1);
  }

  /** For each phone, the last call to a service that may have been placed. */
  unknownCallsTo(service: string): SentCall[] {
    const key = serviceKey(service);
    return [...this.#calls.values()]
      .flatMap((calls) => calls.slice(-1))
      .filter((sent) => serviceKey(sent.service) === key);
  }

  /** Campaigns that were sent to a service and not refused, oldest first. */
  campaigns(service: string): readonly Earlier<SentCampaign>[] {
    return this.#campaigns.get(serviceKey(service)) ?? [];
  }

  /** The same without those that were forgotten: whom they called is not known any more. */
  remembered(service: string): Earlier<SentCampaign>[] {
    return this.campaigns(service).filter(({ sent }) => sent.forgotten === undefined);
  }

  /** The entries of all campaigns that were forgotten. */
  get forgotten(): Set<number> {
    const campaigns = [...this.#campaigns.values()].flat().filter(({ sent }) => sent.forgotten !== undefined);
    return new Set(campaigns.map(({ sent }) => sent.entry));
  }

  /** Every call that may have been placed, oldest first. */
  get unknownCalls(): SentCall[] {
    return [...this.#calls.values()].flat().sort(bySending);
  }
}

function callKey({ service, request }: SentCall): string {
  return keyOf(service, request.called_to);
}

function keyOf(service: string, number: string): string {
  return `${serviceKey(service)} ${phoneKey(number)}`;
}

export function byTime({ sent: one }: Earlier, { sent: other }: Earlier): number {
  return bySending(one, other);
}

/** Into a sorted list, where it nearly always comes last. */
function insert<T>(list: T[], value: T, compare: (one: T, other: T) => number): void {
  const before = list.findLastIndex((one) => compare(one, value) <= 0);
  list.splice(before + 1, 0, value);
}

function listAt<T>(map: Map<string, T[]>, key: string): T[] {
  const standing = map.get(key);
  if (standing !== undefined) return standing;
  const list: T[] = [];
  map.set(key, list);
  return list;
}
