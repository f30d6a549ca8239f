/** What a picture at a terminal has to keep to, and parts of it. */
import type { ContactState, StateCounts } from '../../contract.ts';
import { grouped } from '../../text/numbers.ts';
import { shortened, widthOf } from '../../text/width.ts';
import type { Size } from './environment.ts';
import type { Io } from './io.ts';
import { cell } from './output.ts';
import { painted } from './table.ts';
import { colourOf, labelInWords } from './words.ts';

export interface Drawing {
  /** Characters to a line. */
  width: number;
  /** The most lines. */
  height: number;
  hasColours: boolean;
  /** Stands for what was cut off. */
  mark: string;
  /** Masks keys, before a text is cut: nobody would know the rest of one. */
  redact: (text: string) => string;
}

/** By default as wide as the terminal, and of any height. */
export function drawingAt(io: Io, size: Size = { columns: io.columns, rows: Number.POSITIVE_INFINITY }): Drawing {
  return {
    ...{ width: size.columns, height: size.rows, hasColours: io.colorsStdout, mark: io.isAscii ? '...' : '…' },
    redact: (text) => io.redactor.redact(text),
  };
}

const NARROWEST_NAME = 8;

/** The name of what is shown, and the first of `rests` beside which it has room; the name is cut beside the last one. */
export function drawTitle(name: string, rests: readonly [string, ...string[]], drawing: Drawing): string {
  const { width, mark, redact, hasColours } = drawing;
  const whole = cell(redact(name));
  const rest = rests.find((one) => widthOf(whole + one) <= width) ?? (rests.at(-1) as string);
  const plain = shortened(whole, Math.max(NARROWEST_NAME, width - widthOf(rest)), mark);
  const shown = shortened(plain + rest, width, mark);
  if (!hasColours || !shown.startsWith(plain)) return shown;
  return painted(plain, 1) + shown.slice(plain.length);
}

/**
 * The characters that fill the parts of a bar, from its left: those whom nobody calls any more, who is being called, who is still
 * to be called. They differ without colours too, and in ASCII.
 */
const SIGNS: Record<ContactState, string> = {
  ...{ reached: '█', not_reached: '▓', no_result: '?', excluded: 'x', not_called: '-', calling: '▒', waiting: '░' },
};
/** In the order of a bar. */
const SHOWN_STATES = Object.keys(SIGNS) as ContactState[];
/** Those of everything that calls: they are counted even where they are nobody. */
const ALWAYS: readonly ContactState[] = ['reached', 'not_reached', 'calling', 'waiting'];
/** In characters. */
const WIDEST_BAR = 100;

/** `████████▓▓▒▒░░░░░░  62 %`. Only what is over shows 100 %. */
export function drawStatesBar(
  states: StateCounts,
  isOver: boolean,
  drawing: Pick<Drawing, 'width' | 'hasColours'>,
): string {
  const { hasColours } = drawing;
  const width = Math.min(drawing.width, WIDEST_BAR);
  const counts = SHOWN_STATES.map((state) => states[state]);
  const contacts = counts.reduce((sum, count) => sum + count, 0);
  const done = contacts - states.waiting - states.calling;
  const share = contacts === 0 ? 100 : Math.floor((100 * done) / contacts);
  const percent = ` ${String(isOver ? share : Math.min(share, 99)).padStart(3)} %`;
  const room = width - percent.length;
  if (room < 1) return percent.trim().slice(0, Math.max(0, width));
  const cells = cellsOf(counts, room);
  const segments = SHOWN_STATES.map((state, at) => {
    const drawn = SIGNS[state].repeat(cells[at] ?? 0);
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

/** `█ reached 120  ▓ not reached 14  …` in as many lines as it takes. */
export function drawStateCounts(
  states: StateCounts,
  { width, hasColours }: Pick<Drawing, 'width' | 'hasColours'>,
): string[] {
  const lines: { shown: string; width: number }[] = [];
  for (const state of SHOWN_STATES.filter((state) => states[state] > 0 || ALWAYS.includes(state))) {
    const text = `${labelInWords(state)} ${grouped(states[state])}`;
    const needed = 2 + text.length;
    const entry = `${hasColours ? painted(SIGNS[state], colourOf('state', state)) : SIGNS[state]} ${text}`;
    const shown = needed > width ? shortened(text, width, '') : entry;
    const line = lines.at(-1);
    if (line === undefined || line.width + 2 + needed > width) lines.push({ shown, width: needed });
    else Object.assign(line, { shown: `${line.shown}  ${shown}`, width: line.width + 2 + needed });
  }
  return lines.length === 0 ? [''] : lines.map(({ shown }) => shown);
}

/** `12 reached, 3 not reached`: those that there are. */
export function countsInWords(states: StateCounts): string {
  return SHOWN_STATES.filter((state) => states[state] > 0)
    .map((state) => `${grouped(states[state])} ${labelInWords(state)}`)
    .join(', ');
}

const WIDTH = 20;

/** A bar and a percentage. Rounded down, so that only a campaign that is done shows 100 %. */
export function progressBar(done: number, total: number, width = WIDTH): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.floor(share * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${Math.floor(100 * share)} %`;
}
