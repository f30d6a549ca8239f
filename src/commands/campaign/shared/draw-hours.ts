/** How many calls were answered in each hour of a campaign, as a line of bars. */
import type { Progress } from '../../../calls/progress/progress.ts';
import { HOUR } from '../../../calls/progress/recent-calls.ts';
import { percent } from '../../../text/numbers.ts';
import { shortTime } from '../../../text/when.ts';
import type { Drawing } from '../../shared/drawing.ts';

const HEIGHTS = '▁▂▃▄▅▆▇█';
const MOST_HOURS = 72;

/** `Answered 61.2 %  ▁▃▅▆ ▇▅  10:00 to 17:00, by hour`. The last hours, as many as fit; nothing before the first call. */
export function drawHours({ tally: { byHour, byStatus, attempts }, at }: Progress, { width }: Drawing): string[] {
  const hours = [...byHour.keys()];
  if (hours.length === 0 || attempts === 0) return [];
  const first = hours.reduce((least, hour) => Math.min(least, hour));
  const last = hours.reduce((most, hour) => Math.max(most, hour));
  const label = `Answered ${percent((byStatus.completed ?? 0) / attempts)}  `;
  const clock = (hour: number) => shortTime(hour, at).slice(-5);
  const room = Math.min(MOST_HOURS, width - label.length);
  if (room < 1) return [label.trim().slice(0, width)];
  const shown = Math.min(room, Math.round((last - first) / HOUR) + 1);
  const begin = last - (shown - 1) * HOUR;
  const bars = Array.from({ length: shown }, (_none, index) => {
    const { calls = 0, completed = 0 } = byHour.get(begin + index * HOUR) ?? {};
    return calls === 0 ? ' ' : (HEIGHTS[Math.ceil((8 * completed) / calls) - 1] ?? HEIGHTS[0] ?? '');
  }).join('');
  const caption = `  by hour, from ${clock(begin)}`;
  const line = `${label}${bars}`;
  return [line.length + caption.length <= width ? line + caption : line];
}
