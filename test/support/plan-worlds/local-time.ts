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

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ weekday: 'short', hour: '2-digit', minute: '2-digit' },
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** Of the minutes that were asked for: a world asks for the same ones again and again. */
const known = new Map<string, LocalTime>();
const MOST_KNOWN = 300_000;

export function localTime(at: number, zone: string): LocalTime {
  const key = `${zone} ${Math.floor(at / 60_000)}`;
  let found = known.get(key);
  if (found === undefined) {
    found = readLocalTime(at, zone);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, found);
  }
  return found;
}

function readLocalTime(at: number, zone: string): LocalTime {
  const parts: Record<string, string> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = value;
  const { year, month, day, weekday = '', hour, minute } = parts;
  return {
    date: `${year}-${month}-${day}`,
    weekday: WEEKDAYS.indexOf(weekday),
    minute: Number(hour) * 60 + Number(minute),
  };
}

/** Minutes by which the clocks of a zone are ahead of UTC. */
export function offsetOf(at: number, zone: string): number {
  const { date, minute } = localTime(at, zone);
  return Date.parse(`${date}T00:00:00Z`) / 60_000 + minute - Math.floor(at / 60_000);
}
