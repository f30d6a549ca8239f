/** The first look at a bad service over HTTP: a verdict line, its exit code, and the waiting before it. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CallLogEntry } from '../../../src/contract.ts';
import {
  FROM,
  HOUR,
  type Interception,
  MINUTE,
  type PlannedService,
  plannedService,
} from '../../support/planned-service.ts';

const OWN = '+12025550190';
const RUN = ['plan', 'run', '1', '--json'];

/** The log as if the service had made its calls otherwise than it was told. */
function logOf(service: PlannedService, made: (call: CallLogEntry) => CallLogEntry[]): Interception {
  return async (_request, answer) => {
    const page = (await answer()) as { calls: CallLogEntry[] };
    const shown = ({ timestamp }: CallLogEntry) => Date.parse(String(timestamp)) <= service.engine.clock.now;
    const calls = page.calls.flatMap(made).filter(shown).reverse();
    return { ...page, calls, total: calls.length, limit: calls.length, offset: 0 };
  };
}

function later(call: CallLogEntry, time: number, call_id = call.call_id): CallLogEntry {
  return { ...call, call_id, timestamp: new Date(Date.parse(String(call.timestamp)) + time).toISOString() };
}

test.each<[string, string, (call: CallLogEntry) => CallLogEntry[], string[], number, RegExp]>([
  [
    'a probe stops where the service tries again by itself an hour later',
    'stopped',
    (call) => [call, later(call, HOUR, 'again')],
    ['--probe', OWN],
    1,
    /A contact of wave 1 was called more than once\./,
  ],
  [
    'a canary waits where the service calls five hours late',
    'waiting',
    (call) => [later(call, 5 * HOUR)],
    ['--window', '00:00-24:00', '--canary', '1', '--retry', 'failed=30m'],
    7,
    /did not do as it was told: its last call was 5 h late\./,
  ],
])('%s: it says so, and exits with 11', async (_what, state, made, flags, waits, says) => {
  const service = await plannedService();
  service.faults.getCallLogs = logOf(service, made);
  const file = `${service.operator.home}/people.csv`;
  writeFileSync(file, `phone_number\n${OWN}\n+12025550191\n`);
  const contacts = flags.includes('--probe') ? [] : ['--contacts', file];
  const create = ['plan', 'create', '--name', 'Look', '--agent', '1', '--from', FROM];
  const created = await service.run([...create, ...contacts, ...flags]);
  expect(created.code, created.stderr).toBe(0);
  service.engine.clock.now += 6 * MINUTE;
  expect(await service.step()).toMatchObject({ wave: { contacts: 1 } });
  const end = service.engine.clock.now + 9 * HOUR;
  const waited: number[] = [];
  let ran = await service.run(RUN);
  for (; ran.code === 0 && service.engine.clock.now < end; ran = await service.run(RUN)) {
    expect(JSON.parse(ran.stdout)).toMatchObject({ state: 'open', wave: null });
    waited.push(service.engine.clock.now);
    service.engine.clock.now += 20 * MINUTE;
  }
  expect([ran.code, JSON.parse(ran.stdout).state]).toEqual([11, state]);
  expect(JSON.parse(ran.stdout).reason).toMatch(says);
  expect(ran.stderr).toMatch(says);
  const [begin = 0] = waited;
  expect(Math.round((service.engine.clock.now - begin) / HOUR)).toBe(waits);
  expect(service.sent).toHaveLength(1);
});
