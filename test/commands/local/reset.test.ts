/** A reset begins anew, but for ids: none is ever used twice, and what then happens is what would in a new store. */
import { expect, test } from 'vitest';
import type { DocumentedCall } from '../../../src/contract.ts';
import { initialState } from '../../../src/engine/state.ts';
import { CREDENTIALS } from '../../conformance.ts';
import { EPOCH, type TestEngine, testEngine } from '../../support/engine.ts';
import fc from '../../support/properties.ts';

const AGENT = { agent_name: 'Ana', base_prompt: 'Be brief.', voice_id: 2 };

/** What an engine did: a few calls, an agent and a campaign played to its end. */
async function played({ backend, timeline }: TestEngine, agentId = 1) {
  const service = backend(CREDENTIALS);
  const place = (to: string) =>
    service.triggerCall({
      use_agent_id: agentId,
      called_to: to,
      call_from: '+14155550100',
      custom_first_line: 'Hello.',
      custom_identifiers: '',
    });
  await place('+14155552671');
  const { agent_id } = await service.createAgent(AGENT);
  const contacts = Array.from({ length: 12 }, (_, at) => ({ phone_number: `+1415555${3000 + at}` }));
  const request = { agent_id: agentId, call_from: '+14155550100', contacts, calls_per_hour: 100 };
  const { campaign_id } = await service.createCampaign({ ...request, campaign_name: 'Spring' });
  await timeline.move(
    () => 'idle',
    () => {},
  );
  await place('+14155552672');
  const { calls } = await service.getCallLogs({ limit: 1000 });
  return { agent_id, campaign_id, calls: calls as DocumentedCall[] };
}

/** A call but for its number. */
function facts({ call_id: _id, recording_url, ...call }: DocumentedCall) {
  return { ...call, isRecorded: recording_url !== undefined };
}

test('ids go on over any number of resets, and chance begins anew', async () => {
  const resets = fc.array(fc.record({ seed: fc.nat(), empty: fc.boolean() }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(resets, async (all) => {
      const engine = testEngine();
      const given = await played(engine);
      const calls = new Set(given.calls.map(({ call_id }) => call_id));
      const agents = new Set([1, given.agent_id]);
      const campaigns = new Set([given.campaign_id]);
      for (const { seed, empty } of all) {
        engine.clock.now = EPOCH;
        await engine.store.reset(initialState({ seed, now: EPOCH, empty }));
        const fresh = testEngine({ seed });
        if (empty) {
          const { organization } = (await fresh.timeline.stored()).state;
          await engine.timeline.change(({ state }) => {
            state.organization = organization;
          });
        }
        const agentId = empty ? await anotherDemoAgent(engine) : 1;
        if (empty) agents.add(agentId);
        const again = await played(engine, agentId);
        const { calls: expected } = await played(fresh);
        expect(again.calls.map(facts)).toEqual(expected.map((call) => ({ ...facts(call), agent_id: agentId })));
        for (const [ids, id] of [
          [agents, again.agent_id],
          [campaigns, again.campaign_id],
        ] as const) {
          expect(ids).not.toContain(id);
          ids.add(id);
        }
        for (const { call_id } of again.calls) {
          expect(calls).not.toContain(call_id);
          calls.add(call_id);
        }
      }
    }),
    { numRuns: 8 },
  );
});

/** The demo agent's twin, where a reset has left no agent. */
async function anotherDemoAgent(engine: TestEngine): Promise<number> {
  const { agents } = (await testEngine().timeline.stored()).state;
  const { agent_id: _id, status: _status, ...demo } = agents[0] as (typeof agents)[0];
  return (await engine.backend(CREDENTIALS).createAgent(demo)).agent_id;
}
