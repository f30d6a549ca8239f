/** `plan edit` of plans that run on a service: what holds from then on, what is shown of it, and what is refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PlanRules } from '../../../src/plans/rules/rules.ts';
import { AGENT, EPOCH, FROM, HOUR, MINUTE, plannedService } from '../../support/planned-service.ts';
import { called } from '../../support/plans.ts';
import { finished, type Outcome } from '../../support/program.ts';
import { eventsOf } from '../../support/stored-plans.ts';

const ONE = '+12015550190';
const TWO = '+12025550190';
const NOBODY = '+12035550190';
const DAY = 24 * HOUR;
const PRICED = { pricePerMinute: 100_000, budget: 20_000_000, longest: 300 };

/** A plan of two contacts who answer, ten days after the service began; who was called since then. */
async function planned(rules: Partial<PlanRules> = {}) {
  const service = await plannedService();
  const { clock } = service.engine;
  clock.now = EPOCH + 10 * DAY;
  const stored = await service.plan([ONE, TWO], { retry: {}, ...rules });
  const edit = (...changes: string[]) => service.run(['plan', 'edit', '1', ...changes, '--yes', '--json']);
  const later = async (minutes: number) => {
    clock.now += minutes * MINUTE;
    return await service.step();
  };
  const calledTo = async () =>
    (await service.calls())
      .filter(({ timestamp }) => Date.parse(String(timestamp)) >= EPOCH + 10 * DAY)
      .map(({ called_to }) => called_to);
  return { service, stored, edit, later, calledTo, clock };
}

/** In an hour it begins; until then it has read the log. */
const begun = { start: EPOCH + 10 * DAY + HOUR };

async function edited(outcome: Promise<Outcome>) {
  const { code, stdout, stderr } = await outcome;
  expect(code, stderr).toBe(0);
  return { ...JSON.parse(stdout), stderr };
}

describe('from then on', () => {
  test.each([
    ['--max-per-number', '2/7d'],
    ['--min-gap', '5d'],
  ])('%s %s counts calls of others from before the first look at the log', async (...rule) => {
    const { service, edit, later, calledTo, clock } = await planned(begun);
    const others = service.engine.backend({ organization_id: 1, api_key: 'local-demo-key' });
    for (const [called_to, ago] of [
      [ONE, 4 * DAY],
      [ONE, 3 * DAY],
      [NOBODY, 0],
    ] as const) {
      clock.now = EPOCH + 10 * DAY - ago;
      const call = { use_agent_id: AGENT, call_from: FROM, custom_first_line: 'Hello', custom_identifiers: '' };
      await others.triggerCall({ ...call, called_to });
    }
    expect(await later(1)).toMatchObject({ wave: null, next: { why: 'start' } });
    await edited(edit(...rule));
    await later(120);
    await later(30);
    expect(await calledTo()).toEqual([NOBODY, TWO]);
  });

  test('an outcome is an opt-out of whoever was sent a call before', async () => {
    const { service, edit, later, calledTo, clock } = await planned({ callsPerHour: 1 });
    service.faults.getCallLogs = async (_request, answer) => {
      const page = (await answer()) as { calls: object[] };
      return { ...page, calls: page.calls.map((call) => ({ ...call, call_outcome: 'not_interested' })) };
    };
    clock.now = EPOCH + 2 * DAY;
    const call = (to: string) =>
      service.run(['call', to, '--agent', '1', '--from', FROM, '--first-line', 'Hello', '--yes', '--force']);
    expect(await call(TWO)).toMatchObject({ code: 0 });
    clock.now = EPOCH + 10 * DAY;
    await later(0);
    await later(2);
    await edited(edit('--opt-out', 'not_interested'));
    expect(await call(ONE)).toMatchObject({ code: 3, stderr: expect.stringContaining('opted out') });
    expect(await later(90)).toMatchObject({ wave: null, state: 'done', states: { reached: 1, excluded: 1 } });
    expect(await calledTo()).toEqual([ONE]);
  });

  test('a list that is added holds at once, but for calls that were sent', async () => {
    const { service, stored, edit, later, calledTo } = await planned({ wave: MINUTE });
    const list = join(service.operator.home, 'complaints.txt');
    expect(await edit('--exclude', list)).toMatchObject({ code: 3, stderr: expect.stringContaining('is missing') });
    expect(await eventsOf(stored)).toEqual([]);
    await later(0);
    writeFileSync(list, `${ONE}\n${TWO}\n`);
    const told = await edited(edit('--exclude', list, '--exclude', list));
    expect(told).toMatchObject({ left_over: 1, states: { excluded: 1, calling: 1 }, rules: { exclude: [list] } });
    expect(told.stderr).toMatch(/Not called +none\n +→ numbers in complaints.txt, as it is then\n/);
    expect(told.stderr).toMatch(/Beyond reach +1 contact is on the list whose call was sent already\n/);
    expect((await eventsOf(stored)).slice(-2)).toMatchObject([{ event: 'edited' }, { event: 'excluded', why: 'list' }]);
    await later(30);
    expect(await calledTo()).toEqual([ONE]);
  });

  test('a first look is had where no wave was sent yet, and not where one was', async () => {
    const { service, edit, later } = await planned();
    expect(await edit('--canary', '2')).toMatchObject({ code: 2, stderr: expect.stringContaining('only 2 contacts') });
    await edited(edit('--canary', '1'));
    expect(await later(0)).toMatchObject({ wave: { contacts: 1 } });
    expect(await edit('--canary', 'none')).toMatchObject({ code: 2, stderr: expect.stringContaining('was sent') });
    await later(60);
    // To have calls made again that nobody saw is not to have looked.
    expect(await service.run(['plan', 'resume', '1', '--recall-unseen'])).toMatchObject({ code: 0 });
    expect(await later(90)).toMatchObject({ state: 'waiting', states: { waiting: 1 } });
  });
});

test('what was shown is done: as the plan is when nobody else has it any more, and by the rules that were seen', async () => {
  const { service, stored, edit } = await planned({ retry: { busy: HOUR }, maxAttempts: 1 });
  const editing = await stored.change(async (session) => {
    let said = '';
    const child = service.operator.start(['plan', 'edit', '1', '--max-attempts', '2', '--yes', '--json']);
    child.stderr?.on('data', (text) => (said += text));
    const ended = finished(child);
    await expect.poll(() => said, { timeout: 10_000 }).toContain('waiting until its step is done');
    const at = EPOCH + 10 * DAY;
    const wave = { event: 'handed', at, wave: 1, from: FROM, start: at, interval: MINUTE, rows: [0, 1] } as const;
    await session.commit([wave, called(0, at)]);
    return { ended };
  });
  expect(await edited(editing.ended)).toMatchObject({ freed: 1, states: { waiting: 2 } });
  const both = await Promise.all([edit('--max-attempts', '3'), edit('--max-attempts', '4')]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 2]);
  expect(both.map(({ stderr }) => stderr).join()).toContain('Somebody else has changed the rules of plan 1');
  expect((await eventsOf(stored)).filter(({ event }) => event === 'edited')).toHaveLength(2);
});

describe('is refused', () => {
  test('where the zones of contacts were never known, whatever zone was named since', async () => {
    const { edit } = await planned();
    await edited(edit('--zone', 'Europe/Madrid'));
    const { code, stderr } = await edit('--zone', 'contact');
    expect([code, stderr]).toEqual([2, expect.stringContaining('it was made for one time zone, UTC,')]);
  });

  test('a price by which calls that are out may pass the budget, with those that were made', async () => {
    const { edit, later } = await planned({ ...PRICED, wave: MINUTE });
    await later(0);
    await later(30);
    const { code, stderr } = await edit('--price-per-minute', '1', '--budget', '6');
    expect([code, stderr]).toEqual([2, expect.stringContaining('may cost more than that budget leaves')]);
  });

  test('a text that holds the key, which must be in no file', async () => {
    const { edit } = await planned();
    const told = await edit('--opt-out', 'local-demo-key');
    expect(told).toMatchObject({ code: 3, stderr: expect.stringContaining('holds the API key') });
  });

  test('a cap of more calls than are kept, and not a smaller one', async () => {
    const { edit } = await planned({ maxPerNumber: { count: 3, within: DAY } });
    await edited(edit('--max-per-number', '2/1d'));
    const { code, stderr } = await edit('--max-per-number', '5/1d');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('keep the last 4 calls of each number, and this cap needs 5'),
    ]);
  });
});

test('a budget that what was spent leaves nothing of says that nobody is called', async () => {
  const { edit, later } = await planned({ ...PRICED, wave: MINUTE, callsPerHour: 1 });
  await later(0);
  await later(30);
  const { stderr } = await edited(edit('--budget', '0.5'));
  expect(stderr).toMatch(/Budget left +The budget of 0.5 allows no further call:/);
});
