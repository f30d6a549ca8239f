/** Two plans call the same people for the same agent from the same number, and the log is late: neither accuses the service of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FROM, HOUR, MINUTE, numbers, type PlannedService, plannedService } from '../../support/planned-service.ts';
import { requestsAt } from '../../support/rows.ts';

const RUNS = 20 * MINUTE;

/** The log shows each call so many minutes after it was made. */
function lateLog(service: PlannedService, minutes: number): void {
  service.faults.getCallLogs = async ({ offset = 0, limit = 100 }) => {
    await service.engine.timeline.read();
    const made = await service.calls();
    const shown = made.filter(
      ({ timestamp }) => Date.parse(String(timestamp)) + minutes * MINUTE <= service.engine.clock.now,
    );
    shown.reverse();
    const from = Number(offset);
    const calls = shown.slice(from, from + Number(limit));
    return { success: true, calls, total: shown.length, limit: calls.length, offset: from };
  };
}

/** Runs plans in turn, as cron does, and returns why any of them was stopped. */
async function reasonsOf(service: PlannedService, plans: number, hours: number): Promise<string[]> {
  const reasons = new Set<string>();
  for (const until = service.engine.clock.now + hours * HOUR; service.engine.clock.now < until; ) {
    for (let plan = 1; plan <= plans; plan++) {
      const { state, reason } = await service.step(plan);
      if (state === 'stopped') reasons.add(reason);
    }
    service.engine.clock.now += RUNS;
  }
  return [...reasons];
}

test.each([
  [90, 5],
  [90, 15],
])('the log %i minutes late, a gap of %i minutes', async (late, gap) => {
  const service = await plannedService({ seed: late + gap });
  const rules = { callsPerHour: 60, minGap: gap * MINUTE, retry: { busy: 30 * MINUTE, no_answer: 60 * MINUTE } };
  for (const name of ['North', 'South']) await service.plan(numbers(6), rules, name);
  lateLog(service, late);
  expect(await reasonsOf(service, 2, 5)).toEqual([]);
  expect((await service.calls()).length).toBeGreaterThan(10);
});

test('a call of a campaign that was seen to be over is not said to be a second one of the plan', async () => {
  const service = await plannedService();
  const person = '+12025550192';
  await service.plan([person], { retry: { no_answer: 6 * HOUR } });
  lateLog(service, 90);
  expect(await service.step()).toMatchObject({ wave: { contacts: 1 } });
  service.engine.clock.now += 10 * MINUTE;
  const file = join(service.operator.home, 'people.csv');
  writeFileSync(file, `phone_number\n${person}\n`);
  const start = new Date(service.engine.clock.now + 20 * MINUTE).toISOString();
  const create = ['campaign', 'create', '--name', 'Beside', '--agent', '1', '--from', FROM, '--contacts', file];
  const created = await service.run([...create, '--start', start, '--retry-attempts', '0', '--again', '--yes']);
  expect(created.code, created.stderr).toBe(0);
  service.engine.clock.now += 90 * MINUTE;
  expect(await service.step()).toMatchObject({ contacts: { again: 1 } });
  service.engine.clock.now += 40 * MINUTE;
  await service.run(['campaign', 'list', '--json']);
  expect((await requestsAt(service.state))[1]?.summary).not.toBeNull();
  expect(await service.step()).toMatchObject({ state: 'open', contacts: { again: 1 } });
});
