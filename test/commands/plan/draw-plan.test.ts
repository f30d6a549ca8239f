/** The picture of a plan: what it shows, and that no line is ever longer than the terminal, whatever a name says. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { drawDay, drawPlan, planInOneLine } from '../../../src/commands/plan/watch.ts';
import type { CallingWindows } from '../../../src/plans/rules/calling-window.ts';
import type { OpenWave, Place } from '../../../src/plans/rules/plan.ts';
import type { PlanRecord, WaveRecord } from '../../../src/plans/run/record.ts';
import { type Day, dayOf, newsOf, type PlanSnapshot, snapshotOf } from '../../../src/plans/run/snapshot.ts';
import { widthOf } from '../../../src/text/width.ts';
import { casesBeside } from '../../support/cases.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** A Friday. The tests run in UTC. */
const NOW = Date.parse('2026-11-20T13:10:00Z');
const NONE = { waiting: 0, calling: 0, reached: 0, not_reached: 0, no_result: 0, excluded: 0, not_called: 0 };

const WAVE: OpenWave = {
  ...{ wave: 4, from: '+14155550100', start: NOW - 10 * MINUTE, interval: MINUTE, contacts: 30, unsettled: 20 },
  ...{ outcome: 'accepted', entry: 7, campaignId: 12, journalAt: 0 },
};
const RUNNING: WaveRecord = {
  ...{ wave: 4, campaign_id: 12, start: '2026-11-20T13:00:00.000Z', end: '2026-11-20T13:30:00.000Z' },
  ...{ from: '+14155550100', contacts: 30, seen: 10, outcome: 'accepted' },
};

/** Nine to twenty of each day in zones that are so many hours ahead of UTC, by the index of the place. */
const hoursAhead = (...ahead: number[]): CallingWindows => ({
  windowAt(place, at) {
    const shift = (ahead[place] ?? 0) * HOUR;
    const day = Math.floor((at + shift) / (24 * HOUR)) * 24 * HOUR - shift;
    const [today, tomorrow] = [day, day + 24 * HOUR].map((one) => ({ from: one + 9 * HOUR, until: one + 20 * HOUR }));
    return at < (today?.until ?? 0) ? today : tomorrow;
  },
});
const PLACES: Place[] = [
  { zones: ['Europe/Berlin'], country: 'DE' },
  { zones: ['America/New_York'], country: 'US' },
  { zones: ['Australia/Perth', 'Australia/Sydney'], country: 'AU' },
];
const day = (open: OpenWave[] = [WAVE], most = 5): Day =>
  dayOf({ plan: { places: PLACES }, windows: hoursAhead(1, -5, 9.5), open }, [10, 30, 5], { now: NOW, most });

const RECORD: PlanRecord = {
  ...{ plan_id: 3, plan_name: 'Spring', state: 'open', reason: '', attempts: 70, spent: 12.3 },
  contacts: 200,
  states: { ...NONE, waiting: 98, calling: 20, reached: 60, not_reached: 20, excluded: 2 },
  next: { at: '2026-11-20T13:40:00.000Z', why: 'wave_running' },
};

function snapshot(record: Partial<PlanRecord> = {}, given: Partial<PlanSnapshot> = {}): PlanSnapshot {
  return {
    ...{ record: { ...RECORD, ...record } as PlanRecord, at: NOW, waves: 4, budget: 50 },
    ...{ latest: { reached: 30, attempts: 50 }, running: [RUNNING], sinceRun: 8 * MINUTE, day: day() },
    ...given,
  };
}

const plain = { hasColours: false, mark: '…', redact: (text: string) => text };
const draw = (shown: PlanSnapshot, width: number, height = 40) =>
  drawPlan(shown, { ...plain, width, height }).join('\n');

test('what fits few rows', () => {
  const heights = [0, 1, 2, 3, 7, 10, 11, 40].map(
    (height) => drawPlan(snapshot(), { ...plain, width: 79, height }).length,
  );
  expect(heights).toEqual([0, 1, 2, 3, 7, 8, 8, 14]);
});

describe('the coming day', () => {
  test('has the places with the most contacts first, and only so many', () => {
    expect(day([], 2).places.map(({ label }) => label)).toEqual(['New York', 'Berlin']);
  });

  test('has no row for a wave while there is none, and no rows where nobody waits', () => {
    const rows = (shown: Day) => drawDay(shown, { ...plain, width: 79 }).length;
    expect(rows(day([]))).toBe(4);
    expect(rows({ ...day(), places: [] })).toBe(0);
    expect(drawDay(day(), { ...plain, width: 30 })).toEqual([]);
  });

  test('an opening that covers only a part of a character shows as a part', () => {
    const half = dayOf({ plan: { places: PLACES }, windows: hoursAhead(0.5), open: [] }, [1], { now: NOW, most: 1 });
    expect(drawDay(half, { ...plain, width: 32 })).toMatchInlineSnapshot(`
      [
        "        13    19    01    07",
        "Berlin  ██████▒············▒████",
      ]
    `);
  });

  test('a wave that is much shorter than a character shows', () => {
    const short = { ...WAVE, contacts: 1, interval: 1000, start: NOW };
    expect(drawDay(day([short]), { ...plain, width: 79 }).at(-1)).toMatch(/^waves +━·+$/);
  });
});

describe('what stands there in words', () => {
  type Given = { ran?: number | false; out?: Partial<WaveRecord>[]; [field: string]: unknown };
  const cases = casesBeside(import.meta.filename)<[string, Record<string, unknown>, Given, string]>(
    'what stands there in words',
  );

  test.each(cases)('%s', (_name, record, { ran, out, ...given }, says) => {
    const without = (fields: object, none: null | undefined) =>
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === false ? none : value]));
    const shown = {
      ...without(given, undefined),
      ...(ran !== undefined && { sinceRun: ran === false ? undefined : ran * MINUTE }),
      ...(out !== undefined && { running: out.map((wave) => ({ ...RUNNING, ...wave })) }),
    };
    expect(draw(snapshot(without(record, null), shown), 119)).toContain(says);
  });

  test('in one line', () => {
    expect(planInOneLine(snapshot(), plain.redact).split('; ')).toEqual([
      'Spring, plan 3, open: 60 reached, 20 not reached, 2 excluded, 20 calling, 98 waiting',
      '70 calls in 4 waves, 60.0 % of the last 50 reached somebody',
      'about 12.30 of 50.00 spent',
      'wave 4, 20 Nov 13:00 to 13:30: 10 of 30 calls in the log',
      'next: 20 Nov 13:40 (in 30 min), the wave under way is over',
      'last run 8 min ago',
    ]);
  });
});

test('100 % only when nobody is called any more', () => {
  const bar = (states: PlanRecord['states']) => draw(snapshot({ states }), 79).split('\n')[1];
  expect(bar({ ...NONE, reached: 999_999, calling: 1 })).toMatch(/^█+▒ {2}99 %$/);
  expect(bar({ ...NONE, reached: 10, not_called: 3 })).toMatch(/^█+-+ 100 %$/);
});

describe('a snapshot', () => {
  test('has times in UTC, money as a number, and the reason of what comes next', () => {
    expect(snapshotOf(snapshot())).toEqual({
      ...{ ...RECORD, at: '2026-11-20T13:10:00.000Z', answer_rate: 0.6, budget: 50, is_over: false },
      ...{ not_run_for: 480, running: [RUNNING], waves: 4 },
    });
  });

  test('is no news where only the time has passed', () => {
    const next = { at: '2026-11-20T14:40:00.000Z', why: 'wave_running' };
    expect(newsOf(snapshot({ next }, { at: NOW + MINUTE, sinceRun: 9 * MINUTE }))).toBe(newsOf(snapshot()));
    expect(newsOf(snapshot({}, { sinceRun: HOUR }))).not.toBe(newsOf(snapshot()));
    expect(newsOf(snapshot({ attempts: 71 }))).not.toBe(newsOf(snapshot()));
  });
});

test.each([
  '\u001b[2J\u001b[31mred',
  'tab\tand\nline\r\u0007',
  '予約デスク 🎉 予約デスク 🎉 予約デスク 🎉',
  '\u202etfel ot thgir',
  'x'.repeat(5_000),
  '',
])('%j as a name and a reason harms no line of any width', (text) => {
  const named = { ...day(), places: [{ label: text, spans: [] }, ...day().places] };
  const given = snapshot({ plan_name: text, reason: text }, { day: named });
  for (const width of [1, 2, 5, 11, 19, 39, 59, 79, 119, 199]) {
    for (const height of [1, 3, 5, 12, 40]) {
      for (const hasColours of [true, false]) {
        const lines = drawPlan(given, { ...plain, hasColours, width, height });
        expect(lines.length).toBeLessThanOrEqual(height);
        for (const line of lines) {
          const bare = hasColours ? stripVTControlCharacters(line) : line;
          expect(widthOf(bare), JSON.stringify(bare)).toBeLessThanOrEqual(width);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
          expect(bare).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
        }
      }
    }
  }
});
