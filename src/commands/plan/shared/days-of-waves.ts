/** The days of a rehearsal, each with a line that shows in which hours its calls are. */
import { shortDay } from '../../../text/when.ts';

const HOUR = 3_600_000;
const HEIGHTS = '▁▂▃▄▅▆▇█';

/** A wave as a rehearsal tells it: its start is ISO 8601. */
export interface PlannedWave {
  start: string;
  contacts: number;
}

export interface Day {
  day: string;
  waves: number;
  calls: number;
  /** A character for each hour from midnight on, as high as the hour has calls; one of 24 hours by the clock of this machine. */
  by_hour: string;
}

/** By the pace; the calls of a wave count for the hour in which each is due. `now` in milliseconds since the epoch. */
export function daysOfWaves(waves: readonly PlannedWave[], callsPerHour: number, now: number): Day[] {
  const days = new Map<string, { waves: number; byHour: number[] }>();
  const dayOf = (at: Date) => {
    const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'));
    const known = days.get(date.join('-')) ?? { waves: 0, byHour: Array.from({ length: 24 }, () => 0) };
    days.set(date.join('-'), known);
    return known;
  };
  for (const { start, contacts } of waves) {
    const begin = Date.parse(start);
    dayOf(new Date(begin)).waves += 1;
    for (let call = 0; call < contacts; call++) {
      const at = new Date(begin + (call * HOUR) / callsPerHour);
      (dayOf(at).byHour[at.getHours()] as number) += 1;
    }
  }
  const most = Math.max(1, ...[...days.values()].flatMap(({ byHour }) => byHour));
  return [...days].map(([date, { waves: count, byHour }]) => ({
    day: shortDay(date, now),
    waves: count,
    calls: byHour.reduce((sum, calls) => sum + calls, 0),
    by_hour: byHour.map((calls) => (calls === 0 ? '·' : HEIGHTS[Math.ceil((8 * calls) / most) - 1])).join(''),
  }));
}
