/** What `plan run --until-done` shows while it waits. */
import { describe, expect, test } from 'vitest';
import { waitInWords } from '../../../src/commands/plan/run/words.ts';
import type { Step } from '../../../src/plans/run/step.ts';
import { EPOCH, HOUR, MINUTE, numbers, plannedService } from '../../support/planned-service.ts';

const STATES = { waiting: 3, calling: 0, reached: 12, not_reached: 0, no_result: 0, excluded: 0, not_called: 0 };

function step(changes: Partial<Step>): Step {
  const known = { plan: { plan_id: 1 }, now: EPOCH, states: STATES, zones: [], spent: undefined, budget: undefined };
  return { ...known, next: { at: EPOCH + 14 * HOUR, why: 'window' }, ...changes } as Step;
}

// The zone of this machine is UTC, and EPOCH is 9 o'clock.
test.each<[string, Partial<Step>, number | undefined, string]>([
  ['how long', {}, EPOCH, 'Plan 1 waits until 20 Nov 23:00 (in 14 h): the hours begin · '],
  ['how long by now', {}, EPOCH + 4 * HOUR, 'Plan 1 waits until 20 Nov 23:00 (in 10 h): '],
  ['what stays so', {}, undefined, 'Plan 1 waits until 20 Nov 23:00: the hours begin · '],
  ['the clock there', { zones: ['America/New_York'] }, undefined, '23:00 (18:00 in New York): the hours begin'],
  ['no clock that is the same', { zones: ['UTC', 'Europe/London'] }, undefined, 'until 20 Nov 23:00: the hours'],
  [
    'one of several',
    { zones: ['America/New_York', 'America/Toronto', 'UTC'] },
    EPOCH,
    '(in 14 h, 18:00 in New York and 1 more)',
  ],
  ['money', { spent: 1.2, budget: 5 }, undefined, ' · about 1.20 of 5.00 spent'],
  ['money without a budget', { spent: 1.2 }, undefined, ' · about 1.20 spent'],
  ['why', { next: { at: EPOCH + 9 * MINUTE, why: 'wave_running' } }, EPOCH, 'until 20 Nov 09:09 (in 9 min): the wave'],
])('a wait shows %s', (_what, changes, now, shown) => {
  const line = waitInWords(step(changes), now);
  expect(line).toContain(shown);
  expect(line).toMatch(/ · .*12.*3|3.*12/);
});

// The least important parts are left out where that makes one line of it; what no line can hold is shown whole.
test.each([
  [
    130,
    'Plan 1 waits until 20 Nov 23:00 (in 14 h, 18:00 in New York): the hours begin · ',
    ' · about 1.20 of 5.00 spent',
  ],
  [117, 'Plan 1 waits until 20 Nov 23:00 (in 14 h): the hours begin · ', ' · about 1.20 of 5.00 spent'],
  [108, 'Waits until 20 Nov 23:00 (in 14 h): the hours begin · ', ' · about 1.20 of 5.00 spent'],
  [90, 'Waits until 20 Nov 23:00 (in 14 h): the hours begin · ', '3 waiting'],
  [70, 'Waits until 20 Nov 23:00: the hours begin · ', '3 waiting'],
  [60, 'Plan 1 waits until 20 Nov 23:00 (in 14 h, 18:00 in New York): ', ' · about 1.20 of 5.00 spent'],
])('in %d columns a wait begins with %j, and ends with %j', (room, begin, end) => {
  const line = waitInWords(step({ zones: ['America/New_York'], spent: 1.2, budget: 5 }), EPOCH, room);
  expect([line.slice(0, begin.length), line.slice(-end.length)]).toEqual([begin, end]);
  if (room > 60) expect(line.length).toBeLessThanOrEqual(room);
});

describe('a run that waits', () => {
  /** It is interrupted when it has said something. */
  async function until(said: string, options: { isTerminal?: boolean; env?: Record<string, string> } = {}) {
    const service = await plannedService();
    await service.plan(numbers(3), { start: EPOCH + 2 * HOUR });
    const interrupt = new AbortController();
    return await service.run(['plan', 'run', '1', '--until-done'], {
      ...options,
      signal: interrupt.signal,
      hears: (text) => {
        if (text.includes(said)) setTimeout(() => interrupt.abort(), 50);
      },
    });
  }

  test.each([
    ['off a terminal', {}],
    ['with CI=1', { isTerminal: true, env: { CI: '1' } }],
  ])('%s says what it waits for, in a line', async (_where, options) => {
    const { code, stdout, stderr } = await until('waits until', options);
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toMatch(/^This must stay open: .* vagent plan schedule 1$/m);
    expect(stderr).toMatch(/^Plan 1 waits until 20 Nov 11:00: the plan starts · .*3/m);
    expect(stderr).not.toContain('\u001b');
  });

  test('at a terminal has a live line with the time that is left, and takes it away at its end', async () => {
    const { code, stderr } = await until('waits until', { isTerminal: true });
    expect(code).toBe(130);
    expect(stderr).toMatch(/Plan 1 waits until 20 Nov 11:00 \(in 2 h\): the plan starts/);
    expect(stderr.lastIndexOf('\u001b[')).toBeGreaterThan(stderr.lastIndexOf('waits until'));
  });
});
