/** The coming day of a plan, drawn: when the people of each place may be called, and when a wave calls. */
import type { Hours } from '../../../plans/hours.ts';
import type { OpenWave, Plan } from '../../../plans/plan.ts';
import { cell } from '../../../terminal/output.ts';
import { grouped } from '../../../text/numbers.ts';
import { shortened, widthOf } from '../../../text/width.ts';
import type { Drawing } from '../../shared/drawing.ts';

/** A row of the day. */
export interface DayRow {
  label: string;
  /** Rising and not overlapping, in milliseconds since the epoch; `until` is not included. */
  spans: readonly { from: number; until: number }[];
}

export interface Day {
  /** Milliseconds since the epoch, on an hour. */
  from: number;
  places: readonly DayRow[];
  waves: DayRow;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** Minutes of a character, the finest first. */
const SCALES = [15, 30, 60];
const WIDEST_LABEL = 16;
const GAP = 2;
/** Of a row of hours, in characters: a smaller one would say too little. */
const EVERY = 6;

/**
 * Rows for the places with the most contacts, at most `most`; the rest is not shown. `contacts`: how many still to be called are
 * in each place, by its index.
 */
export function dayOf(
  { plan, hours, open }: { plan: Pick<Plan, 'places'>; hours: Hours; open: readonly OpenWave[] },
  contacts: ArrayLike<number>,
  { now, most }: { now: number; most: number },
): Day {
  const from = Math.floor(now / HOUR) * HOUR;
  const places = plan.places
    .map((place, index) => ({ place, index, count: contacts[index] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count || one.index - other.index)
    .slice(0, most)
    .map(({ place, index }) => ({ label: nameOf(place), spans: openingsOf(hours, index, from, from + DAY) }));
  const spans = open.map(({ start, interval, contacts: count }) => ({ from: start, until: start + count * interval }));
  return { from, places, waves: { label: 'waves', spans } };
}

function openingsOf(hours: Hours, place: number, from: number, until: number): DayRow['spans'] {
  const spans: { from: number; until: number }[] = [];
  let opening = hours.openingAt(place, from);
  while (opening !== undefined && opening.from < until) {
    spans.push(opening);
    opening = hours.openingAt(place, opening.until);
  }
  return spans;
}

/** `New York`; for a number that may be in several zones, its country and how many they are. */
function nameOf({ zones, country }: Plan['places'][number]): string {
  const [zone = '', second] = zones;
  if (second === undefined) return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
  return `${country === null ? '' : `${country}, `}${grouped(zones.length)} zones`;
}

/** Rows of the same width below the hours; none if the terminal is too narrow. */
export function drawDay(day: Day, { width, mark, redact }: Pick<Drawing, 'width' | 'mark' | 'redact'>): string[] {
  const all = [...day.places, ...(day.waves.spans.length === 0 ? [] : [day.waves])];
  const rows = all.map((row) => ({ ...row, label: cell(redact(row.label)) }));
  const label = Math.min(WIDEST_LABEL, Math.max(...rows.map((row) => widthOf(row.label)), 0));
  const room = width - label - GAP;
  const minutes = SCALES.find((scale) => DAY / MINUTE / scale <= room);
  if (minutes === undefined || day.places.length === 0) return [];
  const step = minutes * MINUTE;
  const lines = rows.map((row, at) => {
    const name = shortened(row.label, label, mark);
    const sign = at < day.places.length ? '█' : '━';
    return `${name}${' '.repeat(label - widthOf(name) + GAP)}${drawSpans(row, day.from, step, sign)}`.trimEnd();
  });
  return [`${' '.repeat(label + GAP)}${drawClock(day.from, step)}`.trimEnd(), ...lines];
}

function drawSpans({ spans }: DayRow, from: number, step: number, sign: string): string {
  return Array.from({ length: DAY / step }, (_none, at) => {
    const [begin, end] = [from + at * step, from + (at + 1) * step];
    const covered = spans.reduce((sum, span) => {
      return sum + Math.max(0, Math.min(end, span.until) - Math.max(begin, span.from));
    }, 0);
    if (covered === 0) return '·';
    // A wave may be much shorter than a character.
    return sign === '━' || covered === step ? sign : '▒';
  }).join('');
}

/** The hours in the zone of this machine, each where it begins: `09    12    15`. */
function drawClock(from: number, step: number): string {
  const every = Math.max(1, Math.ceil((EVERY * step) / HOUR)) * HOUR;
  let line = '';
  for (let at = from; at < from + DAY; at += every) {
    line += String(new Date(at).getHours())
      .padStart(2, '0')
      .padEnd(every / step);
  }
  return line;
}
