/**
 * The local engine in memory, as far as a plan needs it: waves are campaigns that are really created and advanced, with the same
 * random draws, beside the campaigns that use the same wallet. No log is written.
 */
import type { CheckedRequest } from '../contract.ts';
import { type Attempt, type Call, settle } from '../engine/calls.ts';
import { advanceWith } from '../engine/campaigns.ts';
import { handlers } from '../engine/handlers.ts';
import { MemoryQueues } from '../engine/memory-queues.ts';
import { MINIMUM_BALANCE } from '../engine/policy.ts';
import type { Others } from '../engine/rehearsal-plan.ts';
import type { Campaign, State } from '../engine/state.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import type { Busy } from './free-at.ts';
import type { OpenWave } from './plan.ts';

const HOUR = 3_600_000;

/** Where a plan is rehearsed. */
export interface Stage {
  /** The engine's, as last committed; it is not changed. */
  state: State;
  /** Milliseconds since the epoch, by the engine's clock. */
  now: number;
  /** If not, the wallet never becomes empty. */
  isWalletKnown: boolean;
  /** The campaigns of the state that will still call, waves of the plan among them. */
  others: Others;
  /** By campaign the numbers that it has still to call; waves of the plan are not among them. */
  waiting: ReadonlyMap<number, readonly string[]>;
  /** What else may ring the phones of the plan, and is not played. */
  busy: readonly Busy[];
}

/** A call that was made since one last looked. */
export interface RehearsedCall {
  /** Milliseconds since the epoch. */
  at: number;
  calledTo: string;
  status: string;
  outcome: string;
  /** Seconds. */
  duration: number;
  /** Millionths. */
  cost: number;
  /** Undefined for a call of another campaign. */
  own: { wave: number; row: number } | undefined;
}

/** The contacts of a wave, in their order. */
interface Rehearsed {
  wave: number;
  rows: readonly number[];
}

/** The phones that another campaign has still to call: how often. */
interface OtherCampaign {
  campaign: Campaign;
  waiting: Map<number, number>;
}

export class RehearsedEngine {
  readonly #state: State;
  readonly #isWalletKnown: boolean;
  readonly #queues: Map<number, MemoryQueues>;
  /** By the number of the campaign, from which random draws are made. */
  readonly #waves = new Map<number, Rehearsed>();
  readonly #others = new Map<number, OtherCampaign>();
  readonly #busy: readonly Busy[];
  readonly #calledTo: (row: number) => string;

  /** `calledTo`: the number of a row. */
  constructor({ state, isWalletKnown, others, waiting, busy }: Stage, seed: number, calledTo: (row: number) => string) {
    const { balance } = state.organization;
    this.#isWalletKnown = isWalletKnown;
    this.#calledTo = calledTo;
    this.#queues = new Map([...others.queues].map(([id, waiting]) => [id, waiting.copy()]));
    this.#state = {
      ...state,
      seed,
      clock: { ...state.clock },
      organization: { ...state.organization, balance: isWalletKnown ? balance : MINIMUM_BALANCE },
      campaigns: structuredClone(others.campaigns),
    };
    this.#busy = busy;
    for (const campaign of this.#state.campaigns) {
      const numbers = waiting.get(campaign.campaign_id);
      if (numbers === undefined) continue;
      const phones = new Map<number, number>();
      for (const number of numbers) count(phones, phoneKeyOfNumber(number), 1);
      this.#others.set(campaign.campaign_number, { campaign, waiting: phones });
    }
  }

  /** What may ring phones, besides the waves of the plan. */
  busy(now: number): Busy[] {
    const live = [...this.#others.values()].filter(({ campaign }) => campaign.status !== 'completed');
    return [...this.#busy, ...live.map(({ campaign, waiting }) => busyCampaign(campaign, now, [...waiting.keys()]))];
  }

  /** Creates the campaign of a wave, which begins at `start`. Throws the ServiceErrors of create-campaign. */
  create(request: CheckedRequest<'createCampaign'>, { wave, rows }: Rehearsed, now: number): number {
    handlers.createCampaign(this.#state, request, { now });
    const campaign = this.#state.campaigns.at(-1) as Campaign;
    this.#add(campaign, { wave, rows });
    return campaign.campaign_id;
  }

  /**
   * Takes over a wave that was handed over before, and returns the calls that were made until now: they depend on nothing but
   * their keys. A wave that the engine does not know was not placed there: then the result is undefined.
   */
  takeOver(open: OpenWave, rows: readonly number[], known: Campaign | undefined): RehearsedCall[] | undefined {
    if (known === undefined) return undefined;
    const isLive = this.#state.campaigns.some(({ campaign_id }) => campaign_id === known.campaign_id);
    const number = known.campaign_number;
    this.#waves.set(number, { wave: open.wave, rows });
    if (isLive) this.#queues.set(known.campaign_id, this.#queueOf(rows, known.next_contact));
    const agent = this.#state.agents.find(({ agent_id }) => agent_id === known.agent_id);
    if (agent === undefined) return [];
    return rows.slice(0, known.next_contact).map((_row, index) =>
      this.#resultOf(
        { agent, callFrom: open.from, firstLine: undefined, instruction: undefined, at: dialOf(open, index) },
        {
          stream: 'campaign',
          id: number,
          contact: index,
          attempt: 1,
          calledTo: this.#calledTo(rows[index] as number),
        },
      ),
    );
  }

  /** Everything that happens until an instant, the instant included. */
  advance(until: number): RehearsedCall[] {
    const calls: RehearsedCall[] = [];
    const place = (_state: State, call: Call, attempt: Attempt) => {
      const made = this.#resultOf(call, attempt);
      if (this.#isWalletKnown) this.#state.organization.balance -= made.cost;
      calls.push(made);
      return { call_status: made.status, call_outcome: made.outcome };
    };
    const queuesOf = (id: number) => this.#queues.get(id) as MemoryQueues;
    for (const _call of advanceWith(place, this.#state, until, queuesOf));
    this.#state.campaigns = this.#state.campaigns.filter(
      ({ status }) => status === 'scheduled' || status === 'running',
    );
    return calls;
  }

  #add(campaign: Campaign, rehearsed: Rehearsed): void {
    this.#waves.set(campaign.campaign_number, rehearsed);
    this.#queues.set(campaign.campaign_id, this.#queueOf(rehearsed.rows, 0));
  }

  #queueOf(rows: readonly number[], next: number): MemoryQueues {
    return new MemoryQueues((index) => ({ phone_number: this.#calledTo(rows[index] as number) }), next);
  }

  #resultOf({ agent, at }: Call, attempt: Attempt): RehearsedCall {
    const { seed, scenario } = this.#state;
    const { status, outcome, duration, cost } = settle(seed, scenario, agent, attempt);
    const own = this.#waves.get(attempt.id);
    const other = this.#others.get(attempt.id);
    const isLast = status === 'completed' || attempt.attempt > (other?.campaign.retry_attempts ?? 0);
    if (other !== undefined && isLast) count(other.waiting, phoneKeyOfNumber(attempt.calledTo), -1);
    return {
      at,
      calledTo: attempt.calledTo,
      status,
      outcome,
      duration,
      cost,
      own: own && { wave: own.wave, row: own.rows[attempt.contact] as number },
    };
  }
}

/** From when on a campaign of the engine leaves its phones alone at the latest: one that is paused may go on for ever. */
export function busyCampaign(campaign: Campaign, now: number, phones: Iterable<number>): Busy {
  const { total_contacts, next_contact, retries_waiting, retry_attempts, status, start_time: start } = campaign;
  const attempts = 1 + retry_attempts;
  const left = (total_contacts - next_contact + retries_waiting) * attempts;
  const from = status === 'paused' ? start : Math.max(start, now);
  const retryDelay = campaign.retry_delay * 1000;
  const until = from + (left * HOUR) / campaign.calls_per_hour + retry_attempts * retryDelay;
  // Who waits for a first call and who for another is not told apart.
  const key = campaign.campaign_id;
  const several = { interval: 0, attempts: Math.max(2, attempts), retryDelay };
  return { key, phones: () => phones, start, ...several, until, isCertain: true };
}

function count(phones: Map<number, number>, phone: number, by: 1 | -1): void {
  const sum = (phones.get(phone) ?? 0) + by;
  if (sum > 0) phones.set(phone, sum);
  else phones.delete(phone);
}

function dialOf({ start, interval }: OpenWave, index: number): number {
  return start + Math.floor(index * interval);
}
