/** A rehearsal foretells what the local engine then plays: the same waves, the same calls, the same results. */
import { describe, expect, test } from 'vitest';
import type { DocumentedCall } from '../../src/contract.ts';
import { ServiceError } from '../../src/errors.ts';
import { waitingIn } from '../../src/local/organizations.ts';
import { engineNow } from '../../src/local/timeline.ts';
import { reconcileCalls as settle } from '../../src/plans/log/attempts.ts';
import { type PlanRehearsal, playPlan, rehearsePlan } from '../../src/plans/rehearsal/rehearse-plan.ts';
import { onAssumedService, onLocalEngine, type Rehearsed } from '../../src/plans/rehearsal/stage.ts';
import { applyEvent } from '../../src/plans/rules/apply.ts';
import { decide } from '../../src/plans/rules/decide.ts';
import { type Called, type PlanEvent, runsOf } from '../../src/plans/rules/events.ts';
import { halts, overdue } from '../../src/plans/rules/halts.ts';
import type { LoadedPlan } from '../../src/plans/rules/plan.ts';
import type { PlanRules } from '../../src/plans/rules/rules.ts';
import { waveName } from '../../src/plans/rules/waves.ts';
import { CREDENTIALS } from '../conformance.ts';
import { EPOCH, type TestEngine, testEngine } from '../support/engine.ts';
import { dailyHours, HOUR, type InMemory, MINUTE, phones, planInMemory } from '../support/plans.ts';
import fc from '../support/properties.ts';

const FROM = ['+14155550100', '+442079460100'];

function finished<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

async function rehearsedOn(engine: TestEngine, loaded: LoadedPlan, rowsOf: Map<number, number[]>): Promise<Rehearsed> {
  const snapshot = await engine.timeline.stored();
  const { state } = snapshot;
  const waitingOf = await waitingIn(snapshot);
  const clock = { systemNow: () => engine.clock.now, signal: new AbortController().signal };
  const setting = { state, now: engineNow(state, clock), waitingOf };
  return onLocalEngine(loaded, setting, ({ wave }) => rowsOf.get(wave) ?? []);
}

function shortly({ at, row, wave, result, outcome, seconds }: Called): string {
  return [at, row, wave, result, outcome, seconds].join(' ');
}

function play(rehearsed: Rehearsed, seed: number) {
  const calls: string[] = [];
  const played = finished(playPlan(rehearsed, { seed, onCall: (call) => calls.push(shortly(call)) }));
  return { ...played, calls };
}

interface Happened {
  waves: { wave: number; start: number; from: string; rows: readonly number[] }[];
  calls: string[];
}

/** Runs a plan on a real store as somebody would by hand: reads the whole log, hands over the next wave, moves the clock. */
async function happens(
  engine: TestEngine,
  loaded: LoadedPlan,
  rowsOf: Map<number, number[]>,
  steps = Number.POSITIVE_INFINITY,
): Promise<Happened> {
  const { timeline, backend } = engine;
  const service = backend(CREDENTIALS);
  const { plan, position, roster } = loaded;
  const happened: Happened = { waves: [], calls: [] };
  const apply = (events: readonly PlanEvent[]) => {
    for (const event of events) {
      applyEvent(event, loaded, 0);
      if (event.event === 'called') happened.calls.push(shortly(event));
    }
  };
  for (let step = 0; step < steps; step++) {
    const { now } = await timeline.read();
    const { calls } = (await service.getCallLogs({ limit: 1000, offset: 0 })) as { calls: DocumentedCall[] };
    const own = calls.flatMap((call) => {
      const [row] = roster.rowsOfPhone(Number(call.called_to.slice(1)));
      if (row === undefined || roster.stateOf(row) !== 'handed') return [];
      const at = Date.parse(call.timestamp);
      const { start } = position.open.find(({ wave }) => wave === roster.waveOf(row)) as { start: number };
      if (at < start) return [];
      const { call_status: status, call_outcome: outcome, call_duration: seconds } = call;
      const isVoicemail = outcome === 'voicemail_left';
      return [{ row, wave: roster.waveOf(row), at, status, outcome, seconds, isVoicemail, isAmbiguous: false }];
    });
    apply(settle(loaded, own, now));
    apply(overdue(loaded, now));
    apply(halts(loaded, now));
    if (position.state === 'waiting') apply([{ event: 'resumed', at: now }]);
    const decision = decide(loaded, { now });
    if (decision.kind === 'over') break;
    if (decision.kind === 'wait')
      await timeline.move(
        () => decision.at,
        () => {},
      );
    if (decision.kind !== 'wave') continue;
    const { from, start, interval, rows } = decision;
    const wave = position.waves + 1;
    rowsOf.set(wave, rows);
    apply([{ event: 'handed', at: now, wave, from, start, interval, rows: runsOf(rows) }]);
    try {
      const { campaign_id } = await service.createCampaign({
        campaign_name: waveName(plan, wave),
        agent_id: plan.agent_id,
        call_from: from,
        contacts: rows.map((row) => ({ phone_number: `+${roster.phoneOf(row)}`, custom_first_line: 'Hello.' })),
        start_time: new Date(start).toISOString(),
        calls_per_hour: plan.rules.callsPerHour,
        retry_attempts: 0,
      });
      apply([{ event: 'answered', at: now, wave, outcome: 'accepted', campaign_id: campaign_id as number }]);
      happened.waves.push({ wave, start, from, rows });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 402) throw error;
      apply([{ event: 'answered', at: now, wave, outcome: 'not_placed' }]);
      apply([{ event: 'stopped', at: now, reason: error.message }]);
    }
  }
  return happened;
}

const HOURS = dailyHours([540, 720], [600, 1200], [1000, 1440]);

const rules: fc.Arbitrary<Partial<PlanRules>> = fc.record({
  callsPerHour: fc.constantFrom(20, 60, 70, 600),
  wave: fc.constantFrom(5, 30, 60).map((length) => length * MINUTE),
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  retry: fc.constantFrom<PlanRules['retry']>(
    { busy: 30 * MINUTE, no_answer: 4 * HOUR },
    { busy: 0, failed: HOUR, voicemail: 20 * HOUR },
    {},
  ),
  minGap: fc.constantFrom(0, 15 * MINUTE, 6 * HOUR),
  maxPerNumber: fc.constantFrom(undefined, { count: 2, within: 24 * HOUR }),
  end: fc.constantFrom(undefined, undefined, EPOCH + 9 * HOUR),
  budget: fc.constantFrom(undefined, undefined, 6_000_000),
  pricePerMinute: fc.constant(100_000),
  canary: fc.constantFrom(undefined, undefined, 3),
  fromCap: fc.constantFrom(undefined, undefined, { count: 9, within: 3 * HOUR }),
  stopOn: fc.constantFrom(undefined, { result: 'busy', share: 0.4, over: 10 } as const),
});

const world = fc.record({
  seed: fc.nat(),
  rules,
  places: fc.oneof(
    fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }),
    fc.array(fc.nat(2), { minLength: 30, maxLength: 90 }),
  ),
  /** Millionths in the wallet. */
  balance: fc.constantFrom(100_000_000, 100_000_000, 2_000_000),
  /** Steps of the plan that were taken before the rehearsal. */
  before: fc.constantFrom(0, 0, 1, 3, 10),
  /** Milliseconds that pass then, unseen by the plan. */
  unseen: fc.constantFrom(0, 0, 10 * MINUTE, 26 * HOUR),
});

function inMemory({ places, rules }: { places: number[]; rules: Partial<PlanRules> }): LoadedPlan {
  const contacts = places.map((place, at) => ({ phone: 14155560000 + at * 3, place }));
  return planInMemory({ contacts, rules, from: FROM, hours: HOURS });
}

describe('run 0', () => {
  test('is what the local engine then plays, wave for wave and call for call', async () => {
    let waves = 0;
    const kinds = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const engine = testEngine({ seed: given.seed });
        await engine.timeline.change(({ state }) => {
          state.organization.balance = given.balance;
        });
        const loaded = inMemory(given);
        const rowsOf = new Map<number, number[]>();
        await happens(engine, loaded, rowsOf, given.before);
        engine.clock.now += given.unseen;
        const before = structuredClone({ position: loaded.position, records: loaded.roster.columns });
        const rehearsed = await rehearsedOn(engine, loaded, rowsOf);
        const played = play(rehearsed, (await engine.timeline.stored()).state.seed);
        // Playing has changed nothing.
        expect({ position: loaded.position, records: loaded.roster.columns }).toEqual(before);
        const kind = played.stopped?.split(' ').slice(0, 2).join(' ') ?? 'done';
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        const isStill = loaded.position.state === 'stopped';
        if (isStill) applyEvent({ event: 'resumed', at: engine.clock.now }, loaded, 0);
        const happened = await happens(engine, loaded, rowsOf);
        waves += happened.waves.length;
        expect(played.waves).toEqual(happened.waves);
        expect(played.calls).toEqual(happened.calls);
        expect(played.stopped).toBe(loaded.position.state === 'stopped' ? loaded.position.reason : undefined);
        if (loaded.position.state === 'done') expect(played.counts).toEqual(loaded.roster.counts);
      }),
      { numRuns: 100 },
    );
    expect([...kinds.keys()]).toEqual(expect.arrayContaining(['done', 'The wallet', 'The budget']));
    expect(waves).toBeGreaterThan(200);
  });
});

describe('the report', () => {
  const WIDE = { callsPerHour: 60, retry: { busy: 30 * MINUTE, no_answer: 4 * HOUR } };
  const stageOf = (loaded: LoadedPlan) => onAssumedService(loaded, { now: EPOCH, pending: [] }, () => []);
  const reportOf = (more: Partial<InMemory>, runs = 1): PlanRehearsal => {
    const loaded = planInMemory({ contacts: phones(40), rules: WIDE, from: FROM, hours: HOURS, ...more });
    return finished(rehearsePlan(stageOf(loaded), runs));
  };
  const addUp = ({ reached, exhausted, unseen, excluded, left }: PlanRehearsal) =>
    reached + exhausted + unseen + excluded + left;

  test('has all contacts by their states, the waves of run 0, and times within the hours', () => {
    const report = reportOf({});
    expect(addUp(report)).toBe(40);
    expect(report).toMatchObject({ plan_id: 1, contacts: 40, left: 0, runs: 1, stopped: null, stopped_runs: 0 });
    expect(report).not.toHaveProperty('percentiles');
    expect(report.first_call).toBe('2026-11-20T09:00:00.000Z');
    expect(report.wave_list.slice(0, 2)).toEqual([
      { wave: 1, start: '2026-11-20T09:00:00.000Z', contacts: 30, from: '+14155550100' },
      { wave: 2, start: '2026-11-20T09:30:00.000Z', contacts: 10, from: '+442079460100' },
    ]);
    expect(report.waves).toBe(report.wave_list.length);
    expect(report.attempts).toBe(report.wave_list.reduce((sum, { contacts }) => sum + contacts, 0));
  });

  test('of many runs has percentiles, and run 0 stays what it is', () => {
    const [one, many] = [reportOf({}), reportOf({}, 40)];
    const { percentiles, ...first } = many;
    expect({ ...first, runs: 1 }).toEqual(one);
    const rising = ({ p5, p50, p95 }: { p5: unknown; p50: unknown; p95: unknown }) => [p5, p50, p95];
    for (const of of [percentiles?.attempts, percentiles?.cost, percentiles?.finish]) {
      const values = rising(of as { p5: unknown; p50: unknown; p95: unknown });
      expect(values).toEqual(values.toSorted((a, b) => ((a as number) < (b as number) ? -1 : 1)));
      expect(new Set(values).size).toBeGreaterThan(1);
    }
  });

  test.each<[string, Partial<PlanRules>, Partial<PlanRehearsal>]>([
    ['a budget that is too small', { budget: 1_000_000, pricePerMinute: 100_000 }, { stopped_runs: 1 }],
    ['the end of the plan', { end: EPOCH + 30 * MINUTE }, { attempts: 20, stopped: null }],
    ['hours that never come', { start: Date.UTC(9999, 0) }, { attempts: 0, left: 40, finish: null, first_call: null }],
  ])('%s leaves contacts', (_what, rules, expected) => {
    const report = reportOf({ rules: { ...WIDE, ...rules } });
    expect(report).toMatchObject(expected);
    expect(addUp(report)).toBe(40);
    expect(report.left).toBeGreaterThan(0);
    expect(report.stopped === null).toBe(report.stopped_runs === 0);
  });

  test('of a plan that waits after its canary goes on at once, and says so', () => {
    const report = reportOf({ rules: { ...WIDE, canary: 3 } });
    expect(report).toMatchObject({ waits_after_canary: true, left: 0, stopped: null });
    expect(report.wave_list[0]).toMatchObject({ wave: 1, contacts: 3 });
  });

  test('of a real service believes that its waves under way were placed', () => {
    const loaded = planInMemory({ contacts: phones(5), rules: WIDE, from: FROM, hours: HOURS });
    const start = EPOCH - 2 * MINUTE;
    const wave = { wave: 1, from: FROM[0] as string, start, interval: MINUTE, rows: [0, 5] };
    applyEvent({ event: 'handed', at: start, ...wave }, loaded, 0);
    const rehearsed = onAssumedService(loaded, { now: EPOCH, pending: [] }, () => [0, 1, 2, 3, 4]);
    const played = play(rehearsed, 1);
    expect(played.counts.handed + played.counts.unseen + played.counts.new).toBe(0);
    expect(played.firstCall).toBe(start);
    expect(played.calls.slice(0, 5).map((call) => call.split(' ').slice(0, 2))).toEqual(
      [0, 1, 2, 3, 4].map((row) => [String(start + row * MINUTE), String(row)]),
    );
  });
});
