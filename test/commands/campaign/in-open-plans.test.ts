/** Whom of a campaign plans have yet to call is said before it is made. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MINUTE, plannedService, refuses } from '../../support/planned-service.ts';
import { Operator } from '../../support/program.ts';
import { rowsOf } from '../../support/stored-plans.ts';

const [ANN, BOB, CAI, DEB] = ['+12025550190', '+12035550190', '+12045550190', '+12055550190'] as const;
const BASE = ['--agent', '1', '--from', '+14155550100', '--contacts'];
const CREATE = ['campaign', 'create', '--name', 'Offer', ...BASE, 'campaign.csv'];
const ALSO = /also in|called? some of these/;

function operatorWith(...plans: [name: string, people: readonly string[]][]) {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' }, frozenAt: '2026-11-23T15:00:00.000Z' });
  const write = (name: string, people: readonly string[]) =>
    writeFileSync(join(operator.home, name), `phone_number\n${people.join('\n')}\n`);
  write('campaign.csv', [ANN, BOB, CAI]);
  const made = plans.map(([name, people], at) => {
    write(`${at}.csv`, people);
    return ['plan', 'create', '--name', name, ...BASE, `${at}.csv`, '--window', '00:00-24:00', '--again'];
  });
  return {
    operator,
    async create(...flags: string[]) {
      const { code, stderr } = await operator.run([...CREATE, ...flags]);
      expect(code, stderr).toBe(0);
      return stderr;
    },
    async makePlans() {
      for (const args of made) await operator.json(args);
    },
  };
}

describe('a campaign to people whom', () => {
  test('an open plan has yet to call is made, with a warning', async () => {
    const { operator, create, makePlans } = operatorWith(['Spring', [BOB, DEB]]);
    await makePlans();
    const warning = 'Warning: 1 of 3 contacts is also in plan 1 "Spring", which may call them too.';
    expect(await create('--dry-run')).toContain(warning);
    await operator.run(['plan', 'stop', '1']);
    expect(await create()).toContain(warning);
    expect(await create('--quiet')).toBe('');
    await operator.run(['plan', 'cancel', '1']);
    expect(await create()).not.toMatch(ALSO);
  });

  test('several plans have yet to call are counted for each', async () => {
    const { create, makePlans } = operatorWith(['Spring', [BOB, ANN]], ['Autumn', [CAI, BOB]]);
    await makePlans();
    expect(await create()).toContain(
      'Warning: 3 of 3 contacts are also in plans that may call them too: plan 1 "Spring" (2), plan 2 "Autumn" (1).',
    );
  });

  test('a plan may call or not, because it is damaged, is made too', async () => {
    const { operator, create, makePlans } = operatorWith(['Spring', [BOB]]);
    await makePlans();
    const rows = rowsOf(join(operator.home, '.local/state/vagent'));
    await rows.put(`update plans set position = '{'`);
    expect(await create()).toMatch(
      /Warning: it is not known whether plan 1 calls some of these contacts too: Plan 1 is damaged/,
    );
    await rows.put(`update plans set state = 'forgotten'`);
    expect(await create()).not.toMatch(ALSO);
  });
});

test('on a real service those whom the plan is done with are not counted', async () => {
  const service = await plannedService();
  writeFileSync(join(service.operator.home, 'campaign.csv'), `phone_number\n${ANN}\n${BOB}\n${CAI}\n`);
  await service.plan([ANN, BOB, CAI, DEB], { callsPerHour: 2 });
  await service.step();
  service.engine.clock.now += 29 * MINUTE;
  const { contacts } = await service.step();
  expect(contacts).toMatchObject({ new: 3 });
  service.faults.createCampaign = refuses(429);
  const { stderr } = await service.run([...CREATE, '--yes', '--again', '--force']);
  expect(stderr).toContain('Warning: 2 of 3 contacts are also in plan 1 "Spring", which may call them too.');
});
