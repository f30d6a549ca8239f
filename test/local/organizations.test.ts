/** Several organizations in one engine, whatever keeps it: what one does changes nothing of another. */
import { expect, test } from 'vitest';
import { localCredentials, type RequestOf } from '../../src/contract.ts';
import { setAgentStatus, topUp } from '../../src/engine/controls.ts';
import { dayRange } from '../../src/engine/policy.ts';
import { initialState } from '../../src/engine/state.ts';
import { organizationFacts } from '../../src/local/organizations.ts';
import type { Snapshot } from '../../src/local/store.ts';
import type { Timeline } from '../../src/local/timeline.ts';
import { EPOCH } from '../support/engine.ts';
import { howMany } from '../support/full-matrix.ts';
import fc from '../support/properties.ts';
import { describeStores, type Engine } from '../support/stores.ts';

const AGENT: RequestOf<'createAgent'> = { agent_name: 'Front desk', base_prompt: 'Be brief.', voice_id: 2 };
const EVERYTHING = { ...dayRange(undefined, undefined), agentId: undefined };

const call = (agent: number): RequestOf<'triggerCall'> => ({
  ...{ use_agent_id: agent, called_to: '+14155550190', call_from: '+14155550100' },
  ...{ custom_first_line: 'Hello', custom_identifiers: '' },
});

const campaign = (agent: number, size = 5): RequestOf<'createCampaign'> => ({
  ...{ campaign_name: 'Spring', agent_id: agent, call_from: '+14155550100', calls_per_hour: 60 },
  ...{ retry_attempts: 1, retry_delay: 90 },
  contacts: Array.from({ length: size }, (_none, at) => ({ phone_number: `+141555502${10 + at}` })),
});

function add({ store, clock }: Engine, { empty = false, seed = 1 } = {}): Promise<number> {
  return store.add((organizationId, demoAgentId) =>
    initialState({ seed, now: clock.now, empty, organizationId, demoAgentId }),
  );
}

const serviceOf = ({ backend }: Engine, organizationId: number) => backend(localCredentials(organizationId));

async function snapshotOf({ store }: Engine, organizationId: number): Promise<Snapshot> {
  const snapshot = await store.snapshot(organizationId);
  if (snapshot === undefined) throw new Error(`no organization ${organizationId}`);
  return snapshot;
}

async function timelineOf(engine: Engine, organizationId: number): Promise<Timeline> {
  const timeline = await engine.timelineOf(organizationId);
  if (timeline === undefined) throw new Error(`no organization ${organizationId}`);
  return timeline;
}

const stateOf = async (engine: Engine, organizationId: number) => (await snapshotOf(engine, organizationId)).state;

const logOf = async (engine: Engine, organizationId: number) =>
  (await (await snapshotOf(engine, organizationId)).callPage(EVERYTHING, 1_000_000, 0)).calls;

const advance = async (engine: Engine, organizationId: number, by: number | 'idle') =>
  (await timelineOf(engine, organizationId)).move(
    (now) => (by === 'idle' ? by : now + by),
    () => {},
  );

const demoAgent = async (engine: Engine, organizationId: number) =>
  (await stateOf(engine, organizationId)).organization.demo_agent_id;

describeStores((newEngine) => {
  test('ids of organizations, agents and campaigns count up over all, call_ids in each', async () => {
    const engine = newEngine();
    expect(await engine.store.ids()).toEqual([1]);
    expect([await add(engine), await add(engine), await add(engine, { empty: true })]).toEqual([2, 3, 4]);
    expect(await engine.store.ids()).toEqual([1, 2, 3, 4]);
    expect(await Promise.all([1, 2, 3, 4].map((id) => demoAgent(engine, id)))).toEqual([1, 2, 3, 4]);

    const agents = [];
    for (const id of [2, 1, 3, 4, 1])
      agents.push(((await serviceOf(engine, id).createAgent(AGENT)) as { agent_id: number }).agent_id);
    expect(agents).toEqual([5, 6, 7, 8, 9]);
    const campaigns = [];
    for (const id of [3, 1, 2])
      campaigns.push(
        ((await serviceOf(engine, id).createCampaign(campaign(id))) as { campaign_id: number }).campaign_id,
      );
    expect(campaigns).toEqual([1, 2, 3]);

    for (const id of [1, 2, 2]) await serviceOf(engine, id).triggerCall(call(id));
    await advance(engine, 2, 'idle');
    const ids = async (id: number) => (await logOf(engine, id)).map(({ call_id }) => call_id).reverse();
    expect((await ids(2)).slice(0, 3)).toEqual(['call_2_0000000001', 'call_2_0000000002', 'call_2_0000000003']);
    expect((await ids(1))[0]).toBe('call_0000000001');
    expect(await ids(4)).toEqual([]);
  });

  test('each has its own key, wallet, numbers and agents', async () => {
    const engine = newEngine();
    await add(engine);
    await expect(engine.backend({ organization_id: 2, api_key: 'local-demo-key' }).getAgents({})).rejects.toMatchObject(
      {
        status: 401,
        code: 'invalid_api_key',
      },
    );
    await expect(engine.backend(localCredentials(3)).getAgents({})).rejects.toMatchObject({
      status: 404,
      code: 'organization_not_found',
      message: 'There is no organization 3.',
    });
    await expect(engine.admit(localCredentials(3), 'getAgents', {})).rejects.toMatchObject({ status: 404 });
    await serviceOf(engine, 2).triggerCall(call(2));
    await expect(serviceOf(engine, 2).triggerCall(call(1))).rejects.toMatchObject({ code: 'agent_not_found' });
    const balances = (await organizationFacts(engine.store)).map(({ balance, calls }) => [balance, calls]);
    expect(balances[0]).toEqual([100_000_000, 0]);
    expect(balances[1]?.[1]).toBe(1);
    expect(balances[1]?.[0]).toBeLessThan(100_000_000);
  });

  test('a reset of one leaves the others, keeps its demo agent, and goes on counting', async () => {
    const engine = newEngine();
    await add(engine);
    for (const id of [1, 2]) {
      await serviceOf(engine, id).createCampaign(campaign(id));
      await serviceOf(engine, id).createAgent(AGENT);
      await advance(engine, id, 'idle');
    }
    const before = [await stateOf(engine, 1), await logOf(engine, 1)];
    const placed = (await logOf(engine, 2)).length;
    await engine.store.reset(initialState({ seed: 1, now: EPOCH, empty: false, organizationId: 2, demoAgentId: 2 }));
    expect([await stateOf(engine, 1), await logOf(engine, 1)]).toEqual(before);
    expect(await logOf(engine, 2)).toEqual([]);
    expect((await stateOf(engine, 2)).agents.map(({ agent_id }) => agent_id)).toEqual([2]);
    await serviceOf(engine, 2).triggerCall(call(2));
    expect((await logOf(engine, 2))[0]?.call_id).toBe(`call_2_${String(placed + 1).padStart(10, '0')}`);
    expect(await serviceOf(engine, 2).createAgent(AGENT)).toMatchObject({ agent_id: 5 });
    expect(await serviceOf(engine, 2).createCampaign(campaign(2))).toMatchObject({ campaign_id: 3 });
  });

  test('many that are added at once all get ids of their own', async () => {
    const engine = newEngine();
    const added = await Promise.all(Array.from({ length: 12 }, () => add(engine)));
    expect(added.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_none, at) => at + 2));
    const agents = await Promise.all(added.map((id) => demoAgent(engine, id)));
    expect(new Set(agents).size).toBe(12);
    const created = await Promise.all(
      [1, ...added].map(
        async (id) => ((await serviceOf(engine, id).createAgent(AGENT)) as { agent_id: number }).agent_id,
      ),
    );
    expect(new Set([...agents, ...created]).size).toBe(25);
  });

  /** What an organization can do, given its demo agent. */
  type Step = (engine: Engine, id: number, agent: number) => Promise<unknown>;
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.constant<Step>((engine, id, agent) => serviceOf(engine, id).triggerCall(call(agent))),
    fc.nat({ max: 8 }).map(
      (size): Step =>
        (engine, id, agent) =>
          serviceOf(engine, id).createCampaign(campaign(agent, size + 1)),
    ),
    fc.constant<Step>((engine, id) => serviceOf(engine, id).createAgent(AGENT)),
    fc.constantFrom(60_000, 7_000_000).map(
      (by): Step =>
        (engine, id) =>
          advance(engine, id, by),
    ),
    fc.constant<Step>(async (engine, id) =>
      (await timelineOf(engine, id)).change(({ state }) => topUp(state, 5_000_000)),
    ),
    fc.constantFrom('paused' as const, 'active' as const).map(
      (status): Step =>
        async (engine, id, agent) =>
          (await timelineOf(engine, id)).change(({ state }, now) => setAgentStatus(state, agent, status, now)),
    ),
  );
  const took = (error: { status?: number; code?: string }) => {
    if (error.status === undefined && error.code === undefined) throw error;
  };

  test('whatever the others do, the log, wallet and clock of one are what they would be without them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(1, 2, 3), step), { minLength: 3, maxLength: 14 }),
        fc.constantFrom(1, 2, 3),
        async (steps, watched) => {
          const [together, alone] = [newEngine(), newEngine()];
          for (const engine of [together, alone]) for (let more = 0; more < 2; more++) await add(engine);
          for (const [id, carryOut] of steps) {
            await carryOut(together, id, id).catch(took);
            if (id === watched) await carryOut(alone, id, id).catch(took);
          }
          for (const engine of [together, alone]) await advance(engine, watched, 'idle');
          expect(JSON.stringify(await logOf(together, watched))).toBe(JSON.stringify(await logOf(alone, watched)));
          const own = async (engine: Engine) => {
            const { organization, clock, seed, next_call_number } = await stateOf(engine, watched);
            return { organization, clock, seed, next_call_number };
          };
          expect(await own(together)).toEqual(await own(alone));
        },
      ),
      { numRuns: howMany(6, 50) },
    );
  });

  test('two processes see each other’s organizations, states and ids', async () => {
    const one = newEngine();
    const other = one.beside();
    expect([await add(one), await add(other), await add(one)]).toEqual([2, 3, 4]);
    expect(await serviceOf(other, 4).createAgent(AGENT)).toMatchObject({ agent_id: 5 });
    expect(await serviceOf(one, 4).createAgent(AGENT)).toMatchObject({ agent_id: 6 });
    expect((await stateOf(other, 4)).agents.map(({ agent_id }) => agent_id)).toEqual([4, 5, 6]);
    for (const engine of [one, other]) await serviceOf(engine, 4).triggerCall(call(4));
    expect(await logOf(one, 4)).toEqual(await logOf(other, 4));
    expect(await logOf(one, 4)).toHaveLength(2);
  });
});
