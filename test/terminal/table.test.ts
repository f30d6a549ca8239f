/** Which columns of a table fit, and how progress and words are cut to a line. */
import { expect, test } from 'vitest';
import { progressLine } from '../../src/cli/terminal/progress.ts';
import { widthsFor } from '../../src/cli/terminal/table.ts';
import { shortened } from '../../src/text/width.ts';

const whole = (natural: number, rank: number) => ({ natural, least: Number.POSITIVE_INFINITY, rank });
const text = (natural: number, rank: number) => ({ natural, least: 10, rank });

test.each([
  ['all fit', [whole(5, 0), text(20, 1)], 27, [5, 20]],
  ['a long text shrinks', [whole(5, 0), text(60, 1)], 40, [5, 33]],
  ['the least important goes', [whole(10, 0), whole(10, 2), whole(10, 1)], 25, [10, undefined, 10]],
  ['a text shrinks before others go', [text(60, 0), whole(10, 1)], 40, [28, 10]],
  ['what went leaves its room', [text(60, 0), whole(30, 1)], 40, [40, undefined]],
  ['the most important stays', [whole(30, 0), whole(5, 1)], 20, [30, undefined]],
] as const)('%s', (_name, needs, room, widths) => {
  expect(widthsFor(needs, room)).toEqual(widths);
});

test.each([
  ['appointment scheduled', 15, 'appointment…'],
  ['one two three', 8, 'one two…'],
  ['https://voice.example/a', 10, 'https://v…'],
  ['漢字漢字', 4, '漢…'],
])('%s in %i columns is %s', (long, width, cut) => {
  expect(shortened(long, width)).toBe(cut);
});

test('progress fits one line, and loses its end first', () => {
  const standing = { doing: 'Exporting calls', done: 40, total: 100, share: 0.4, rate: 20, left: 3 };
  expect(progressLine(standing, 100, true)).toBe(
    'Exporting calls: 40 of 100 (40 %) ========------------ 20/s, 3 s left',
  );
  expect(progressLine(standing, 40, true)).toBe('Exporting calls: 40 of 100 (40 %)');
  expect(progressLine(standing, 10, true)).toBe('Exporting ');
});
