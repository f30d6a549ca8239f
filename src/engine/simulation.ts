/**
 * The engine in memory: the same campaigns with the same random draws and the same wallet as on a store, without a log. So a
 * rehearsal foretells exactly what the local engine will do.
 */
import type { CheckedRequest, Contact } from '../contract.ts';
import { type Attempt, type Call, type Settlement, settle } from './calls.ts';
import { advanceWith, nextEvent, type Waiting } from './campaigns.ts';
import { handlers } from './handlers.ts';
import { MemoryQueues } from './pace.ts';
import { type Campaign, DEFAULT_SEED, initialState, type Scenario, type State } from './state.ts';

/** What is simulated: the engine's state, and its clock in milliseconds since the epoch. */
export interface Setting {
  /** As last committed; it is not changed. Its balance is infinite if nobody knows what is in the wallet. */
  state: State;
  now: number;
  /** The phones that a campaign of the state has still to call. */
  waitingOf(campaignId: number): Waiting;
}

/** A new store that has an agent and a number of another service, which cannot be looked up here. */
export function assumedSetting(agentId: number, callFrom: string, now: number): Setting {
  const state = initialState({ seed: DEFAULT_SEED, now, empty: false });
  state.agents = state.agents.map((agent) => ({ ...agent, agent_id: agentId }));
  state.organization = { ...state.organization, balance: Number.POSITIVE_INFINITY, numbers: [callFrom] };
  return { state, now, waitingOf: () => ({ numbers: [], retries: [] }) };
}

/** An attempt that was made, and its result. */
export interface SimulatedCall extends Omit<Settlement, 'bits'> {
  attempt: Attempt;
  /** Milliseconds since the epoch. */
  at: number;
}

export class Simulation {
  /** Its campaigns are those that will still call. */
  readonly state: State;
  readonly #queues: Map<number, MemoryQueues>;
  /** By the number of a campaign, what is expected of its calls instead of the state's scenario. */
  readonly #expected = new Map<number, Scenario>();

  private constructor(state: State, queues: Map<number, MemoryQueues>) {
    this.state = state;
    this.#queues = queues;
  }

  static of({ state, waitingOf }: Setting): Simulation {
    const campaigns = state.campaigns.filter((campaign) => nextEvent(campaign) !== undefined);
    const queues = campaigns.map(
      ({ campaign_id, next_contact }) => [campaign_id, MemoryQueues.of(waitingOf(campaign_id), next_contact)] as const,
    );
    return new Simulation({ ...state, campaigns }, new Map(queues)).copy();
  }

  /** Playing one does not change the other. */
  copy(seed = this.state.seed): Simulation {
    const { clock, organization, campaigns, ...state } = this.state;
    return new Simulation(
      {
        ...state,
        seed,
        clock: { ...clock },
        organization: { ...organization },
        campaigns: structuredClone(campaigns),
      },
      new Map([...this.#queues].map(([id, waiting]) => [id, waiting.copy()])),
    );
  }

  /** Throws the ServiceErrors of create-campaign. */
  create(
    request: CheckedRequest<'createCampaign'>,
    now: number,
    { contactAt, expected }: { contactAt: (index: number) => Contact; expected?: Scenario },
  ): Campaign {
    handlers.createCampaign(this.state, request, { now });
    const campaign = this.state.campaigns.at(-1) as Campaign;
    this.#queues.set(campaign.campaign_id, new MemoryQueues(contactAt));
    if (expected !== undefined) this.#expected.set(campaign.campaign_number, expected);
    return campaign;
  }

  /** Everything that happens until an instant, the instant included. */
  *advance(until: number | 'idle'): Generator<SimulatedCall, void> {
    const place = (_state: State, call: Call, attempt: Attempt) => {
      const made = this.settled(call, attempt);
      this.state.organization.balance -= made.cost;
      return made;
    };
    yield* advanceWith(place, this.state, until, (id) => this.#queues.get(id) as MemoryQueues);
    this.state.campaigns = this.state.campaigns.filter((campaign) => nextEvent(campaign) !== undefined);
  }

  /** The result of an attempt, whenever it is made: it depends on nothing but its key. */
  settled({ agent, at }: Pick<Call, 'agent' | 'at'>, attempt: Attempt): SimulatedCall {
    const scenario = this.#expected.get(attempt.id) ?? this.state.scenario;
    const { call_duration, call_status, call_outcome, cost } = settle(this.state.seed, scenario, agent, attempt);
    // Not by spreading, which takes ten times as long as all the rest.
    return { attempt, at, call_duration, call_status, call_outcome, cost };
  }

  /** The numbers that a campaign of it has still to call. */
  waitingIn({ campaign_id, total_contacts }: Campaign): Iterable<string> {
    return (this.#queues.get(campaign_id) as MemoryQueues).waiting(total_contacts);
  }
}
