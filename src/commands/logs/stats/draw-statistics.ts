/** Statistics as lines for a terminal: facts, bars, a sparkline of the days and a heat map of the week. */
import {
  agentShares,
  bandShares,
  daysIn,
  labelShares,
  periods,
  type Share,
  type Statistics,
} from '../../../calls/statistics.ts';
import { bars, legendOf, type Paint, painter, shades, sparkline } from '../../../cli/terminal/charts.ts';
import { labelInWords } from '../../../cli/terminal/words.ts';
import { grouped, percent } from '../../../text/numbers.ts';
import { inUnits, shortDay, shortTime } from '../../../text/when.ts';
import { wrap } from '../../../text/width.ts';

/** In characters: the least width that has room for bars, and the most that is used. */
const NARROWEST = 36;
const WIDEST = 100;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** `width` in characters; of `now`, in milliseconds since the epoch, the year is not shown. */
export function drawStatistics(
  statistics: Statistics,
  { width, hasColors, now }: { width: number; hasColors: boolean; now: number },
): string[] {
  const room = Math.min(Math.max(width, NARROWEST), WIDEST);
  const paint = painter(hasColors);
  const draw = (shares: readonly Share[]) => bars(shares, room, paint, '--json has all');
  const words = (counts: Record<string, number>) => {
    return labelShares(counts).map((share) => ({ ...share, label: labelInWords(share.label) }));
  };
  const { by_status, by_outcome, by_agent, duration_bands } = statistics;
  const sections: [title: string, lines: string[]][] = [
    ['Status', draw(words(by_status))],
    ['Outcome', draw(words(by_outcome))],
    ['Calls by day', days(statistics, room, paint, now)],
    [`Calls by hour (${statistics.timezone})`, week(statistics, room, paint)],
    ['Duration of completed calls', draw(bandShares(duration_bands))],
    ['Agent, and what share was answered', draw(agentShares(by_agent))],
  ];
  const drawn = sections.filter(([, lines]) => lines.length > 0);
  return [...facts(statistics, room, now), ...drawn.flatMap(([title, lines]) => ['', paint('1', title), ...lines])];
}

function facts(
  { calls, answer_rate, talk_seconds, duration, first_call, last_call }: Statistics,
  room: number,
  now: number,
): string[] {
  const { mean, p50, p90, p99, max } = duration;
  const durations = Object.entries({ mean: mean === null ? null : Math.round(mean), p50, p90, p99, max });
  const known = {
    calls: grouped(calls),
    answered: answer_rate === null ? null : percent(answer_rate),
    'talk time': calls === 0 ? null : inUnits(Math.round(talk_seconds)),
    durations: mean === null ? null : durations.map(([name, seconds]) => `${name} ${inUnits(seconds ?? 0)}`).join(', '),
    'first call': first_call && shortTime(Date.parse(first_call), now).trimStart(),
    'last call': last_call && shortTime(Date.parse(last_call), now).trimStart(),
  };
  return Object.entries(known).flatMap(([name, value]) => {
    if (value === null) return [];
    const lines = wrap(value, room - 12, value.split(/(?<=,) /));
    return lines.map((line, at) => `${(at === 0 ? name : '').padEnd(12)}${line}`);
  });
}

function days({ by_day }: Statistics, room: number, paint: Paint, now: number): string[] {
  const shown = periods(by_day, room - 2);
  const first = shown[0];
  const last = shown.at(-1);
  if (first === undefined || last === undefined) return [];
  const counts = shown.map(({ calls }) => calls);
  const length = daysIn(first);
  const caption = [
    `${shortDay(first.first, now)} to ${shortDay(last.last, now)},`,
    `${length === 1 ? 'a column a day' : `${length} days a column`},`,
    `the highest ${grouped(Math.max(...counts))}`,
  ];
  const lines = first.first === last.last ? [shortDay(first.first, now)] : wrap(caption.join(' '), room - 2, caption);
  return [`  ${paint('36', sparkline(counts))}`, ...lines.map((line) => `  ${paint('2', line)}`)];
}

/** The hours of all days as a sparkline, and those of each weekday as shades. */
function week({ by_hour, by_weekday_hour }: Statistics, room: number, paint: Paint): string[] {
  const most = Math.max(...by_weekday_hour.flat());
  if (most === 0) return [];
  const width = Math.min(3, Math.floor((room - 7) / 24));
  const step = width === 1 ? 6 : 3;
  const axis = Array.from({ length: 24 / step }, (_none, at) => String(at * step).padEnd(step * width));
  const all = [...sparkline(by_hour)].map((height) => height.repeat(width));
  const legend = legendOf(most);
  return [
    `       ${paint('2', axis.join('').trimEnd())}`,
    `  all  ${paint('36', all.join('').trimEnd())}`,
    ...by_weekday_hour.map((hours, weekday) => `  ${WEEKDAYS[weekday]}  ${shades(hours, most, width, paint)}`),
    ...wrap(legend.join(' '), room - 7, legend).map((line) => `       ${paint('2', line)}`),
  ];
}
