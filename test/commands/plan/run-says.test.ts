/**
 * What `plan run` and `plan create` say: of a plan that calls nobody, of calls that are not understood, and where the output fails.
 */
import { describe, expect, test } from 'vitest';
import { HALTED } from '../../../src/errors.ts';
import type { PlanRules } from '../../../src/plans/rules/rules.ts';
import { casesBeside } from '../../support/cases.ts';
import {
  EPOCH,
  HOUR,
  MINUTE,
  numbers,
  type PlannedService,
  plannedService,
  refuses,
} from '../../support/planned-service.ts';
import { Operator } from '../../support/program.ts';

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
      expect(await service.run(['plan', 'run', '1'])).toMatchObject({ code: HALTED });
      delete service.faults.createCampaign;
    },
    /^Plan 1 is stopped: \/create-campaign was refused \(402\): An injected 402\. To go on: vagent plan resume 1$/m,
  ],
  [
    'has spent its budget',
    MONEY,
    (service) => runFor(service, 8),
    /^Plan 1 is stopped: The budget of 0\.5 .* vagent plan edit 1 --budget <amount> raises it\.$/m,
  ],
  [
    'waits after its canary',
    { canary: 1 },
    (service) => runFor(service, 4),
    /^Plan 1 waits for a look: The first wave is over.* Waiting for you: vagent plan approve 1$/m,
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
  expect(await quiet()).toMatchObject({ code: HALTED, stderr: expect.stringContaining('An injected 402') });
  expect(await quiet()).toMatchObject({ code: HALTED, stderr: '' });
  delete service.faults.createCampaign;
  await service.run(['plan', 'resume', '1']);
  expect(await quiet()).toMatchObject({ code: 0, stderr: '' });
  await service.run(['plan', 'cancel', '1', '--yes']);
  expect(await quiet()).toMatchObject({ code: 0, stderr: '' });
});

const RUN = ['plan', 'run', '1'];
const STATUS = ['plan', 'status', '1', '--json'];
const RECALL = ['plan', 'resume', '1', '--recall-unseen'];

/** A service that gives the first calls these statuses, and shows no entry of the others; its plan has called everybody. */
async function afterCalls(statuses: readonly string[], contacts: number) {
  const service = await plannedService();
  const folder = await service.plan(numbers(contacts), { retry: {} });
  service.faults.getCallLogs = async (_request, answer) => {
    const { calls, total, ...rest } = (await answer()) as { calls: { called_to: string }[]; total: number };
    const shown = calls.flatMap((call) => {
      const status = statuses[numbers(contacts).indexOf(call.called_to)];
      return status === undefined ? [] : [{ ...call, call_status: status }];
    });
    return { ...rest, total: Math.min(total, statuses.length), calls: shown };
  };
  await service.run(RUN);
  service.engine.clock.now += 10 * MINUTE;
  return { service, folder };
}

test('calls of an unknown status are told once, and counted until the log says what came of them', async () => {
  const { service, folder } = await afterCalls(['answered', 'answered', 'hung_up', 'busy'], 5);
  // They may be going on.
  expect((await service.run(RUN)).stderr).not.toContain('Warning');
  service.engine.clock.now += HOUR;
  const told =
    "Warning: 3 calls have statuses (answered, hung_up), which the service's interface does not name: " +
    'the result of them is not known. vagent plan status 1 keeps count of them.';
  expect((await service.run([...RUN, '--json'])).stderr).toContain(told);
  expect((await service.run(RUN)).stderr).not.toContain('Warning');
  const { stdout } = await service.run(STATUS);
  expect(JSON.parse(stdout)).toMatchObject({
    states: { calling: 4, not_reached: 1 },
    attempts: 1,
    unclear: { answered: 2, hung_up: 1 },
  });
  // The log has changed its mind.
  delete service.faults.getCallLogs;
  await service.run(RUN);
  expect(JSON.parse((await service.run(STATUS)).stdout)).toMatchObject({ states: { calling: 0 }, unclear: {} });
  expect((await folder.load()).position.attempts).toBe(5);
});

test('such calls are told with --quiet too, and then no more', async () => {
  const { service } = await afterCalls(['answered'], 1);
  service.engine.clock.now += HOUR;
  expect((await service.run([...RUN, '--quiet'])).stderr).toContain('Warning: 1 call has the status answered, which');
  expect((await service.run([...RUN, '--quiet'])).stderr).toBe('');
});

type Recalled = [string, string[], { waiting: number; no_result: number }, string[]];
const RECALLED = casesBeside(import.meta.filename)<Recalled>('after calls of an unknown status, call again');

test.each(RECALLED)('after such calls, call again %s', async (_who, flags, states, left) => {
  const { service } = await afterCalls(['answered', 'answered', 'hung_up'], 4);
  service.engine.clock.now += 30 * HOUR;
  await service.run(RUN);
  expect(JSON.parse((await service.run(STATUS)).stdout)).toMatchObject({ state: 'done', states: { no_result: 4 } });
  const strange = await service.run([...RECALL, '--recall-status', 'busy']);
  expect(strange).toMatchObject({ code: 2, stderr: expect.stringContaining('There are: answered, hung_up') });
  const { code, stdout, stderr } = await service.run([...RECALL, ...flags, '--json']);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ states });
  for (const status of ['answered', 'hung_up'])
    expect(stderr.includes(`--recall-status ${status}`)).toBe(left[0] === status);
  // Whoever is left alone is so however often the others are recalled.
  const again = await service.run([...RECALL, '--json']);
  expect(JSON.parse(again.stdout || JSON.stringify({ states }))).toMatchObject({ states });
});

const RULES = { callsPerHour: 60, wave: 600_000 };
const CREATE = 'plan create --name Spring --agent 1 --from +14155550100 --window 09:00-20:00'.split(' ');

const failures = {
  'a disk that is full': [{ stdoutFails: 'ENOSPC' }, [], 'the disk is full'],
  'a reader that has gone': [{ stdoutFails: 'EPIPE' }, [], 'has closed it'],
  'a field that is not there': [{}, ['--fields', 'nope'], '--fields: unknown nope'],
} as const;

/** A home with a plan of a few people of the local engine. */
async function onEngine(): Promise<Operator> {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' }, frozenAt: new Date(EPOCH).toISOString() });
  const input = `phone_number\n${numbers(3).join('\n')}\n`;
  const made = await operator.run([...CREATE, '--wave', '10m', '--zone', 'UTC', '--contacts', '-'], { input });
  expect(made.code, made.stderr).toBe(0);
  return operator;
}

describe.each(Object.entries(failures))('after a wave, %s', (_name, [options, flags, says]) => {
  test.each([
    ['as text', []],
    ['as JSON', ['--json']],
  ] as const)('on a real service, %s: exit 8', async (_as, format) => {
    const service = await plannedService();
    await service.plan(numbers(3), RULES);
    const { code, stderr } = await service.run(['plan', 'run', '1', ...flags, ...format], options);
    expect(service.sent).toHaveLength(1);
    expect(stderr).toContain('Wave 1 of plan 1 was sent as campaign');
    expect(stderr).toContain(says);
    expect(stderr).toContain('vagent plan status 1');
    expect(code).toBe(8);
    // Nothing was handed over by the next run: its failure hides nothing.
    const next = await service.run(['plan', 'run', '1', ...flags, ...format], options);
    expect(next.stderr).not.toContain('Wave 1');
    expect(next.code).not.toBe(8);
  });

  test.each([[[]], [['--until-done', '--advance']]])('on the simulator, %j: exit 8', async (more) => {
    const operator = await onEngine();
    const { code, stderr } = await operator.run(['plan', 'run', '1', ...more, ...flags], options);
    expect(stderr).toMatch(/Wave \d+ of plan 1 was sent as campaign \d+, but afterwards: /);
    expect(stderr).toContain('vagent plan status 1');
    expect(code).toBe(8);
  });
});

test('a plan that was made is named where it cannot be shown: exit 9', async () => {
  const service = await plannedService();
  const contacts = ['--contacts', '-', '--zone', 'UTC'];
  const options = { stdoutFails: 'ENOSPC', input: `phone_number\n${numbers(1)}\n` };
  const { code, stderr } = await service.run([...CREATE, ...contacts], options);
  expect(stderr).toContain('Plan 1 is made, but: Cannot write standard output');
  expect(stderr).toContain('vagent plan status 1');
  expect(code).toBe(9);
  const shown = await service.run(['plan', 'status', '1', '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({ plan_id: 1 });
});
