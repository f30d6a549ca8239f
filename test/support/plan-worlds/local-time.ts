/** The local time of a zone, by `Intl.DateTimeFormat` and by nothing that the product uses. */

export interface LocalTime {
  /** `2026-12-25` */
  date: string;
  /** 0 is Monday. */
  weekday: number;
  /** Minute of the day. */
  minute: number;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** By zone, with the minutes that were asked for: a world asks for the same ones again and again. */
const zones = new Map<string, { format: Intl.DateTimeFormat; known: Map<number, LocalTime> }>();
const MOST_KNOWN = 20_000;

function zoneOf(timeZone: string) {
  const numbers = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, ...numbers, weekday: 'short', hourCycle: 'h23' });
  const zone = { format, known: new Map<number, LocalTime>() };
  zones.set(timeZone, zone);
  return zone;
}

export function localTime(at: number, timeZone: string): LocalTime {
  const { format, known } = zones.get(timeZone) ?? zoneOf(timeZone);
  const key = Math.floor(at / 60_000);
  let found = known.get(key);
  if (found === undefined) {
    // Such as `Sun, 03/29/2026, 01:59`.
    const text = format.format(at);
    found = {
      date: `${text.slice(11, 15)}-${text.slice(5, 7)}-${text.slice(8, 10)}`,
      weekday: WEEKDAYS.indexOf(text.slice(0, 3)),
      minute: Number(text.slice(17, 19)) * 60 + Number(text.slice(20, 22)),
    };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, found);
  }
  return found;
}

/** Minutes by which the clocks of a zone are ahead of UTC. */
export function offsetOf(at: number, zone: string): number {
  const { date, minute } = localTime(at, zone);
  return Date.parse(`${date}T00:00:00Z`) / 60_000 + minute - Math.floor(at / 60_000);
}
