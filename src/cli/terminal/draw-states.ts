/** How many contacts are in each state, drawn for a terminal: as a bar, and as counts. */

import { grouped } from '../../text/numbers.ts';
import { shortened } from '../../text/width.ts';
import type { Drawing } from './drawing.ts';
import { painted } from './table.ts';
import { colourOf, labelInWords } from './words.ts';

export interface SignedCount {
  state: string;
  /** A character that fills the state's part of the bar. */
  sign: string;
  count: number;
}

/** `████████▓▓▒▒░░░░░░  62 %`. Only what is over shows 100 %. */
export function drawStatesBar(
  counts: readonly SignedCount[],
  { done, contacts, isOver }: { done: number; contacts: number; isOver: boolean },
  { width, hasColours }: Pick<Drawing, 'width' | 'hasColours'>,
): string {
  const share = contacts === 0 ? 100 : Math.floor((100 * done) / contacts);
  const percent = ` ${String(isOver ? share : Math.min(share, 99)).padStart(3)} %`;
  const room = width - percent.length;
  if (room < 1) return percent.trim().slice(0, Math.max(0, width));
  const cells = cellsOf(
    counts.map(({ count }) => count),
    room,
  );
  const segments = counts.map(({ state, sign }, at) => {
    const drawn = sign.repeat(cells[at] ?? 0);
    return hasColours ? painted(drawn, colourOf('state', state)) : drawn;
  });
  return segments.join('') + percent;
}

/** Shares a width out among counts: at least one for any count at all, so that few do not look like none. */
function cellsOf(counts: readonly number[], width: number): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return counts.map(() => 0);
  const cells = counts.map((count) => (count === 0 ? 0 : Math.max(1, Math.floor((count * width) / total))));
  // What is too much or missing is the largest's, which shows it least.
  for (let left = width - cells.reduce((sum, count) => sum + count, 0); left !== 0; ) {
    const largest = cells.indexOf(Math.max(...cells));
    const change = Math.max(left, -(cells[largest] as number));
    cells[largest] = (cells[largest] as number) + change;
    left -= change;
  }
  return cells;
}

/** `█ reached 120  ▓ voicemail 14  …` in as many lines as it takes. */
export function drawStateCounts(
  counts: readonly SignedCount[],
  { width, hasColours }: Pick<Drawing, 'width' | 'hasColours'>,
): string[] {
  const lines: string[] = [];
  let line = '';
  let filled = 0;
  for (const { state, sign, count } of counts) {
    const text = `${labelInWords(state)} ${grouped(count)}`;
    const needed = 2 + text.length;
    if (line !== '' && filled + 2 + needed > width) {
      lines.push(line);
      line = '';
      filled = 0;
    }
    const shown = hasColours ? painted(sign, colourOf('state', state)) : sign;
    const isFirst = line === '';
    line += needed > width ? shortened(text, width, '') : `${isFirst ? '' : '  '}${shown} ${text}`;
    filled += (isFirst ? 0 : 2) + needed;
  }
  return [...lines, line];
}

/** `12 reached, 3 no answer`: those that there are. */
export function countsInWords<S extends string>(states: readonly S[], counts: Readonly<Record<S, number>>): string {
  return states
    .filter((state) => counts[state] > 0)
    .map((state) => `${grouped(counts[state])} ${labelInWords(state)}`)
    .join(', ');
}

const WIDTH = 20;

/** A bar and a percentage. Rounded down, so that only a campaign that is done shows 100 %. */
export function progressBar(done: number, total: number, width = WIDTH): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.floor(share * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${Math.floor(100 * share)} %`;
}
