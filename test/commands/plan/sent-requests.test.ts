/** What was sent to the service of a plan. */

import { expect, test } from 'vitest';
import { planPorts } from '../../../src/commands/plan/shared/open-plan.ts';
import { waveName } from '../../../src/plans/rules/waves.ts';
import { sentRequests } from '../../../src/plans/run/requests.ts';
import { CREDENTIALS } from '../../conformance.ts';
import { testContext } from '../../support/context.ts';
import { testEngine } from '../../support/engine.ts';
import { phones, planInMemory } from '../../support/plans.ts';

test('on the simulator, the phones of all that has the name of a wave are known, whoever called them', async () => {
  const { plan } = planInMemory({ contacts: phones(1), from: ['+14155550100'] });
  const engine = testEngine();
  const service = engine.backend(CREDENTIALS);
  for (const [wave, call_from] of ['+14155550100', '+442079460100'].entries()) {
    const contacts = [{ phone_number: `+1415555019${wave}` }];
    await service.createCampaign({ campaign_name: waveName(plan, wave + 1), agent_id: 1, call_from, contacts });
  }
  const { context } = testContext();
  const onEngine = { ...context, local: { ...context.local, engine: async () => engine } };
  const { waves } = await sentRequests(plan, planPorts(onEngine));
  const known = [...waves].map(([wave, { contacts }]) => [wave, ...contacts.phones]);
  expect(known).toEqual([
    [1, 14155550190],
    [2, 14155550191],
  ]);
});
