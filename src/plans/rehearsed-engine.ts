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
import { type Campaign, campaignNumber, type State } from '../engine/state.ts';
import type { OpenWave } from './plan.ts';

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

export class RehearsedEngine {
  readonly #state: State;
  readonly #isWalletKnown: boolean;
  readonly #queues: Map<number, MemoryQueues>;
  /** By the number of the campaign, from which random draws are made. */
  readonly #waves = new Map<number, Rehearsed>();
  readonly #calledTo: (row: number) => string;

  /** `calledTo`: the number of a row. */
  constructor({ state, isWalletKnown, others }: Stage, seed: number, calledTo: (row: number) => string) {
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
  }

  /** Creates the campaign of a wave, which begins at `start`. Throws the ServiceErrors of create-campaign. */
  create(request: CheckedRequest<'createCampaign'>, { wave, rows }: Rehearsed, now: number): number {
    handlers.createCampaign(this.#state, request, { now, callPage: readsNoPages });
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
    this.#waves.set(campaignNumber(this.#state, known), { wave: open.wave, rows });
    if (isLive) this.#queues.set(known.campaign_id, this.#queueOf(rows, known.next_contact));
    const agent = this.#state.agents.find(({ agent_id }) => agent_id === known.agent_id);
    if (agent === undefined) return [];
    return rows.slice(0, known.next_contact).map((_row, index) =>
      this.#resultOf(
        { agent, callFrom: open.from, firstLine: undefined, instruction: undefined, at: dialOf(open, index) },
        {
          stream: 'campaign',
          id: campaignNumber(this.#state, known),
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
      return { call_status: made.status };
    };
    const queuesOf = (id: number) => this.#queues.get(id) as MemoryQueues;
    for (const _call of advanceWith(place, this.#state, until, queuesOf));
    this.#state.campaigns = this.#state.campaigns.filter(
      ({ status }) => status === 'scheduled' || status === 'running',
    );
    return calls;
  }

  #add(campaign: Campaign, rehearsed: Rehearsed): void {
    this.#waves.set(campaignNumber(this.#state, campaign), rehearsed);
    this.#queues.set(campaign.campaign_id, this.#queueOf(rehearsed.rows, 0));
  }

  #queueOf(rows: readonly number[], next: number): MemoryQueues {
    return new MemoryQueues((index) => ({ phone_number: this.#calledTo(rows[index] as number) }), next);
  }

  #resultOf({ agent, at }: Call, attempt: Attempt): RehearsedCall {
    const { seed, scenario } = this.#state;
    const { status, outcome, duration, cost } = settle(seed, scenario, agent, attempt);
    const own = attempt.stream === 'campaign' ? this.#waves.get(attempt.id) : undefined;
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

function dialOf({ start, interval }: OpenWave, index: number): number {
  return start + Math.floor(index * interval);
}

function readsNoPages(): never {
  throw new Error('create-campaign reads no pages');
}
