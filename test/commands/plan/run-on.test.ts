/** `plan run` that stays, that moves the local engine's clock, that is not alone, or that somebody looks at. */

import { describe, expect, test } from 'vitest';
import { EPOCH, HOUR, MINUTE, type PlannedService, plannedService, refuses } from '../../support/planned-service.ts';
import { CTRL_C, playHere } from '../../support/terminal.ts';

const answering = (count: number) => Array.from({ length: count }, (_none, at) => `+1${201 + at}5550190`);
const SECOND = 1_000;

/** The clocks of the service and of this machine go on. */
async function inRealTime(): Promise<PlannedService> {
  const service = await plannedService();
  Object.defineProperty(service.engine.clock, 'now', { get: () => Date.now() });
  return service;
}

describe.concurrent('--until-done over a real service', () => {
  const rules = { callsPerHour: 3600, wave: SECOND, minGap: 0, retry: {} };
  const run = (service: PlannedService, options = {}) =>
    service.operator.run(['plan', 'run', '1', '--until-done', '--json'], {
      frozenAt: undefined,
      cwd: service.operator.home,
      ...options,
    } as never);

  test('hands over wave after wave, and survives a log that cannot be read', async () => {
    const service = await inRealTime();
    await service.plan(answering(3), rules);
    let looks = 0;
    service.faults.getCallLogs = (request, answer) => (++looks === 3 ? refuses(429)(request, answer) : answer());
    const { code, stdout, stderr } = await run(service);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'done', states: { waiting: 0, calling: 0 } });
    expect(service.sent).toHaveLength(3);
    expect(stderr.match(/was sent as campaign/g)).toHaveLength(3);
  });

  test('ends when somebody stops the plan, which can be done while it waits', async () => {
    const service = await inRealTime();
    const folder = await service.plan(answering(3), { ...rules, callsPerHour: 60, wave: MINUTE });
    const ended = run(service, {
      hears: async (text: string) => {
        if (!text.includes('was sent as')) return;
        setTimeout(async () => {
          await folder.requestStop({ at: Date.now(), reason: 'by hand' });
          await folder.change(async () => {});
        }, 200);
      },
    });
    const { code, stdout } = await ended;
    expect(code).toBe(11);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'stopped', reason: 'by hand' });
    expect(service.sent).toHaveLength(1);
  });

  test('ends at Ctrl-C with 130, and the plan is whole', async () => {
    const service = await inRealTime();
    const folder = await service.plan(answering(3), { ...rules, callsPerHour: 60, wave: MINUTE });
    const interrupt = new AbortController();
    const { code, stderr } = await run(service, {
      signal: interrupt.signal,
      hears: (text: string) => {
        if (text.includes('was sent as')) setTimeout(() => interrupt.abort(), 200);
      },
    });
    expect([code, stderr]).toEqual([130, expect.stringContaining('vagent plan run 1')]);
    expect((await folder.load()).position).toMatchObject({ state: 'open', waves: 1 });
  });
});

describe('at a terminal', () => {
  const at = async (service: PlannedService, keys: (RegExp | string)[], ...flags: string[]) =>
    playHere(service.operator, ['plan', 'run', '1', ...flags], keys, { env: { VAGENT_LOCAL: '' } });

  test('the first wave is asked for, once', async () => {
    const service = await plannedService();
    const folder = await service.plan(answering(3), { callsPerHour: 60, wave: MINUTE, retry: {} });
    const no = await at(service, [/Call 1 person\?/, 'n\r']);
    const away = await at(service, [/Call 1 person\?/, CTRL_C]);
    expect([no.code, away.code, (await folder.load()).position.waves]).toEqual([130, 130, 0]);
    const yes = await at(service, [/First wave +1 of them.*Call 1 person\?/s, 'y\r']);
    expect([yes.code, (await folder.load()).position.waves]).toEqual([0, 1]);
    expect(yes.text).toContain('Wave 1 was sent as campaign 1: 1 contact');
    expect((await at(service, [])).code).toBe(0);
    const other = await plannedService();
    await other.plan(answering(3));
    expect((await at(other, [], '--yes')).code).toBe(0);
  });

  test('it says what comes next, and why not before', async () => {
    const service = await plannedService();
    await service.plan(answering(1), { start: EPOCH + 2 * HOUR });
    const { text } = await at(service, []);
    expect(text).toMatch(/20 Nov 11:00 \(in 2 h\): the plan starts/);
  });
});
