/** A wave of a plan that is not over is not forgotten by mistake. */
import { expect, test } from 'vitest';
import { HOUR, numbers, plannedService } from '../../support/planned-service.ts';
import { rowsOf } from '../../support/stored-plans.ts';

test.each(['open', 'stopped', 'damaged'])(
  'a wave of a plan that is %s is kept, one of a plan that is over is not',
  async (state) => {
    const service = await plannedService();
    await service.plan(numbers(3));
    await service.step();
    if (state === 'stopped') await service.run(['plan', 'stop', '1']);
    service.engine.clock.now += 100 * HOUR;
    if (state === 'damaged') await rowsOf(service.state).put(`update plans set position = 'x'`);
    const one = await service.run(['campaign', 'forget', '1', '--yes']);
    expect(one).toMatchObject({ code: 2, stderr: expect.stringContaining(`is a wave of plan 1, which is ${state}`) });
    const old = await service.run(['campaign', 'forget', '--keep-days', '0', '--yes', '--json']);
    expect(JSON.parse(old.stdout)).toMatchObject({ campaigns: 0, kept: 1 });
    if (state === 'damaged') return;
    await service.run(['plan', 'cancel', '1', '--yes']);
    expect((await service.run(['campaign', 'forget', '1', '--yes'])).code).toBe(0);
  },
);
