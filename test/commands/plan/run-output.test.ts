/** `plan run` and `plan create` whose output fails: what was handed over, and the plan that was made, are told all the same. */
import { describe, expect, test } from 'vitest';
import { EPOCH, numbers, plannedService } from '../../support/planned-service.ts';
import { Operator } from '../../support/program.ts';

const RULES = { callsPerHour: 60, wave: 600_000 };
const CREATE = [
  'plan',
  'create',
  '--name',
  'Spring',
  '--agent',
  '1',
  '--from',
  '+14155550100',
  '--window',
  '09:00-20:00',
];

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
    expect(stderr).toContain('Wave 1 of plan 1 was handed over as campaign');
    expect(stderr).toContain(says);
    expect(stderr).toContain('vagent plan status 1');
    expect(code).toBe(8);
    // Nothing was handed over by the next run: its failure hides nothing.
    const next = await service.run(['plan', 'run', '1', ...flags, ...format], options);
    expect(next.stderr).not.toContain('Wave 1');
    expect(next.code).not.toBe(8);
  });

  test.each([[[]], [['--until-done', '--advance']]])('on the local engine, %j: exit 8', async (more) => {
    const operator = await onEngine();
    const { code, stderr } = await operator.run(['plan', 'run', '1', ...more, ...flags], options);
    expect(stderr).toMatch(/Wave \d+ of plan 1 was handed over as campaign \d+, but afterwards: /);
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
