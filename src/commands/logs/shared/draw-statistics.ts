/** Statistics as lines for a terminal: bars, a sparkline of the days and a heat map of the week. */
import { byFrequency, daysIn, periods, type Statistics } from '../../../calls/statistics.ts';
import { cell } from '../../../terminal/output.ts';
import { labelInWords } from '../../../terminal/words.ts';
import { inUnits } from '../../../text/lasting.ts';
import { grouped, percent } from '../../../text/numbers.ts';
import { shortDay, shortTime } from '../../../text/when.ts';
import { fitted, widthOf, wrap } from '../../../text/width.ts';

export interface Drawing {
  /** Characters to a line. */
  width: number;
  hasColors: boolean;
  /** Milliseconds since the epoch: years other than its own are shown. */
  now: number;
}

/** In characters: the least width that has room for bars, and the most that is used. */
const NARROWEST = 36;
const WIDEST = 100;
/** Bars in a section, enough for every band of durations; --json has all labels and agents. */
const SHOWN = 13;

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const HEIGHTS = '▁▂▃▄▅▆▇█';
/** No calls, then each quarter of the maximum. The shades differ without colours too; the colours run from blue to red. */
const SHADES = '·░▒▓█';
const HEAT_COLORS = ['2', '38;5;33', '38;5;37', '38;5;178', '38;5;202'];
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export function drawStatistics(statistics: Statistics, { width, hasColors, now }: Drawing): string[] {
  const room = Math.min(Math.max(width, NARROWEST), WIDEST);
  const paint: Paint = (code, text) => (hasColors && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { calls, by_status, by_outcome, by_agent, duration_bands } = statistics;
  const sections = [
    { title: '', lines: facts(statistics, room, now) },
    { title: 'Status', lines: bars(sharesOf(by_status, calls), room, paint) },
    { title: 'Outcome', lines: bars(sharesOf(by_outcome, calls), room, paint) },
    { title: 'Calls by day', lines: days(statistics, room, paint, now) },
    { title: `Calls by hour (${statistics.timezone})`, lines: week(statistics, room, paint) },
    { title: 'Duration of completed calls', lines: bars(durationBars(duration_bands), room, paint) },
    { title: 'Agent, and what share was answered', lines: bars(agentBars(by_agent), room, paint) },
  ];
  const drawn = sections.filter(({ lines }) => lines.length > 0);
  return drawn.flatMap(({ title, lines }) => (title === '' ? lines : ['', paint('1', title), ...lines]));
}

type Paint = (code: string, text: string) => string;

// Facts ---------------------------------------------------------------------------------------------------------------

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

// Bars ----------------------------------------------------------------------------------------------------------------

interface Bar {
  label: string;
  calls: number;
  share: number;
}

function sharesOf(counts: Record<string, number>, total: number): Bar[] {
  return byFrequency(Object.entries(counts)).map(([label, calls]) => ({
    label: labelInWords(label),
    calls,
    share: calls / total,
  }));
}

function agentBars(agents: Statistics['by_agent']): Bar[] {
  return agents.map(({ agent_id, calls, completed }) => {
    return { label: agent_id === null ? '(none)' : String(agent_id), calls, share: completed / calls };
  });
}

function durationBars(bands: Statistics['duration_bands']): Bar[] {
  const total = bands.reduce((sum, { calls }) => sum + calls, 0);
  return bands.map(({ from, until, calls }) => {
    return { label: until === null ? `from ${from} s` : `${from} to ${until - 1} s`, calls, share: calls / total };
  });
}

/** Label, bar, count and share, in columns. */
function bars(all: readonly Bar[], room: number, paint: Paint): string[] {
  const rows = all.slice(0, SHOWN).map(({ label, calls, share }) => {
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
  return rows.length === all.length ? lines : [...lines, `  … and ${all.length - rows.length} more (--json has all)`];
}

/** At least an eighth for any calls at all, so that few do not look like none. */
function bar(share: number, width: number): string {
  const eighths = share === 0 ? 0 : Math.max(1, Math.round(share * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

// Time ----------------------------------------------------------------------------------------------------------------

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

function sparkline(counts: readonly number[]): string {
  const most = Math.max(...counts);
  return counts.map((count) => (count === 0 ? ' ' : HEIGHTS[Math.ceil((8 * count) / most) - 1])).join('');
}

/** The hours of all days as a sparkline, and those of each weekday as shades. */
function week({ by_hour, by_weekday_hour }: Statistics, room: number, paint: Paint): string[] {
  const most = Math.max(...by_weekday_hour.flat());
  if (most === 0) return [];
  const width = Math.min(3, Math.floor((room - 7) / 24));
  const step = width === 1 ? 6 : 3;
  const axis = Array.from({ length: 24 / step }, (_none, at) => String(at * step).padEnd(step * width));
  const all = [...sparkline(by_hour)].map((height) => height.repeat(width));
  const rows = by_weekday_hour.map((hours, weekday) => {
    const shades = hours.map((calls) => (SHADES[level(calls, most)] ?? '').repeat(width)).join('');
    const painted = shades.replace(/(.)\1*/g, (run, shade) => paint(HEAT_COLORS[SHADES.indexOf(shade)] ?? '', run));
    return `  ${WEEKDAYS[weekday]}  ${painted}`;
  });
  const steps = [...SHADES].map((shade, at) => ({ shade, most: Math.floor((at * most) / 4) }));
  const legend = steps
    .filter(({ most }, at) => most !== steps[at - 1]?.most)
    .map(({ shade, most }) => `${shade} ${most === 0 ? 'none' : `to ${grouped(most)}`}`);
  return [
    `       ${paint('2', axis.join('').trimEnd())}`,
    `  all  ${paint('36', all.join('').trimEnd())}`,
    ...rows,
    ...wrap(legend.join(' '), room - 7, legend).map((line) => `       ${paint('2', line)}`),
  ];
}

function level(calls: number, most: number): number {
  return Math.ceil((4 * calls) / most);
}
