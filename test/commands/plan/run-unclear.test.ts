/** Calls whose status the service's interface does not name: they are told, and nobody is called again for them without a look. */
import { expect, test } from 'vitest';
import { HOUR, MINUTE, numbers, plannedService } from '../../support/planned-service.ts';

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

test('are told an hour after, once, and counted by plan status until the log says what came of them', async () => {
  const { service, folder } = await afterCalls(['answered', 'answered', 'hung_up', 'busy'], 5);
  // They may be going on.
  expect((await service.run(RUN)).stderr).not.toContain('Warning');
  service.engine.clock.now += HOUR;
  const told =
    "Warning: 3 calls have statuses (answered, hung_up), which the service's interface does not name: " +
    'what came of them is not known. vagent plan status 1 keeps count of them.';
  expect((await service.run([...RUN, '--json'])).stderr).toContain(told);
  expect((await service.run(RUN)).stderr).not.toContain('Warning');
  const { stdout } = await service.run(STATUS);
  expect(JSON.parse(stdout)).toMatchObject({
    contacts: { handed: 4, exhausted: 1 },
    attempts: 1,
    unclear: { answered: 2, hung_up: 1 },
  });
  // The log has changed its mind.
  delete service.faults.getCallLogs;
  await service.run(RUN);
  expect(JSON.parse((await service.run(STATUS)).stdout)).toMatchObject({ contacts: { handed: 0 }, unclear: {} });
  expect((await folder.load()).position.attempts).toBe(5);
});

test('are told with --quiet too, and then no more', async () => {
  const { service } = await afterCalls(['answered'], 1);
  service.engine.clock.now += HOUR;
  expect((await service.run([...RUN, '--quiet'])).stderr).toContain('Warning: 1 call has the status answered, which');
  expect((await service.run([...RUN, '--quiet'])).stderr).toBe('');
});

test.each<[string, string[], { again: number; unseen: number }, string[]]>([
  ['nobody by a recall of the unseen', [], { again: 1, unseen: 3 }, ['answered', 'hung_up']],
  ['those whose status is named', ['--recall-status', 'answered'], { again: 3, unseen: 1 }, ['hung_up']],
  [
    'all whose statuses are named',
    ['--recall-status', 'answered', '--recall-status', 'hung_up'],
    { again: 4, unseen: 0 },
    [],
  ],
])('call again %s', async (_who, flags, contacts, left) => {
  const { service } = await afterCalls(['answered', 'answered', 'hung_up'], 4);
  service.engine.clock.now += 30 * HOUR;
  await service.run(RUN);
  expect(JSON.parse((await service.run(STATUS)).stdout)).toMatchObject({ state: 'done', contacts: { unseen: 4 } });
  const { code, stdout, stderr } = await service.run([...RECALL, ...flags, '--json']);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ contacts });
  for (const status of ['answered', 'hung_up'])
    expect(stderr.includes(`--recall-status ${status}`)).toBe(left[0] === status);
  // Whoever is left alone is so however often the others are recalled.
  const again = await service.run([...RECALL, '--json']);
  expect(JSON.parse(again.stdout || JSON.stringify({ contacts }))).toMatchObject({ contacts });
});

test('a status that no contact waits with is refused, with those that there are', async () => {
  const { service } = await afterCalls(['answered'], 1);
  service.engine.clock.now += 30 * HOUR;
  await service.run(RUN);
  const { code, stderr } = await service.run([...RECALL, '--recall-status', 'busy']);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('There are: answered') });
});
