/** Counts as lines for a terminal: bars, columns that are one character wide, and shades. */
import { grouped, percent } from '../../text/numbers.ts';
import { fitted, widthOf } from '../../text/width.ts';
import { cell } from './output.ts';

/** Puts a text between escape sequences, where there are colours. */
export type Paint = (code: string, text: string) => string;

export function painter(hasColors: boolean): Paint {
  return (code, text) => (hasColors && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text);
}

/** Enough for every band of durations. */
const MOST_BARS = 13;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

interface Bar {
  label: string;
  calls: number;
  share: number;
}

/** Label, bar, count and share, in columns. `more` says what has the bars that are left out. */
export function bars(all: readonly Bar[], room: number, paint: Paint, more: string): string[] {
  const rows = all.slice(0, MOST_BARS).map(({ label, calls, share }) => {
    return { label: cell(label), calls, count: grouped(calls), share: percent(share).padStart(8) };
  });
  const labelWidth = Math.min(Math.floor(room * 0.4), Math.max(0, ...rows.map(({ label }) => widthOf(label))));
  const countWidth = Math.max(0, ...rows.map(({ count }) => count.length));
  const barWidth = room - 2 - labelWidth - 2 - 1 - countWidth - 8;
  const most = Math.max(...rows.map(({ calls }) => calls));
  const lines = rows.map(({ label, calls, count, share }) => {
    const drawn = bar(calls / most, barWidth);
    const padding = ' '.repeat(barWidth - drawn.length);
    return `  ${fitted(label, labelWidth)}  ${paint('36', drawn)}${padding} ${count.padStart(countWidth)}${share}`;
  });
  return rows.length === all.length ? lines : [...lines, `  … and ${all.length - rows.length} more (${more})`];
}

/** At least an eighth for any calls at all, so that few do not look like none. */
function bar(share: number, width: number): string {
  const eighths = share === 0 ? 0 : Math.max(1, Math.round(share * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

const HEIGHTS = '▁▂▃▄▅▆▇█';

/** A column as high as a count beside the highest. */
export function columnOf(count: number, most: number): string {
  return HEIGHTS[Math.max(0, Math.ceil((8 * count) / most) - 1)] ?? '';
}

/** A column for each count, and a space for none. */
export function sparkline(counts: readonly number[]): string {
  const most = Math.max(...counts);
  return counts.map((count) => (count === 0 ? ' ' : columnOf(count, most))).join('');
}

/** No calls, then each quarter of the maximum. The shades differ without colours too; the colours run from blue to red. */
const SHADES = '·░▒▓█';
const HEAT_COLORS = ['2', '38;5;33', '38;5;37', '38;5;178', '38;5;202'];

/** A line of shades, each `width` characters wide. */
export function shades(counts: readonly number[], most: number, width: number, paint: Paint): string {
  const drawn = counts.map((calls) => (SHADES[Math.ceil((4 * calls) / most)] ?? '').repeat(width)).join('');
  return drawn.replace(/(.)\1*/g, (run, shade) => paint(HEAT_COLORS[SHADES.indexOf(shade)] ?? '', run));
}

/** What each shade means, for those that differ. */
export function legendOf(most: number): string[] {
  const steps = [...SHADES].map((shade, at) => ({ shade, upTo: Math.floor((at * most) / 4) }));
  return steps
    .filter(({ upTo }, at) => upTo !== steps[at - 1]?.upTo)
    .map(({ shade, upTo }) => `${shade} ${upTo === 0 ? 'none' : `to ${grouped(upTo)}`}`);
}
