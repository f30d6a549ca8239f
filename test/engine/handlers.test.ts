/** What must hold for every campaign, whatever its contacts, pace, retries, seed and company: properties with fast-check. */
import { describe, expect, test } from 'vitest';
import type { DocumentedCall } from '../../src/contract.ts';
import { pauseCampaign, resumeCampaign, setAgentStatus } from '../../src/engine/controls.ts';
import { VagentError } from '../../src/errors.ts';
import { toLine } from '../../src/local/json/call-log.ts';
import { EPOCH } from '../support/engine.ts';
import fc from '../support/properties.ts';
import { expectPace, HOUR, instant, type Rules, Stage } from './stage.ts';

const number = fc.integer({ min: 0, max: 999 }).map((tail) => `+1415556${String(tail).padStart(4, '0')}`);
const rules: fc.Arbitrary<Required<Omit<Rules, 'start_time'>>> = fc.record({
  numbers: fc.uniqueArray(number, { minLength: 1, maxLength: 40 }),
  calls_per_hour: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 3_600_000 })),
  retry_attempts: fc.integer({ min: 0, max: 4 }),
  retry_delay: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 86_400 })),
});
const seed = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const RICH = 1_000_000_000_000;

/** Millionths. */
function rich(seedValue: number, balance = RICH): Stage {
  const stage = new Stage(seedValue);
  stage.state.organization.balance = balance;
  return stage;
}

function played(seedValue: number, campaign: Rules, balance = RICH): Stage {
  const stage = rich(seedValue, balance);
  stage.create(campaign);
  stage.play();
  return stage;
}

function attemptsByNumber(calls: readonly DocumentedCall[]): DocumentedCall[][] {
  const numbers = new Set(calls.map(({ called_to }) => called_to));
  return [...numbers].map((number) => calls.filter(({ called_to }) => called_to === number));
}

describe('every campaign', () => {
  test('keeps its pace and its retries, reaches everybody or runs out of attempts, and costs what its conversations do', () => {
    fc.assert(
      fc.property(seed, rules, (seedValue, campaign) => {
        const { state, calls } = played(seedValue, campaign);
        const instants = calls.map(instant);
        expectPace(instants, campaign.calls_per_hour);
        // Evenly spaced: never closer than the pace, rounded to the millisecond.
        const spacing = Math.floor(HOUR / campaign.calls_per_hour);
        for (const [at, later] of instants.slice(1).entries()) {
          expect(later - (instants[at] as number)).toBeGreaterThanOrEqual(spacing);
        }
        expect(instants).toEqual(instants.toSorted((left, right) => left - right));

        for (const attempts of attemptsByNumber(calls)) {
          const reached = attempts.findIndex(({ call_status }) => call_status === 'completed');
          if (reached !== -1) expect(reached).toBe(attempts.length - 1);
          else expect(attempts.length).toBe(1 + campaign.retry_attempts);
          expect(attempts.length).toBeLessThanOrEqual(1 + campaign.retry_attempts);
          for (const [at, later] of attempts.slice(1).entries()) {
            const sooner = instant(attempts[at] as DocumentedCall);
            expect(instant(later) - sooner).toBeGreaterThanOrEqual(campaign.retry_delay * 1000);
          }
        }
        const [done] = state.campaigns;
        expect(done).toMatchObject({ status: 'completed', reason: null, retries_waiting: 0, attempts: calls.length });
        expect((done?.reached ?? 0) + (done?.exhausted ?? 0)).toBe(campaign.numbers.length);

        const minutes = calls.reduce((sum, { call_duration }) => sum + Math.ceil((call_duration ?? 0) / 60), 0);
        expect(state.organization.balance).toBe(RICH - minutes * state.scenario.price_per_minute);
        for (const call of calls) expect(toLine(call)).toBe(`${JSON.stringify(call)}\n`);
      }),
      { numRuns: 150 },
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
          const whole = rich(value);
          whole.create(campaign);
          whole.play(end);
          const sliced = rich(value);
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
        const together = rich(seedValue);
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
});

describe('an empty wallet', () => {
  test('pauses before the dial that it cannot pay for, and never spends more than one call beyond', () => {
    fc.assert(
      fc.property(seed, rules, fc.integer({ min: 200_000, max: 3_000_000 }), (seedValue, campaign, balance) => {
        const engine = played(seedValue, campaign, balance);
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
    const numbers = Array.from({ length: 20_000 }, (_, at) => `+1415${5_560_000 + at}`);
    const engine = played(3, { numbers, calls_per_hour: 3_600_000 });
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
  function take(engine: Stage, now: number, move: typeof step extends fc.Arbitrary<infer T> ? T : never): void {
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
          const engine = rich(value);
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
          for (const [at, { calls_per_hour }] of all.entries()) expectPace(engine.dialsOf(at + 1), calls_per_hour);
        },
      ),
    );
  });
});
