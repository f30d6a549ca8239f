/** An engine that has lived through what most engines do, for tests that copy or damage it. */
import { localCredentials, type RequestOf } from '../../src/contract.ts';
import { pauseCampaign, removeNumber, topUp } from '../../src/engine/controls.ts';
import { initialState } from '../../src/engine/state.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import { linesOf } from '../../src/local/store.ts';
import { EPOCH } from './engine.ts';

const MINUTE = 60_000;

export const advance = async (engine: LocalEngine, organizationId: number, by: number | 'idle') =>
  (await engine.timelineOf(organizationId))?.move(
    (now) => (by === 'idle' ? by : now + by),
    () => {},
  );
export const change = async (
  engine: LocalEngine,
  organizationId: number,
  how: Parameters<typeof engine.timeline.change>[0],
) => (await engine.timelineOf(organizationId))?.change(how);

export const campaign = (agent: number, size: number, rest: Partial<RequestOf<'createCampaign'>> = {}) => ({
  ...{ campaign_name: `Of ${size}`, agent_id: agent, call_from: '+14155550100', calls_per_hour: 60 },
  ...{ retry_attempts: 2, retry_delay: 300 },
  contacts: Array.from({ length: size }, (_none, at) => ({
    phone_number: `+1415555${String(1000 + at)}`,
    ...(at % 3 === 0 && { custom_first_line: `Hello ${at}, “you”\n` }),
    ...(at % 4 === 0 && { custom_identifiers: '' }),
  })),
  ...rest,
});

/** Two organizations with four campaigns each, of which three are not done, and one more that has nothing. */
export async function lived(engine: LocalEngine): Promise<void> {
  const add = (empty: boolean) =>
    engine.store.add((organizationId, demoAgentId) =>
      initialState({ seed: organizationId, now: EPOCH, empty, organizationId, demoAgentId }),
    );
  await engine.timeline.change(() => {});
  for (const empty of [false, true]) await add(empty);
  for (const [organizationId, agent] of [
    [1, 1],
    [2, 2],
  ] as const) {
    const service = engine.backend(localCredentials(organizationId));
    await service.createCampaign(campaign(agent, 3, { retry_attempts: 0 }));
    await service.createCampaign(campaign(agent, 40));
    await service.createCampaign(campaign(agent, 25, { calls_per_hour: 120, retry_delay: 0 }));
    await advance(engine, organizationId, 12 * MINUTE);
    await change(engine, organizationId, ({ state }) => topUp(state, 5_000_000));
    await change(engine, organizationId, ({ state }) => {
      state.scenario.price_per_minute = 70_000;
    });
    await service.createCampaign(campaign(agent, 5, { start_time: '2027-01-01T00:00:00Z' }));
    await change(engine, organizationId, ({ state }) => pauseCampaign(state, organizationId === 1 ? 3 : 7));
    await service.triggerCall({
      ...{ use_agent_id: agent, called_to: '+14155550190', call_from: '+442079460100', custom_first_line: 'Hello.' },
      custom_identifiers: 'crm "7"',
    });
    await change(engine, organizationId, ({ state }) => removeNumber(state, '+442079460100'));
    await advance(engine, organizationId, 7 * MINUTE);
    const rows = Array.from({ length: 40 }, (_none, at) => [`+1415555${1000 + at}`, `note, ${at}`]);
    const file = linesOf({ columns: ['phone', 'note'], rows });
    await engine.store.transact(organizationId, [
      (transaction) => transaction.keepRows(organizationId === 1 ? 2 : 6, file),
    ]);
  }
}
