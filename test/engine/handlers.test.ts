/** What must hold for every campaign, whatever its contacts, pace, retries, seed and company: properties with fast-check. */

import { describe, expect, test } from 'vitest';
import type { CheckedRequest, Contact, DocumentedCall } from '../../src/contract.ts';
import { advance, type CampaignQueues, type Retry } from '../../src/engine/campaigns.ts';
import { pauseCampaign, resumeCampaign, setAgentStatus } from '../../src/engine/controls.ts';
import { handlers } from '../../src/engine/handlers.ts';
import { initialState, type State } from '../../src/engine/state.ts';
import { VagentError } from '../../src/errors.ts';
import { toLine } from '../../src/local/json/call-log.ts';
import { checkedContacts } from '../support/contacts.ts';
import { EPOCH } from '../support/engine.ts';
import fc from '../support/properties.ts';

const HOUR = 3_600_000;

/** The engine without a store: its state, and the queues of its campaigns in memory. */
class Engine {
  readonly state: State;
  readonly calls: DocumentedCall[] = [];
  readonly #queues = new Map<number, CampaignQueues>();
  /** Which campaign placed each call. */
  readonly #diallers: number[] = [];

  constructor(seed: number) {
    this.state = initialState({ seed, now: EPOCH, empty: false });
    this.state.organization.balance = 1_000_000_000_000;
  }

  create(rules: Rules): number {
    const request: CheckedRequest<'createCampaign'> = {
      campaign_name: 'Property',
      agent_id: 1,
      call_from: '+14155550100',
      contacts: checkedContacts(rules.numbers.map((phone_number) => ({ phone_number }))),
      calls_per_hour: rules.callsPerHour,
      retry_attempts: rules.retryAttempts,
      retry_delay: rules.retryDelay,
    };
    const { response } = handlers.createCampaign(this.state, request, { now: this.state.clock.last });
    this.#queues.set(response.campaign_id, memoryQueues(request.contacts));
    return response.campaign_id;
  }

  play(until: number | 'idle' = 'idle'): void {
    let dialling = 0;
    const queuesOf = (id: number) => {
      dialling = id;
      return this.#queues.get(id) as CampaignQueues;
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

function memoryQueues(contacts: readonly Contact[]): CampaignQueues {
  const waiting: Retry[] = [];
  let next = 0;
  return {
    takeContact: () => contacts[next++] as Contact,
    takeRetry: () => waiting.shift() as Retry,
    retryDue: () => waiting[0]?.due ?? null,
    addRetry: (retry) => void waiting.push(retry),
  };
}

interface Rules {
  numbers: string[];
  callsPerHour: number;
  retryAttempts: number;
  /** Seconds. */
  retryDelay: number;
}

const number = fc.integer({ min: 0, max: 999 }).map((tail) => `+1415556${String(tail).padStart(4, '0')}`);
const rules: fc.Arbitrary<Rules> = fc.record({
  numbers: fc.uniqueArray(number, { minLength: 1, maxLength: 40 }),
  callsPerHour: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 3_600_000 })),
  retryAttempts: fc.integer({ min: 0, max: 4 }),
  retryDelay: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 86_400 })),
});
const seed = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

function played(seedValue: number, campaign: Rules): Engine {
  const engine = new Engine(seedValue);
  engine.create(campaign);
  engine.play();
  return engine;
}

/** Instants of the calls to each number, in order. */
function attemptsByNumber(calls: readonly DocumentedCall[]): Map<string, DocumentedCall[]> {
  const found = new Map<string, DocumentedCall[]>();
  for (const call of calls) found.set(call.called_to ?? '', [...(found.get(call.called_to ?? '') ?? []), call]);
  return found;
}

const instant = (call: DocumentedCall) => Date.parse(call.timestamp ?? '');

describe('every campaign', () => {
  test('never dials more than calls_per_hour in any hour', () => {
    fc.assert(
      fc.property(seed, rules, (seedValue, campaign) => {
        const instants = played(seedValue, campaign).calls.map(instant);
        for (const [at, first] of instants.entries()) {
          const beyond = instants[at + campaign.callsPerHour];
          if (beyond !== undefined) expect(beyond - first).toBeGreaterThanOrEqual(HOUR);
        }
      }),
    );
  });

  test('spaces its dials evenly: never closer than its pace, rounded to the millisecond', () => {
    fc.assert(
      fc.property(seed, rules, (seedValue, campaign) => {
        const instants = played(seedValue, campaign).calls.map(instant);
        const spacing = Math.floor(HOUR / campaign.callsPerHour);
        for (const [at, later] of instants.slice(1).entries()) {
          expect(later - (instants[at] as number)).toBeGreaterThanOrEqual(spacing);
        }
      }),
    );
  });

  test('retries at most retry_attempts times, never sooner than retry_delay, and not whom it reached', () => {
    fc.assert(
      fc.property(seed, rules, (seedValue, campaign) => {
        for (const attempts of attemptsByNumber(played(seedValue, campaign).calls).values()) {
          expect(attempts.length).toBeLessThanOrEqual(1 + campaign.retryAttempts);
          const reached = attempts.findIndex(({ call_status }) => call_status === 'completed');
          if (reached !== -1) expect(reached).toBe(attempts.length - 1);
          for (const [at, later] of attempts.slice(1).entries()) {
            const sooner = instant(attempts[at] as DocumentedCall);
            expect(instant(later) - sooner).toBeGreaterThanOrEqual(campaign.retryDelay * 1000);
          }
        }
      }),
    );
  });

  test('ends with every contact reached or out of attempts', () => {
    fc.assert(
      fc.property(seed, rules, (seedValue, campaign) => {
        const { state, calls } = played(seedValue, campaign);
        const [done] = state.campaigns;
        expect(done).toMatchObject({ status: 'completed', reason: null, retries_waiting: 0, attempts: calls.length });
        expect((done?.reached ?? 0) + (done?.exhausted ?? 0)).toBe(campaign.numbers.length);
        for (const attempts of attemptsByNumber(calls).values()) {
          const isReached = attempts.at(-1)?.call_status === 'completed';
          if (!isReached) expect(attempts.length).toBe(1 + campaign.retryAttempts);
        }
      }),
    );
  });

  test('takes from the wallet exactly what its conversations cost', () => {
    fc.assert(
      fc.property(seed, rules, (seedValue, campaign) => {
        const engine = new Engine(seedValue);
        const before = engine.state.organization.balance;
        engine.create(campaign);
        engine.play();
        const minutes = engine.calls.reduce((sum, { call_duration }) => sum + Math.ceil((call_duration ?? 0) / 60), 0);
        expect(engine.state.organization.balance).toBe(before - minutes * engine.state.scenario.price_per_minute);
      }),
    );
  });

  test('plays the same however an advance is cut into slices', () => {
    fc.assert(
      fc.property(
        seed,
        rules,
        fc.array(fc.integer({ min: 0, max: 6 * HOUR }), { maxLength: 12 }),
        (value, campaign, cuts) => {
          const end = EPOCH + cuts.reduce((sum, cut) => sum + cut, 0);
          const whole = new Engine(value);
          whole.create(campaign);
          whole.play(end);
          const sliced = new Engine(value);
          sliced.create(campaign);
          let now = EPOCH;
          for (const cut of cuts) {
            now += cut;
            sliced.play(now);
          }
          sliced.play(end);
          expect(JSON.stringify([sliced.state, sliced.calls])).toBe(JSON.stringify([whole.state, whole.calls]));
        },
      ),
    );
  });

  test('is not touched by another one beside it', () => {
    fc.assert(
      fc.property(seed, rules, rules, (seedValue, first, second) => {
        const prefix = (numbers: string[]) => numbers.map((text) => text.replace('+1415556', '+4420795'));
        const alone = played(seedValue, first);
        const together = new Engine(seedValue);
        together.create(first);
        together.create({ ...second, numbers: prefix(second.numbers) });
        together.play();
        const own = together.calls.filter(({ called_to }) => called_to?.startsWith('+1415556'));
        // Numbers of calls are counted over all campaigns; what happened is not.
        const facts = ({ call_id: _number, recording_url, ...call }: DocumentedCall) => ({
          ...call,
          recorded: !!recording_url,
        });
        expect(own.map(facts)).toEqual(alone.calls.map(facts));
      }),
    );
  });

  test('writes each call as JSON.stringify would, in the order of time', () => {
    fc.assert(
      fc.property(seed, rules, (seedValue, campaign) => {
        const { calls } = played(seedValue, campaign);
        for (const call of calls) expect(toLine(call)).toBe(`${JSON.stringify(call)}\n`);
        const instants = calls.map(instant);
        expect(instants).toEqual([...instants].sort((left, right) => left - right));
      }),
      { numRuns: 30 },
    );
  });
});

describe('an empty wallet', () => {
  test('pauses before the dial that it cannot pay for, and never spends more than one call beyond', () => {
    fc.assert(
      fc.property(seed, rules, fc.integer({ min: 200_000, max: 3_000_000 }), (seedValue, campaign, balance) => {
        const engine = new Engine(seedValue);
        engine.state.organization.balance = balance;
        engine.create(campaign);
        engine.play();
        const [done] = engine.state.campaigns;
        if (done?.status === 'paused') {
          expect(done.reason).toBe('insufficient_balance');
          expect(engine.state.organization.balance).toBeLessThan(200_000);
        } else {
          expect(done?.status).toBe('completed');
        }
        const dearest = 4 * engine.state.scenario.price_per_minute;
        expect(engine.state.organization.balance).toBeGreaterThan(200_000 - 1 - dearest);
      }),
    );
  });
});

describe('chance', () => {
  test('comes out as the scenario says', () => {
    const engine = new Engine(3);
    engine.create({
      numbers: Array.from({ length: 20_000 }, (_, at) => `+1415${5_560_000 + at}`),
      callsPerHour: 3_600_000,
      retryAttempts: 0,
      retryDelay: 0,
    });
    engine.play();
    const share = (status: string) =>
      engine.calls.filter(({ call_status }) => call_status === status).length / engine.calls.length;
    expect(share('completed')).toBeCloseTo(0.62, 1.7);
    expect(share('busy')).toBeCloseTo(0.12, 1.7);
    expect(share('no_answer')).toBeCloseTo(0.2, 1.7);
    expect(share('failed')).toBeCloseTo(0.06, 1.7);
    const durations = engine.calls
      .flatMap(({ call_duration }) => (call_duration ? [call_duration] : []))
      .sort((left, right) => left - right);
    expect(durations[0]).toBeGreaterThanOrEqual(20);
    expect(durations.at(-1)).toBeLessThanOrEqual(240);
    expect(Math.abs((durations[durations.length >> 1] ?? 0) - 75)).toBeLessThanOrEqual(4);
  });
});

describe('the states of a campaign', () => {
  /** The moves that may be seen between two looks; time may make several at once. */
  const ALLOWED: Record<string, string[]> = {
    scheduled: ['scheduled', 'running', 'paused', 'completed'],
    running: ['running', 'paused', 'completed'],
    paused: ['paused', 'running', 'scheduled', 'completed'],
    completed: ['completed'],
  };

  const step = fc.oneof(
    fc.record({ kind: fc.constant('advance' as const), by: fc.integer({ min: 0, max: 3 * HOUR }) }),
    fc.record({ kind: fc.constant('pause' as const), campaign: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant('resume' as const), campaign: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant('agent' as const), status: fc.constantFrom('active' as const, 'paused' as const) }),
    fc.record({ kind: fc.constant('wallet' as const), balance: fc.constantFrom(0, 1_000_000, 1_000_000_000) }),
  );

  /** Does a step as an operator would; what is refused changes nothing, and that is checked too. */
  function take(engine: Engine, now: number, move: typeof step extends fc.Arbitrary<infer T> ? T : never): void {
    const before = JSON.stringify(engine.state);
    try {
      if (move.kind === 'advance') engine.play(now);
      else if (move.kind === 'pause') pauseCampaign(engine.state, move.campaign);
      else if (move.kind === 'resume') resumeCampaign(engine.state, move.campaign, now);
      else if (move.kind === 'agent') setAgentStatus(engine.state, 1, move.status, now);
      else engine.state.organization.balance = move.balance;
    } catch (error) {
      expect(error).toBeInstanceOf(VagentError);
      expect(JSON.stringify(engine.state)).toBe(before);
    }
  }

  test('move only as decided, with a reason exactly while paused, and never dial too often', () => {
    fc.assert(
      fc.property(
        seed,
        fc.array(rules, { minLength: 1, maxLength: 3 }),
        fc.array(step, { maxLength: 30 }),
        (value, all, steps) => {
          const engine = new Engine(value);
          for (const campaign of all) engine.create(campaign);
          let now = EPOCH;
          for (const move of steps) {
            const before = engine.state.campaigns.map(({ status }) => status);
            if (move.kind === 'advance') now += move.by;
            take(engine, now, move);
            for (const [at, { status, reason }] of engine.state.campaigns.entries()) {
              expect(ALLOWED[before[at] as string]).toContain(status);
              expect(reason === null).toBe(status !== 'paused');
              // Only an operator lets a paused one go on.
              if (before[at] === 'paused' && status !== 'paused') expect(move.kind).toBe('resume');
            }
          }
          for (const [at, { callsPerHour }] of all.entries()) {
            const instants = engine.dialsOf(at + 1);
            for (const [dial, first] of instants.entries()) {
              const beyond = instants[dial + callsPerHour];
              if (beyond !== undefined) expect(beyond - first).toBeGreaterThanOrEqual(HOUR);
            }
          }
        },
      ),
    );
  });
});
