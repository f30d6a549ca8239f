/** Statistics as lines for a terminal: bars, a sparkline of the days and a heat map of the week. */
import { byFrequency, daysIn, periods, type Statistics } from '../../calls/statistics.ts';
import { cell } from '../../output.ts';

export interface Drawing {
  /** Characters to a line. */
  width: number;
  hasColors: boolean;
}

/** Narrower than this nothing can be drawn, wider than that a bar says no more. */
const NARROWEST = 36;
const WIDEST = 100;
/** Bars to a section, enough for every band of durations; --json has all labels and agents. */
const SHOWN = 13;

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const HEIGHTS = '▁▂▃▄▅▆▇█';
/** None, and then by quarters of the most. They tell the heat also without colours, which run from blue to red. */
const SHADES = '·░▒▓█';
const HEAT_COLORS = ['2', '38;5;33', '38;5;37', '38;5;178', '38;5;202'];
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export function drawStatistics(statistics: Statistics, { width, hasColors }: Drawing): string[] {
  const room = Math.min(Math.max(width, NARROWEST), WIDEST);
  const paint: Paint = (code, text) => (hasColors && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { calls, by_status, by_outcome, by_agent, duration_bands } = statistics;
  const sections = [
    { title: '', lines: facts(statistics, room) },
    { title: 'Status', lines: bars(sharesOf(by_status, calls), room, paint) },
    { title: 'Outcome', lines: bars(sharesOf(by_outcome, calls), room, paint) },
    { title: 'Calls by day', lines: days(statistics, room, paint) },
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
): string[] {
  const { mean, p50, p90, p99, max } = duration;
  const durations = Object.entries({ mean: mean === null ? null : Math.round(mean), p50, p90, p99, max });
  const told = {
    calls: grouped(calls),
    answered: answer_rate === null ? null : percent(answer_rate),
    'talk time': calls === 0 ? null : inWords(Math.round(talk_seconds)),
    durations: mean === null ? null : durations.map(([name, seconds]) => `${name} ${seconds} s`).join(', '),
    'first call': first_call,
    'last call': last_call,
  };
  return Object.entries(told).flatMap(([name, value]) => {
    if (value === null) return [];
    const lines = wrapped(value.split(/(?<=,) /), room - 12);
    return lines.map((line, at) => `${(at === 0 ? name : '').padEnd(12)}${line}`);
  });
}

function inWords(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  if (hours > 0) return `${grouped(hours)} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Words joined by spaces, as many to a line as fit. */
function wrapped(words: readonly string[], room: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= room) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

// Bars ----------------------------------------------------------------------------------------------------------------

interface Bar {
  label: string;
  calls: number;
  share: number;
}

function sharesOf(counts: Record<string, number>, total: number): Bar[] {
  return byFrequency(Object.entries(counts)).map(([label, calls]) => ({ label, calls, share: calls / total }));
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
  const labelWidth = Math.min(Math.floor(room / 3), Math.max(0, ...rows.map(({ label }) => columnsOf(label))));
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

/** At least a sliver: something is not nothing. */
function bar(share: number, width: number): string {
  const eighths = share === 0 ? 0 : Math.max(1, Math.round(share * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

/** A label cut or filled to a number of columns. */
function fitted(label: string, width: number): string {
  if (columnsOf(label) <= width) return label + ' '.repeat(width - columnsOf(label));
  let cut = '';
  for (const character of label) {
    if (columnsOf(cut + character) > width - 1) break;
    cut += character;
  }
  return `${cut}…${' '.repeat(width - 1 - columnsOf(cut))}`;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Columns of the terminal that a text takes. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += WITHOUT_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}

// Time ----------------------------------------------------------------------------------------------------------------

function days({ by_day }: Statistics, room: number, paint: Paint): string[] {
  const shown = periods(by_day, room - 2);
  const first = shown[0];
  const last = shown.at(-1);
  if (first === undefined || last === undefined) return [];
  const counts = shown.map(({ calls }) => calls);
  const length = daysIn(first);
  const caption = [
    `${first.first} to ${last.last},`,
    `${length === 1 ? 'a column a day' : `${length} days a column`},`,
    `the highest ${grouped(Math.max(...counts))}`,
  ];
  const lines = first.first === last.last ? [first.first] : wrapped(caption, room - 2);
  return [`  ${paint('36', sparkline(counts))}`, ...lines.map((line) => `  ${paint('2', line)}`)];
}

/** Nothing where there is nothing. */
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
    ...wrapped(legend, room - 7).map((line) => `       ${paint('2', line)}`),
  ];
}

function level(calls: number, most: number): number {
  return Math.ceil((4 * calls) / most);
}
