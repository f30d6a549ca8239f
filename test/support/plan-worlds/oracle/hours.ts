/** When a plan may call at all: the hours of all zones that a number may be in, skipped dates, start and end. */
import { zonesLike } from '../../new-clocks.ts';
import type { Post, Row } from '../history.ts';
import { localTime } from '../local-time.ts';
import { ODD_ZONES_OF } from '../people.ts';
import { HOUR, MINUTE, type Opening } from '../world.ts';
import { type Breach, type DialOfPlan, planAt, time, type View } from './view.ts';

export function* outsideHours(view: View, plan: number): Generator<Breach> {
  const { ahead } = view.history;
  for (const call of view.dialsOf(plan)) {
    const { rules, skip, start, end } = planAt(view, plan, call.post.seq);
    const { at } = call.dial;
    if (isSlowForTheFirstTime(view, call)) continue;
    const who = describe(call);
    if (call.row.zones.length === 0) yield { rule: 'window', text: `${who}: nobody knows where that is` };
    // Nobody can say which clock is right.
    const readings = [...new Set([at, at + ahead])];
    const zones = call.row.zones.flatMap((name) => zonesLike(name, at));
    for (const [zone, reading] of zones.flatMap((name) => readings.map((one) => [name, one] as const))) {
      const { date, weekday, minute } = localTime(reading, zone);
      const clock = reading === at ? 'it is' : 'by the clock of the machine it is';
      const local = `${who}: there (${zone}) ${clock} ${date} ${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`;
      if (!rules.openings.some((opening) => isOpen(opening, weekday, minute))) yield { rule: 'window', text: local };
      if (skip.some((day) => day.date === date && holdsFor(day.country, call.row, rules.zone)))
        yield { rule: 'skipped date', text: local };
    }
    if (start !== undefined && at < start) yield { rule: 'before the start', text: `${who}, start ${time(start)}` };
    if (end !== undefined && at > end) yield { rule: 'after the end', text: `${who}, end ${time(end)}` };
  }
}

/**
 * A service that is slower than it was asked to be may go beyond the hours until that was seen: in a wave that was half as long at
 * least, and was over in the log before this one was sent.
 */
function isSlowForTheFirstTime(view: View, { dial, post, plan }: DialOfPlan): boolean {
  const planned = Date.parse(post.startTime ?? time(post.at)) + (dial.row * HOUR) / post.callsPerHour;
  if (view.history.pace === 1 || dial.at <= planned + MINUTE) return false;
  const isLessonFor = (earlier: Post) =>
    earlier.seq < post.seq &&
    2 * earlier.contacts.length >= post.contacts.length &&
    earlier.contacts.every(({ key }) => (view.dialOf(earlier, key)?.shownAt ?? Number.POSITIVE_INFINITY) <= post.at);
  return !view.wavesOf(plan).some(isLessonFor);
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
