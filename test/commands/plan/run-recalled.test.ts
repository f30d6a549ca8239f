/** `plan run` where a call that nobody had seen comes to light days later. */
import { expect, test } from 'vitest';
import type { CallLogEntry } from '../../../src/contract.ts';
import { EPOCH, HOUR, plannedService } from '../../support/planned-service.ts';

test('a plan that is over with somebody unseen looks for a week, and then no more', async () => {
  const service = await plannedService();
  const folder = await service.plan(['+12015550190']);
  let looks = 0;
  let isLate = true;
  service.faults.getCallLogs = async (_request, answer) => {
    looks += 1;
    const page = (await answer()) as { total: number; calls: CallLogEntry[] };
    return isLate ? { ...page, calls: [], total: page.total - page.calls.length } : page;
  };
  const at = (hours: number) => {
    service.engine.clock.now = EPOCH + hours * HOUR;
    return service.step();
  };
  await at(0);
  expect(await at(25)).toMatchObject({ state: 'done', contacts: { unseen: 1 } });
  looks = 0;
  await at(150);
  expect(looks).toBeGreaterThan(0);
  looks = 0;
  await at(8 * 24);
  expect(looks).toBe(0);

  isLate = false;
  expect(await at(6 * 24)).toMatchObject({ state: 'done', contacts: { unseen: 0, again: 0, handed: 0 } });
  expect((await folder.load()).position.attempts).toBe(1);
  expect(await service.calls()).toHaveLength(1);
});
