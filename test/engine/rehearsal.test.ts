/** A rehearsal beside other campaigns foretells what the engine then plays: all of them take from one wallet. */
import { describe, expect, test } from 'vitest';
import { type CheckedRequest, checkRequest, type DocumentedCall, type RequestOf } from '../../src/contract.ts';
import { describeCampaign, pauseCampaign, resumeCampaign, setAgentStatus } from '../../src/engine/controls.ts';
import { planCampaign, type Rehearsal, rehearse } from '../../src/engine/rehearsal.ts';
import { VagentError } from '../../src/errors.ts';
import { waitingIn } from '../../src/local/organizations.ts';
import { engineNow } from '../../src/local/timeline.ts';
import { CREDENTIALS } from '../conformance.ts';
import { type TestEngine, testEngine } from '../support/engine.ts';
import { digestsIn } from '../support/files.ts';
import fc from '../support/properties.ts';

const HOUR = 3_600_000;
const ignore = () => {};

/** Numbers of a campaign's own, so that its calls can be told from all others. */
function numbers(campaign: number, count: number): string[] {
  return Array.from({ length: count }, (_none, at) => `+1${415_555 + campaign}${String(at).padStart(4, '0')}`);
}

interface Rules {
  contacts: number;
  agent: number;
  /** Seconds after now. */
  start: number;
  callsPerHour: number;
  retryAttempts: number;
  /** Seconds. */
  retryDelay: number;
}

const rules: fc.Arbitrary<Rules> = fc.record({
  contacts: fc.integer({ min: 1, max: 12 }),
  agent: fc.integer({ min: 1, max: 2 }),
  start: fc.constantFrom(0, 0, 60, 3600, 40_000),
  callsPerHour: fc.oneof(fc.constantFrom(60, 120), fc.integer({ min: 1, max: 3_600_000 })),
  retryAttempts: fc.integer({ min: 0, max: 3 }),
  retryDelay: fc.constantFrom(0, 1, 59, 60, 3600, 10_000),
});

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), rules }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), by: fc.integer({ min: 0, max: 8 * HOUR }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const), id: fc.nat({ max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('agent' as const), isActive: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const world = fc.record({
  seed: fc.nat(),
  /** Millionths. */
  balance: fc.oneof(fc.integer({ min: 0, max: 3_000_000 }), fc.integer({ min: 0, max: 20_000_000 })),
  steps: fc.array(step, { maxLength: 8 }),
  /** Milliseconds that pass unseen before the rehearsal: what falls due meanwhile is in no file yet. */
  unseen: fc.constantFrom(0, 0, 1, HOUR, 30 * HOUR),
  own: rules,
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function requestOf(campaign: number, given: Rules, now: number): RequestOf<'createCampaign'> {
  return {
    campaign_name: `Campaign ${campaign}`,
    agent_id: given.agent,
    call_from: '+14155550100',
    contacts: numbers(campaign, given.contacts).map((phone_number) => ({ phone_number, custom_first_line: 'Hello.' })),
    start_time: new Date(now + given.start * 1000).toISOString(),
    calls_per_hour: given.callsPerHour,
    retry_attempts: given.retryAttempts,
    retry_delay: given.retryDelay,
  };
}

async function arranged({ seed, balance, steps, unseen }: World): Promise<TestEngine> {
  const engine = testEngine({ seed });
  const service = engine.backend(CREDENTIALS);
  await service.createAgent({ agent_name: 'Ana', base_prompt: 'Ask.', voice_id: 2, conversation_goal: 'survey' });
  await engine.timeline.change(({ state }) => {
    // The first steps need some money; what is left of it is settled below.
    state.organization.balance = balance + 1_000_000;
  });
  let created = 0;
  for (const taken of steps) created += await take(engine, taken, created);
  await engine.timeline.change(({ state }) => {
    state.organization.balance = Math.min(state.organization.balance, balance);
  });
  engine.clock.now += unseen;
  return engine;
}

/** Returns how many campaigns were created; what is refused is nobody's matter here. */
async function take(engine: TestEngine, taken: Step, created: number): Promise<number> {
  const { timeline, backend } = engine;
  try {
    if (taken.kind === 'create') {
      const now = (await timeline.read()).now;
      await backend(CREDENTIALS).createCampaign(requestOf(created, taken.rules, now));
      return 1;
    }
    if (taken.kind === 'advance') await timeline.move((now) => now + taken.by, ignore);
    else if (taken.kind === 'agent') {
      await timeline.change(({ state }, now) => setAgentStatus(state, 2, taken.isActive ? 'active' : 'paused', now));
    } else {
      const change = { pause: pauseCampaign, resume: resumeCampaign }[taken.kind];
      await timeline.change(({ state }, now) => change(state, taken.id + 1, now));
    }
  } catch (error) {
    if (!(error instanceof VagentError)) throw error;
  }
  return 0;
}

const OWN = 50;

async function foretell(engine: TestEngine, own: Rules, runs: number): Promise<Rehearsal> {
  const snapshot = await engine.timeline.stored();
  const { state } = snapshot;
  const waitingOf = await waitingIn(snapshot);
  const now = engineNow(state, { systemNow: () => engine.clock.now });
  const checked = checkRequest('createCampaign', requestOf(OWN, { ...own, agent: 1 }, now));
  if (!checked.ok) throw new Error('the request is wrong');
  const request = checked.value as CheckedRequest<'createCampaign'>;
  const rehearsal = rehearse(planCampaign({ state, now, waitingOf }, request, {}), runs);
  for (;;) {
    const played = rehearsal.next();
    if (played.done) return played.value;
  }
}

async function happens(engine: TestEngine, own: Rules) {
  const { timeline, backend } = engine;
  const service = backend(CREDENTIALS);
  const { now, snapshot } = await timeline.read();
  const others = snapshot.state.campaigns.filter(({ status }) => status === 'running' || status === 'scheduled').length;
  const { campaign_id } = await service.createCampaign(requestOf(OWN, { ...own, agent: 1 }, now));
  await timeline.move(() => 'idle', ignore);
  const { calls } = await service.getCallLogs({ limit: 1000 });
  const dialled = new Set(numbers(OWN, own.contacts));
  const ours = (calls as DocumentedCall[]).filter(({ called_to }) => dialled.has(called_to)).reverse();
  const { state } = await timeline.stored();
  const campaign = state.campaigns.find((candidate) => candidate.campaign_id === campaign_id);
  const minutes = ours.reduce((sum, { call_duration }) => sum + Math.ceil(call_duration / 60), 0);
  return {
    attempts: ours.length,
    ...(campaign && {
      reached: describeCampaign(campaign).reached,
      not_reached: campaign.exhausted + ours.filter(({ call_outcome }) => call_outcome === 'voicemail_left').length,
    }),
    paused: campaign?.reason,
    enough: campaign?.status === 'completed',
    first_call: ours[0]?.timestamp ?? null,
    last_call: ours.at(-1)?.timestamp ?? null,
    cost: (minutes * state.scenario.price_per_minute) / 1e6,
    balance: snapshot.state.organization.balance / 1e6,
    ...(others > 0 && { other_campaigns: others }),
    by_status: counts(ours.map(({ call_status }) => call_status)),
    by_outcome: counts(ours.map(({ call_outcome }) => call_outcome)),
  };
}

function counts(labels: string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const label of labels) found[label] = (found[label] ?? 0) + 1;
  return found;
}

describe('whatever else the store is doing', () => {
  test('the report is what then happens, and nothing is written', async () => {
    let emptied = 0;
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const engine = await arranged(given);
        const before = digestsIn(engine.folder);
        const report = await foretell(engine, given.own, 1);
        expect(digestsIn(engine.folder)).toEqual(before);
        if (report.paused !== null && report.other_campaigns !== undefined) emptied++;
        // What create-campaign refuses, a rehearsal tells.
        const isRefused = (report.balance ?? 0) < 0.2;
        const happened = isRefused ? { attempts: 0, enough: false } : await happens(engine, given.own);
        expect(report).toMatchObject(happened);
      }),
      { numRuns: 60 },
    );
    // Else nothing is proved.
    expect(emptied).toBeGreaterThan(3);
  });

  test('the shortfall is the smallest top-up with which the campaign ends', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const engine = await arranged(given);
        const shortfall = Math.round(((await foretell(engine, given.own, 1)).shortfall ?? 0) * 1e6);
        if (shortfall === 0) return;
        // In one turn with what has fallen due, as an operator's `local topup` would.
        const add = (amount: number) =>
          engine.timeline.change(({ state }) => {
            state.organization.balance += amount;
          });
        await add(shortfall - 1);
        expect(await foretell(engine, given.own, 1)).toMatchObject({ enough: false, shortfall: 0.000001 });
        await add(1);
        expect(await foretell(engine, given.own, 1)).toMatchObject({ enough: true, shortfall: 0, paused: null });
      }),
      { numRuns: 30 },
    );
  });

  test('run 0 of many is the only run of one, and the percentiles are ordered', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const engine = await arranged(given);
        const { percentiles, runs, paused_runs, worst_case_finish, ...first } = await foretell(engine, given.own, 12);
        const {
          runs: _one,
          paused_runs: _paused,
          worst_case_finish: _worst,
          ...alone
        } = await foretell(engine, given.own, 1);
        expect(first).toEqual(alone);
        const { p5, p50, p95 } = percentiles?.last_call ?? { p5: '', p50: '', p95: '' };
        expect([p5, p50, p95]).toEqual([p5, p50, p95].toSorted());
        if (p95 !== null) expect(Date.parse(worst_case_finish)).toBeGreaterThanOrEqual(Date.parse(p95));
      }),
      { numRuns: 30 },
    );
  });
});
