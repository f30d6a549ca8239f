/** `plan run` where a call that nobody had seen comes to light days later, also after `plan resume --recall-unseen`: it decides. */
import { describe, expect, test } from 'vitest';
import type { CallLogEntry } from '../../../src/contract.ts';
import { EPOCH, HOUR, MINUTE, plannedService } from '../../support/planned-service.ts';

const LATE = '+12015550190';
const KNOWN = '+12025550190';
const BESIDE = '+12025550191';

interface CallLogs {
  total: number;
  calls: CallLogEntry[];
}

/** The log without the calls to some phones, as if they had never been made. */
const without = (page: CallLogs, isHidden: (call: CallLogEntry) => boolean): CallLogs => {
  const calls = page.calls.filter((call) => !isHidden(call));
  return { ...page, calls, total: page.total - (page.calls.length - calls.length) };
};

describe('somebody who is recalled before the log shows that they were reached', () => {
  test.each([
    ['in a log that was empty until then', [LATE], []],
    ['behind calls that the plan has seen', [LATE, KNOWN], []],
    ['behind calls that others made meanwhile', [LATE], [BESIDE]],
  ])('%s, is not called again', async (_where, people, beside) => {
    const service = await plannedService();
    const folder = await service.plan(people);
    let isLate = true;
    service.faults.getCallLogs = async (_request, answer) => {
      const page = (await answer()) as CallLogs;
      const said = page.calls.map((call) =>
        call.called_to === LATE ? { ...call, call_status: 'completed', call_outcome: 'interested' } : call,
      );
      return without({ ...page, calls: said }, ({ called_to }) => called_to === LATE && isLate);
    };
    const at = (time: number) => {
      service.engine.clock.now = EPOCH + time;
      return service.step();
    };
    await at(0);
    await at(10 * MINUTE);
    for (const hours of [25, 50]) await at(hours * HOUR);
    for (const phone of beside) {
      service.engine.clock.now = EPOCH + 119 * HOUR;
      const call = ['call', phone, '--agent', '1', '--from', '+14155550100', '--yes', '--first-line', 'Hello'];
      expect(await service.run(call)).toMatchObject({ code: 0 });
    }
    await at(120 * HOUR);
    expect((await folder.load()).roster.stateOf(0)).toBe('unseen');
    await service.run(['plan', 'resume', '1', '--recall-unseen']);
    expect((await folder.load()).roster.stateOf(0)).toBe('again');

    isLate = false;
    await at(121 * HOUR);
    expect((await folder.load()).roster.stateOf(0)).toBe('reached');
    await at(150 * HOUR);
    expect((await service.calls()).filter(({ called_to }) => called_to === LATE)).toHaveLength(1);
  });
});

describe('a plan that is over with somebody unseen', () => {
  test('looks for a week, and then no more', async () => {
    const service = await plannedService();
    const folder = await service.plan([LATE]);
    let looks = 0;
    let isLate = true;
    service.faults.getCallLogs = async (_request, answer) => {
      looks += 1;
      return without((await answer()) as CallLogs, () => isLate);
    };
    const at = (time: number) => {
      service.engine.clock.now = EPOCH + time;
      return service.step();
    };
    await at(0);
    expect(await at(25 * HOUR)).toMatchObject({ state: 'done', contacts: { unseen: 1 } });
    looks = 0;
    await at(150 * HOUR);
    expect(looks).toBeGreaterThan(0);
    looks = 0;
    await at(8 * 24 * HOUR);
    expect(looks).toBe(0);

    service.engine.clock.now = EPOCH + 6 * 24 * HOUR;
    isLate = false;
    const found = await service.step();
    expect(found).toMatchObject({ state: 'done', contacts: { unseen: 0, again: 0, handed: 0 } });
    expect((await folder.load()).position.attempts).toBe(1);
    expect(await service.calls()).toHaveLength(1);
  });
});
