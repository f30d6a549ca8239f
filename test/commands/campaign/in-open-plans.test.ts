/** Whom of a campaign plans have yet to call is said before it is made; where all is well, in `in-open-plans.session`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MINUTE, plannedService, refuses } from '../../support/planned-service.ts';
import { Operator } from '../../support/program.ts';
import { rowsOf } from '../../support/stored-plans.ts';

const [ANN, BOB, CAI, DEB] = ['+12025550190', '+12035550190', '+12045550190', '+12055550190'] as const;
const BASE = ['--agent', '1', '--from', '+14155550100', '--contacts'];
const CREATE = ['campaign', 'create', '--name', 'Offer', ...BASE, 'campaign.csv'];

test('a campaign to people whom a plan may call or not, because it is damaged, is made too', async () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  writeFileSync(join(operator.home, 'campaign.csv'), `phone_number\n${ANN}\n`);
  await operator.json(['plan', 'create', '--name', 'Spring', ...BASE, 'campaign.csv', '--window', '00:00-24:00']);
  const rows = rowsOf(join(operator.home, '.local/state/vagent'));
  await rows.put(`update plans set position = '{'`);
  expect((await operator.run(CREATE)).stderr).toMatch(
    /Warning: it is not known whether plan 1 calls some of these contacts too: Plan 1 is damaged/,
  );
  await rows.put(`update plans set state = 'forgotten'`);
  const { code, stderr } = await operator.run(CREATE);
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/also in|called? some of these/)]);
});

test('on a real service those whom the plan is done with are not counted', async () => {
  const service = await plannedService();
  writeFileSync(join(service.operator.home, 'campaign.csv'), `phone_number\n${ANN}\n${BOB}\n${CAI}\n`);
  await service.plan([ANN, BOB, CAI, DEB], { callsPerHour: 2, retry: {} });
  await service.step();
  service.engine.clock.now += 29 * MINUTE;
  const { states } = await service.step();
  expect(states).toMatchObject({ waiting: 3 });
  service.faults.createCampaign = refuses(429);
  const { stderr } = await service.run([...CREATE, '--yes', '--again', '--force']);
  expect(stderr).toContain('Warning: 2 of 3 contacts are also in plan 1 "Spring", which may call them too.');
});
