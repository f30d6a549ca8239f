/** Statistics as one HTML page: charts and the numbers below them, no script, nothing to fetch. */
import { byFrequency, daysIn, periods, type Statistics } from '../calls/statistics.ts';
import { grouped, percent } from '../text/numbers.ts';
import { barChart, DARK, heatMap, LIGHT, type Theme } from './charts.ts';
import { STYLE } from './style.ts';

/** The SVGs' units: two narrow charts are placed side by side if there is room. */
const NARROW = 480;
const WIDE = 980;
/** Labels and agents in a chart, rows in a table, and columns in a chart of days; `logs stats --json` shows all. */
const MAX_BARS = 12;
const MAX_ROWS = 400;
const MAX_PERIODS = 92;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_none, hour) => String(hour).padStart(2, '0'));

interface Section {
  title: string;
  /** A remark below the title. */
  about?: string;
  isWide?: boolean;
  /** A description of the chart for readers who cannot see it. */
  alt: string;
  chart(theme: Theme): string;
  head: readonly string[];
  rows: readonly Row[];
}

/** The label of a row, and its numbers. */
type Row = readonly [string, ...string[]];

/** `filters`: the flags that selected which calls were counted. */
export function renderPage(statistics: Statistics, filters: readonly string[]): string {
  const { calls, by_day } = statistics;
  const span = by_day.length === 0 ? '' : `${by_day[0]?.date} to ${by_day.at(-1)?.date}, `;
  const sections = calls === 0 ? [] : sectionsOf(statistics);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="vagent">
<title>Call statistics</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Call statistics</h1>
<p>${span}days and hours of ${html(statistics.timezone)}</p>
${filters.length === 0 ? '' : `<p>Only calls that match ${filters.map((flag) => `<code>${html(flag)}</code>`).join(' ')}</p>\n`}</header>
<main>
<dl>
${facts(statistics)
  .map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>\n`)
  .join('')}</dl>
${remarks(statistics)
  .map((remark) => `<p class="remark">${remark}</p>\n`)
  .join('')}${sections.map(renderSection).join('')}</main>
</body>
</html>
`;
}

function facts({ calls, answer_rate, talk_seconds, duration }: Statistics): [string, string][] {
  const { mean, p50, p90, p99, max } = duration;
  const known: [string, string | null][] = [
    ['Calls', grouped(calls)],
    ['Answered', answer_rate === null ? null : percent(answer_rate)],
    ['Talk time', calls === 0 ? null : clock(Math.round(talk_seconds))],
    ['Mean duration', mean === null ? null : seconds(Math.round(mean))],
    ['Median', p50 === null ? null : seconds(p50)],
    ['90 % up to', p90 === null ? null : seconds(p90)],
    ['99 % up to', p99 === null ? null : seconds(p99)],
    ['Longest', max === null ? null : seconds(max)],
  ];
  return known.filter((fact): fact is [string, string] => fact[1] !== null);
}

function remarks({ calls, without_time, without_duration }: Statistics): string[] {
  return [
    ...(calls === 0 ? ['There are no such calls.'] : []),
    ...(without_time === 0
      ? []
      : [`${grouped(without_time)} without a readable time: counted, but in no day and hour.`]),
    ...(without_duration === 0
      ? []
      : [`${grouped(without_duration)} completed without a readable duration: counted, but in no duration.`]),
  ];
}

// Sections ------------------------------------------------------------------------------------------------------------

function sectionsOf(statistics: Statistics): Section[] {
  const { calls, by_status, by_outcome, by_day, duration_bands } = statistics;
  return [
    labels('Status', by_status, calls),
    labels('Outcome', by_outcome, calls),
    ...(by_day.length === 0 ? [] : [days(statistics), hours(statistics)]),
    ...(duration_bands.length === 0 ? [] : [durations(statistics)]),
    ...(by_day.length === 0 ? [] : [weekdays(statistics)]),
    agents(statistics),
  ];
}

function labels(title: string, counts: Record<string, number>, total: number): Section {
  const rows = byFrequency(Object.entries(counts));
  const shown = rows.length > MAX_BARS ? [...rows.slice(0, MAX_BARS - 1), rest(rows.slice(MAX_BARS - 1))] : rows;
  const names = shown.map(([label]) => label);
  const values = shown.map(([, count]) => count);
  return {
    title,
    alt: `Bars: ${listed(shown.map(([label, count]) => `${label} ${grouped(count)}`))}.`,
    chart: (theme) => barChart(names.map(plain), [{ name: 'Calls', values }], { width: NARROW, isLying: true }, theme),
    head: [title, 'Calls', 'Share'],
    rows: rows.map(([label, count]) => [label, grouped(count), percent(count / total)]),
  };
}

function rest(rows: readonly [string, number][]): [string, number] {
  return [`${rows.length} others`, rows.reduce((sum, [, count]) => sum + count, 0)];
}

function days({ by_day }: Statistics): Section {
  const shown = periods(by_day, MAX_PERIODS);
  const length = shown[0] === undefined ? 1 : daysIn(shown[0]);
  const most = shown.reduce((left, right) => (right.calls > left.calls ? right : left));
  return {
    title: 'Calls by day',
    ...(length > 1 ? { about: `A column stands for ${length} days.` } : {}),
    isWide: true,
    alt: `Columns from ${shown[0]?.first} to ${shown.at(-1)?.last}; the highest, ${grouped(most.calls)} calls, at ${most.first}.`,
    chart: (theme) =>
      barChart(
        shown.map(({ first }) => first),
        completedAndOthers(shown),
        { width: WIDE },
        theme,
      ),
    head: ['Day', 'Calls', 'Completed', 'Answered'],
    rows: by_day.map(({ date, calls, completed }) => [
      date,
      grouped(calls),
      grouped(completed),
      percent(completed / calls),
    ]),
  };
}

function completedAndOthers(counts: readonly { calls: number; completed: number }[]) {
  return [
    { name: 'completed', values: counts.map(({ completed }) => completed) },
    { name: 'not completed', values: counts.map(({ calls, completed }) => calls - completed) },
  ];
}

function hours({ by_hour }: Statistics): Section {
  const most = Math.max(...by_hour);
  return {
    title: 'Calls by hour',
    alt: `A column for each hour of the day; the highest, ${grouped(most)} calls, at ${HOURS[by_hour.indexOf(most)]}.`,
    chart: (theme) => barChart(HOURS, [{ name: 'Calls', values: by_hour }], { width: NARROW }, theme),
    head: ['Hour', 'Calls'],
    rows: by_hour.map((calls, hour) => [`${HOURS[hour]}:00`, grouped(calls)]),
  };
}

function weekdays({ by_weekday_hour }: Statistics): Section {
  const most = Math.max(...by_weekday_hour.flat());
  const busiest = by_weekday_hour.findIndex((row) => row.includes(most));
  const hour = HOURS[by_weekday_hour[busiest]?.indexOf(most) ?? 0];
  return {
    title: 'Calls by weekday and hour',
    isWide: true,
    alt: `A field for each hour of each weekday; the most, ${grouped(most)} calls, on ${WEEKDAYS[busiest]} at ${hour}.`,
    chart: (theme) =>
      heatMap(
        HOURS,
        WEEKDAYS.map((day) => day.slice(0, 3)),
        by_weekday_hour,
        WIDE,
        theme,
      ),
    head: ['Weekday', ...HOURS],
    rows: by_weekday_hour.map((row, weekday) => [WEEKDAYS[weekday] ?? '', ...row.map(grouped)]),
  };
}

function durations({ duration_bands }: Statistics): Section {
  const total = duration_bands.reduce((sum, { calls }) => sum + calls, 0);
  const values = duration_bands.map(({ calls }) => calls);
  const label = (from: number, until: number | null) => (until === null ? `from ${from}` : `${from} to ${until - 1}`);
  const rows = duration_bands.map(({ from, until, calls }): Row => {
    return [`${label(from, until)} s`, grouped(calls), percent(calls / total)];
  });
  return {
    title: 'Duration of completed calls',
    alt: `Bars by seconds: ${listed(rows.map(([band, calls]) => `${band} ${calls}`))}.`,
    chart: (theme) => {
      const shape = { width: NARROW, isLying: true };
      return barChart(
        rows.map(([band]) => band),
        [{ name: 'Calls', values }],
        shape,
        theme,
      );
    },
    head: ['Duration', 'Calls', 'Share'],
    rows,
  };
}

function agents({ by_agent }: Statistics): Section {
  const named = by_agent.map(({ agent_id, ...count }) => ({
    name: agent_id === null ? '(none)' : plain(`${agent_id}`),
    ...count,
  }));
  const shown = named.slice(0, MAX_BARS);
  return {
    title: 'Agents',
    ...(named.length > shown.length ? { about: `The chart shows the ${shown.length} with the most calls.` } : {}),
    alt: `Bars: ${listed(shown.map(({ name, calls }) => `agent ${name} ${grouped(calls)} calls`))}.`,
    chart: (theme) => {
      const shape = { width: NARROW, isLying: true };
      return barChart(
        shown.map(({ name }) => name),
        completedAndOthers(shown),
        shape,
        theme,
      );
    },
    head: ['Agent', 'Calls', 'Completed', 'Answered'],
    rows: named.map(({ name, calls, completed }) => [
      name,
      grouped(calls),
      grouped(completed),
      percent(completed / calls),
    ]),
  };
}

// HTML ----------------------------------------------------------------------------------------------------------------

function renderSection({ title, about, isWide = false, alt, chart, head, rows }: Section): string {
  const shown = rows.slice(0, MAX_ROWS);
  const unseen = rows.length - shown.length;
  return `<section${isWide ? ' class="wide"' : ''}>
<h2>${html(title)}</h2>
${about === undefined ? '' : `<p>${html(about)}</p>\n`}<div class="chart" role="img" aria-label="${html(alt)}">
<div class="light" aria-hidden="true">${chart(LIGHT)}</div>
<div class="dark" aria-hidden="true">${chart(DARK)}</div>
</div>
<div class="numbers" role="region" aria-label="${html(title)}, the numbers" tabindex="0">
<table>
<thead><tr>${head.map((name) => `<th scope="col">${html(name)}</th>`).join('')}</tr></thead>
<tbody>
${shown.map(renderRow).join('')}</tbody>
</table>
${unseen > 0 ? `<p>… and ${grouped(unseen)} more (vagent logs stats --json has all)</p>\n` : ''}</div>
</section>
`;
}

function renderRow([label, ...numbers]: Row): string {
  const cells = numbers.map((number) => `<td>${html(number)}</td>`).join('');
  return `<tr><th scope="row"><bdi>${html(label)}</bdi></th>${cells}</tr>\n`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function html(text: string): string {
  return plain(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** One line without control characters, some of which are not allowed in HTML. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}

function listed(items: readonly string[]): string {
  return items.join(', ');
}

function seconds(count: number): string {
  return `${grouped(count)} s`;
}

/** Hours, minutes and seconds. */
function clock(total: number): string {
  const [minutes, rest] = [Math.floor(total / 60), total % 60];
  if (minutes < 60) return `${minutes} min ${rest} s`;
  return `${grouped(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}
