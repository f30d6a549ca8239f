/** A plan that calls nobody until somebody has looked at it says so in every run, as cron runs it too. */
import { expect, test } from 'vitest';
import { HALTED } from '../../../src/errors.ts';
import type { PlanRules } from '../../../src/plans/rules/rules.ts';
import { HOUR, MINUTE, numbers, type PlannedService, plannedService, refuses } from '../../support/planned-service.ts';

const DAY = 24 * HOUR;
const MONEY = { budget: 500_000, pricePerMinute: 100_000, longest: 300 };

async function runFor(service: PlannedService, hours: number): Promise<void> {
  for (let half = 0; half < 2 * hours; half++) {
    await service.run(['plan', 'run', '1', '--quiet']);
    service.engine.clock.now += HOUR / 2;
  }
}

test.each<[string, Partial<PlanRules>, (service: PlannedService) => Promise<unknown>, RegExp]>([
  [
    'is stopped by hand',
    {},
    (service) => service.run(['plan', 'stop', '1']),
    /^Plan 1 is stopped: It was stopped with plan stop\. To go on: vagent plan resume 1$/m,
  ],
  [
    'was stopped by a wallet without money',
    {},
    async (service) => {
      service.faults.createCampaign = refuses(402);
      expect(await service.run(['plan', 'run', '1'])).toMatchObject({ code: 6 });
      delete service.faults.createCampaign;
    },
    /^Plan 1 is stopped: \/create-campaign was refused \(402\): An injected 402\. To go on: vagent plan resume 1$/m,
  ],
  [
    'has spent its budget',
    MONEY,
    (service) => runFor(service, 8),
    /^Plan 1 is stopped: The budget of 0\.5 .* vagent plan create makes another\.$/m,
  ],
  [
    'waits after its canary',
    { canary: 1 },
    (service) => runFor(service, 4),
    /^Plan 1 waits for a look: The first wave is over.* To go on: vagent plan resume 1$/m,
  ],
])('a plan that %s', async (_what, rules, halt, says) => {
  const service = await plannedService();
  await service.plan(numbers(6), { wave: MINUTE, ...rules });
  await halt(service);
  const said = async (...flags: string[]) => {
    const { code, stderr } = await service.run(['plan', 'run', '1', ...flags]);
    expect(code, stderr).toBe(HALTED);
    return stderr;
  };
  for (const flags of [[], ['--json'], ['--until-done']]) expect(await said(...flags)).toMatch(says);
  // Whoever is told at a terminal is not who reads what cron sends: the first quiet run tells too, unless one did.
  service.engine.clock.now += DAY;
  expect(await said('--quiet')).toMatch(says);
  for (const minutes of [10, 10, 12 * 60]) {
    service.engine.clock.now += minutes * MINUTE;
    expect(await said('--quiet')).toBe('');
  }
  // A daily job begins some seconds earlier or later.
  service.engine.clock.now += 11.5 * HOUR;
  expect(await said('--quiet', '--json')).toMatch(says);
  expect(await said('--quiet')).toBe('');
  expect((await service.run(['plan', 'resume', '1'])).code).toBe(rules.budget === undefined ? 0 : 2);
});

test('another reason is said at once, and a plan that goes on or is over exits with 0 and says nothing', async () => {
  const service = await plannedService();
  await service.plan(numbers(2));
  const quiet = () => service.run(['plan', 'run', '1', '--quiet']);
  await service.run(['plan', 'stop', '1']);
  expect(await quiet()).toMatchObject({ code: HALTED, stderr: expect.stringContaining('plan stop') });
  await service.run(['plan', 'resume', '1']);
  service.faults.createCampaign = refuses(402);
  expect(await quiet()).toMatchObject({ code: 6 });
  expect(await quiet()).toMatchObject({ code: HALTED, stderr: expect.stringContaining('An injected 402') });
  delete service.faults.createCampaign;
  await service.run(['plan', 'resume', '1']);
  expect(await quiet()).toMatchObject({ code: 0, stderr: '' });
  await service.run(['plan', 'cancel', '1']);
  expect(await quiet()).toMatchObject({ code: 0, stderr: '' });
});
