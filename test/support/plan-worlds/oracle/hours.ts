/** When a plan may call at all: the hours of all zones that a number may be in, skipped dates, start and end. */
import type { Row } from '../history.ts';
import { localTime } from '../local-time.ts';
import { ODD_ZONES_OF } from '../people.ts';
import type { Opening } from '../world.ts';
import { type Breach, type DialOfPlan, planAt, time, type View } from './view.ts';

export function* outsideHours(view: View, plan: number): Generator<Breach> {
  const { rules, skip, start, end } = planAt(view, plan);
  for (const call of view.dialsOf(plan)) {
    const { at } = call.dial;
    const who = describe(call);
    if (call.row.zones.length === 0) yield { rule: 'window', text: `${who}: nobody knows where that is` };
    for (const zone of call.row.zones) {
      const { date, weekday, minute } = localTime(at, zone);
      const local = `${who}: there (${zone}) it is ${date} ${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`;
      if (!rules.openings.some((opening) => isOpen(opening, weekday, minute))) yield { rule: 'window', text: local };
      if (skip.some((day) => day.date === date && holdsFor(day.country, call.row, rules.zone)))
        yield { rule: 'skipped date', text: local };
    }
    if (start !== undefined && at < start) yield { rule: 'before the start', text: `${who}, start ${time(start)}` };
    if (end !== undefined && at > end) yield { rule: 'after the end', text: `${who}, end ${time(end)}` };
  }
}

/** Whether somebody may be in the country of a skipped day; `zone` is that of all, if there is one. */
export function holdsFor(country: string | undefined, row: Row, zone: string | undefined): boolean {
  if (country === undefined || row.country === country) return true;
  if (row.zones.some((name) => ODD_ZONES_OF[country]?.includes(name))) return true;
  return row.country === '' && (zone !== undefined || row.zones.includes('UTC'));
}

export function isOpen({ days: [first, last], opens, closes }: Opening, weekday: number, minute: number): boolean {
  return weekday >= first && weekday <= last && minute >= opens && minute < closes;
}

export function describe({ dial, post, plan, row }: DialOfPlan): string {
  return `plan ${plan}, wave ${post.wave?.number}, ${row.key} ${row.phone} at ${time(dial.at)}`;
}
