/** The picture of a campaign: what it shows, and that no line is ever longer than the terminal, whatever a service says. */
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { RecentCall } from '../../../src/campaigns/attribution/attribution.ts';
import type { Tally } from '../../../src/campaigns/attribution/tally.ts';
import type { NamedLaunch } from '../../../src/campaigns/launches.ts';
import { type Progress, progressOf } from '../../../src/campaigns/progress/progress.ts';
import { drawBriefly, drawProgress } from '../../../src/commands/campaign/watch/draw-progress.ts';
import { widthOf } from '../../../src/text/width.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const HOUR = 3_600_000;

const CALL: RecentCall = {
  ...{ mark: 'call_1', callId: 'call_1', at: START + 3 * HOUR, number: '+14155550123', status: 'completed' },
  ...{ duration: 83, outcome: 'appointment_scheduled', isSettled: true },
};
const TALLY: Tally = {
  contacts: 200,
  states: { waiting: 80, calling: 4, reached: 90, not_reached: 23, no_result: 2, excluded: 0, not_called: 1 },
  results: { completed: 90, voicemail: 14, busy: 30, no_answer: 26, failed: 4 },
  attempts: 164,
  ambiguous: 2,
  byStatus: { completed: 104, busy: 30, no_answer: 26, failed: 4 },
  byHour: new Map([
    [START, { calls: 58, reached: 36 }],
    [START + HOUR, { calls: 52, reached: 52 }],
    [START + 3 * HOUR, { calls: 54, reached: 2 }],
  ]),
  firstCall: START,
  lastCall: START + 3 * HOUR,
};

const NOBODY = { waiting: 0, calling: 0, reached: 0, not_reached: 0, no_result: 0, excluded: 0, not_called: 0 };

interface Given {
  name?: string;
  tally?: Partial<Tally>;
  calls?: RecentCall[];
  open?: number;
  paused?: { reason: string };
  now?: number;
}

function progress({ name = 'Spring', tally = {}, calls = [], open = 0, paused, now }: Given = {}): Progress {
  const launch = { key: 12, campaignId: 12, name, start: START, callsPerHour: 60, attempts: 3, retryDelay: HOUR };
  const known = {
    ...{ latestFinish: START + 12 * HOUR, tally: { ...TALLY, ...tally }, paused: paused?.reason },
    recently: { last: calls, inLastHour: 54, open },
  };
  return progressOf(launch as NamedLaunch, known, now ?? START + 3.5 * HOUR);
}

const plain = { hasColours: false, mark: '…', redact: (text: string) => text };
const draw = (shown: Progress, width: number, height = 40) => drawProgress(shown, { ...plain, width, height });

const calls: RecentCall[] = [
  CALL,
  { ...CALL, at: CALL.at - 61_000, status: 'no_answer', duration: 0, outcome: 'not_connected' },
  { ...CALL, at: CALL.at - 122_000, status: 'busy', duration: undefined, outcome: '' },
];

test.each([79, 19])('in %i columns', async (width) => {
  const picture = join(import.meta.dirname, `draw-progress.${width}.txt`);
  await expect(draw(progress({ calls }), width).join('\n')).toMatchFileSnapshot(picture);
});

test('what fits few rows', () => {
  const heights = [0, 1, 2, 3, 6, 8, 9, 10, 12].map((height) => draw(progress({ calls }), 79, height));
  expect(heights.map(({ length }) => length)).toEqual([0, 1, 2, 3, 6, 6, 9, 10, 12]);
});

describe('the first line', () => {
  test.each<[string, Given, string]>([
    ['before it begins', { now: START - HOUR, tally: { attempts: 0, firstCall: undefined } }, 'begins 20 Nov 09:00'],
    ['while it calls', {}, 'running since 20 Nov 09:00'],
    ['paused', { paused: { reason: 'insufficient_balance' } }, 'paused: insufficient balance'],
    ['over', { tally: { states: { ...TALLY.states, waiting: 0, calling: 0 } } }, 'over, began 20 Nov 09:00'],
    [
      'while a call may still be completed',
      { open: 1, tally: { states: { ...TALLY.states, waiting: 0, calling: 0 } } },
      'running since 20 Nov 09:00',
    ],
  ])('%s', (_name, given, says) => {
    expect(draw(progress(given), 120)[0]).toBe(`Spring · campaign 12 · ${says}`);
  });
});

test('100 % only when it is over', () => {
  const states = { ...TALLY.states, waiting: 0, calling: 0 };
  expect(draw(progress({ open: 1, tally: { states } }), 79)[1]).toMatch(/ 99 %$/);
  expect(draw(progress({ tally: { states } }), 79)[1]).toMatch(/ 100 %$/);
  expect(draw(progress({ tally: { states: { ...states, reached: 1_000_000, waiting: 1 } } }), 79)[1]).toMatch(/ 99 %$/);
});

test('few contacts of a state show in the bar', () => {
  const states = { ...NOBODY, reached: 999_990, not_reached: 1, waiting: 9 };
  const [, bar = ''] = draw(progress({ tally: { contacts: 1_000_000, states } }), 60);
  expect(bar).toMatch(/^█+▓░ +99 %$/);
  expect(widthOf(bar)).toBe(60);
});

describe('what a service says', () => {
  const hostile = [
    '\u001b[2J\u001b[31mred',
    'tab\tand\nline\r\u0007',
    '予約デスク 🎉 予約デスク 🎉 予約デスク 🎉',
    '\u202etfel ot thgir',
    'e\u0301'.repeat(50),
    'x'.repeat(5_000),
    '👩‍👩‍👧‍👦'.repeat(30),
    '',
  ];
  test.each(hostile)('%j harms no line of any width', (text) => {
    const wild = calls.map((call) => ({ ...call, number: text, status: text, outcome: text }));
    const given = progress({ name: text, calls: wild, paused: { reason: text } });
    for (const width of [1, 2, 5, 11, 19, 39, 59, 79, 119, 199]) {
      for (const height of [1, 3, 5, 12, 40]) {
        for (const hasColours of [true, false]) {
          const drawing = { ...plain, hasColours, width, height };
          const lines = [drawProgress(given, drawing), drawBriefly(given, drawing)];
          expect(lines[0]?.length).toBeLessThanOrEqual(height);
          for (const line of lines.flat()) {
            const bare = hasColours ? stripVTControlCharacters(line) : line;
            expect(widthOf(bare), JSON.stringify(bare)).toBeLessThanOrEqual(width);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
            expect(bare).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
          }
        }
      }
    }
  });

  test('a key is masked before it is cut', () => {
    const redact = (text: string) => text.replaceAll('sk-SECRET-0001', '****');
    const wild = calls.map((call) => ({ ...call, outcome: 'it is sk-SECRET-0001' }));
    for (let width = 40; width < 90; width++) {
      const lines = drawProgress(progress({ calls: wild, name: 'my sk-SECRET-0001' }), {
        ...plain,
        ...{ redact, width, height: 40 },
      });
      expect(lines.join('\n')).not.toMatch(/SECRET|sk-/);
    }
  });
});
