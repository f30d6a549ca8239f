/** What the register comes to, for the guards: whose last call is of unknown outcome, and which contacts were sent before. */
import type { ContactsSent, Ending, Line, SentLine } from './lines.ts';

/** A campaign that was sent and not refused. */
export interface SentCampaign {
  sent: SentLine;
  /** Absent while nothing came back. */
  outcome?: Ending;
  answer?: Record<string, unknown>;
}

/** As plain data, so that it can be kept beside the register instead of being read from it at every call. */
export interface LedgerState {
  lastEntry: number;
  /** Sent and not ended, by entry. */
  open: [number, SentLine][];
  /** Calls that may have been placed since the last one that is known, oldest first, by service and number. */
  calls: [string, SentLine[]][];
  /** By service. */
  campaigns: [string, SentCampaign[]][];
}

/** Of a register in which nothing stands. */
export const EMPTY: LedgerState = { lastEntry: 0, open: [], calls: [], campaigns: [] };

export class Ledger {
  #lastEntry: number;
  readonly #open: Map<number, SentLine>;
  readonly #calls: Map<string, SentLine[]>;
  readonly #campaigns: Map<string, SentCampaign[]>;

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
      this.#open.set(line.entry, line);
      if (line.operation === 'trigger-call') listAt(this.#calls, callKey(line)).push(line);
      else listAt(this.#campaigns, line.service).push({ sent: line });
      return;
    }
    const sent = this.#open.get(line.entry);
    if (sent === undefined) return;
    this.#open.delete(line.entry);
    if (sent.operation === 'trigger-call') this.#endCall(sent, line.outcome);
    else this.#endCampaign(sent, line.outcome, line.answer);
  }

  /** Once a call is known to be placed, it is the last one; what did not ring changes nothing about those before. */
  #endCall(sent: SentLine, outcome: Ending): void {
    // Also what another version, or a hand, calls it: only what is known to say that nothing rang may say so.
    if (outcome !== 'accepted' && outcome !== 'refused' && outcome !== 'not_sent') return;
    const key = callKey(sent);
    const isLater = ({ entry }: SentLine) => (outcome === 'accepted' ? entry > sent.entry : entry !== sent.entry);
    const left = (this.#calls.get(key) ?? []).filter(isLater);
    if (left.length === 0) this.#calls.delete(key);
    else this.#calls.set(key, left);
  }

  #endCampaign(sent: SentLine, outcome: Ending, answer: Record<string, unknown>): void {
    const campaigns = listAt(this.#campaigns, sent.service);
    const at = campaigns.findIndex((campaign) => campaign.sent.entry === sent.entry);
    if (outcome === 'refused' || outcome === 'not_sent') campaigns.splice(at, 1);
    else campaigns[at] = { sent, outcome, answer };
  }

  /** The last call to a number that may have been placed, where none after it is known to be. */
  unknownCall(service: string, number: string): SentLine | undefined {
    return this.#calls.get(keyOf(service, number))?.at(-1);
  }

  /** The last campaign to a service with the same file, or with the same numbers, that was not refused. */
  sameContacts(service: string, { file_sha256, numbers_sha256 }: ContactsSent): SentCampaign | undefined {
    return this.#campaigns.get(service)?.findLast(({ sent: { contacts } }) => {
      const isSameFile = file_sha256 !== undefined && contacts?.file_sha256 === file_sha256;
      return isSameFile || contacts?.numbers_sha256 === numbers_sha256;
    });
  }

  /** Those that were sent to a service and not refused, oldest first. */
  campaigns(service: string): readonly SentCampaign[] {
    return this.#campaigns.get(service) ?? [];
  }

  /** Every call that may have been placed, oldest first. */
  get unknownCalls(): SentLine[] {
    return [...this.#calls.values()].flat().sort((one, other) => one.entry - other.entry);
  }
}

function callKey({ service, request }: SentLine): string {
  return keyOf(service, String(request.called_to));
}

function keyOf(service: string, number: string): string {
  return `${service} ${number}`;
}

function listAt<T>(map: Map<string, T[]>, key: string): T[] {
  const standing = map.get(key);
  if (standing !== undefined) return standing;
  const list: T[] = [];
  map.set(key, list);
  return list;
}
