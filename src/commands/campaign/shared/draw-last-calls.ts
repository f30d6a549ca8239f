/** The last calls of a campaign as lines: as many of their fields as there is room for. */
import type { Progress } from '../../../calls/progress/progress.ts';
import type { RecentCall } from '../../../calls/progress/recent-calls.ts';
import { cell } from '../../../terminal/output.ts';
import { painted } from '../../../terminal/table.ts';
import { colourOf, labelInWords } from '../../../terminal/words.ts';
import { inUnits } from '../../../text/lasting.ts';
import { shortened, widthOf } from '../../../text/width.ts';
import type { Drawing } from '../../shared/drawing.ts';

const GAP = 2;
/** The least that is left of an outcome. */
const LEAST = 8;
/** What a service sends in place of a number or a status may be of any length. */
const WIDEST = 20;

/** A heading, then the latest call first. */
export function drawLastCalls({ lastCalls }: Progress, drawing: Drawing): string[] {
  if (lastCalls.length === 0) return [];
  const { width, hasColours, mark } = drawing;
  const rows = lastCalls.map((call) => cellsOf(call, drawing));
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
  // Without room for all, the duration goes first, then the time.
  const columns = [[0, 1, 2, 3], [0, 1, 2], [1, 2], [1]].find((some) => lengthOf(some, widths) <= width) ?? [];
  if (columns.length === 0) return [];
  const left = width - lengthOf(columns, widths) - GAP;
  const lines = rows.map((row, at) => {
    const shown = columns.map((column) => {
      const text = row[column] ?? '';
      const space = ' '.repeat((widths[column] ?? 0) - widthOf(text));
      if (column === DURATION) return space + text;
      const colour = column === STATUS && hasColours ? colourOf('call_status', lastCalls[at]?.status) : undefined;
      return painted(text, colour) + space;
    });
    const outcome = left >= LEAST && columns.length === 4 ? [shortened(row[OUTCOME] ?? '', left, mark)] : [];
    return [...shown, ...outcome].join(' '.repeat(GAP)).trimEnd();
  });
  return [shortened('Last calls', width, mark), ...lines];
}

const STATUS = 2;
const DURATION = 3;
const OUTCOME = 4;

function cellsOf({ at, number, status, duration, outcome }: RecentCall, { redact, mark }: Drawing): string[] {
  const short = (text: string) => shortened(text, WIDEST, mark);
  return [
    clockTime(at),
    short(cell(redact(number))),
    short(labelInWords(redact(status))),
    duration === undefined ? '' : inUnits(Math.round(duration)),
    labelInWords(redact(outcome)),
  ];
}

/** In the zone of this machine, with seconds: at a high pace, calls come in the same minute. */
function clockTime(at: number): string {
  const date = new Date(at);
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

function lengthOf(columns: readonly number[], widths: readonly number[]): number {
  return columns.reduce((sum, column) => sum + (widths[column] ?? 0), GAP * Math.max(0, columns.length - 1));
}
