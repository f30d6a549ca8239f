/** The engine without a store: its state, the queues of its campaigns in memory, and the calls that it placed. */
import { expect } from 'vitest';
import type { CheckedRequest, Contact, DocumentedCall } from '../../src/contract.ts';
import { advance } from '../../src/engine/campaigns.ts';
import { handlers } from '../../src/engine/handlers.ts';
import { MemoryQueues } from '../../src/engine/pace.ts';
import { initialState, type State } from '../../src/engine/state.ts';
import { checkedContacts } from '../support/contacts.ts';
import { EPOCH } from '../support/engine.ts';

export const HOUR = 3_600_000;

export interface Rules {
  numbers: string[];
  calls_per_hour: number;
  retry_attempts?: number;
  /** Seconds. */
  retry_delay?: number;
  start_time?: string;
}

export class Stage {
  readonly state: State;
  readonly calls: DocumentedCall[] = [];
  readonly #queues = new Map<number, MemoryQueues>();
  /** The campaign that placed each call. */
  readonly #diallers: number[] = [];

  constructor(seed = 1) {
    this.state = initialState({ seed, now: EPOCH, empty: false });
  }

  create({ numbers, ...rules }: Rules): number {
    const request: CheckedRequest<'createCampaign'> = {
      campaign_name: 'Spring',
      agent_id: 1,
      call_from: '+14155550100',
      contacts: checkedContacts(numbers.map((phone_number) => ({ phone_number }))),
      ...{ retry_attempts: 0, retry_delay: 600, ...rules },
    };
    const { response } = handlers.createCampaign(this.state, request, { now: this.state.clock.last });
    this.#queues.set(response.campaign_id, new MemoryQueues((at) => request.contacts[at] as Contact));
    return response.campaign_id;
  }

  /** Lets time pass until an instant, or until nothing is left to be done. */
  play(until: number | 'idle' = 'idle'): void {
    let dialling = 0;
    const queuesOf = (id: number) => {
      dialling = id;
      return this.#queues.get(id) as MemoryQueues;
    };
    for (const call of advance(this.state, until, queuesOf)) {
      this.calls.push(structuredClone(call));
      this.#diallers.push(dialling);
    }
  }

  /** Instants of a campaign's dials, in order. */
  dialsOf(campaignId: number): number[] {
    return this.calls.filter((_call, at) => this.#diallers[at] === campaignId).map(instant);
  }
}

/** Never more dials in any hour than that. */
export function expectPace(instants: readonly number[], callsPerHour: number): void {
  for (const [at, first] of instants.entries()) {
    const beyond = instants[at + callsPerHour];
    if (beyond !== undefined) expect(beyond - first).toBeGreaterThanOrEqual(HOUR);
  }
}

export const instant = (call: DocumentedCall) => Date.parse(call.timestamp ?? '');
