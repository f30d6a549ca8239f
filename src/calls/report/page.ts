/** Statistics as one HTML page: charts and the numbers below them, no script, nothing to fetch. */
import { grouped, percent } from '../../text/numbers.ts';
import { agentShares, bandShares, daysIn, labelShares, periods, type Share, type Statistics } from '../statistics.ts';
import { barChart, darkened, heatMap, type Series } from './charts.ts';

/** Rows in a table, labels and agents in a chart, and columns in a chart of days; `logs stats --json` shows all. */
const MAX_ROWS = 400;
const MAX_BARS = 12;
const MAX_PERIODS = 92;
/** The SVGs' units: two narrow charts are placed side by side if there is room. */
const NARROW = 480;
const WIDE = 980;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_none, hour) => String(hour).padStart(2, '0'));

/** `filters`: the flags that selected which calls were counted. */
export function renderPage(statistics: Statistics, filters: readonly string[]): string {
  const { calls, by_day } = statistics;
  const span = by_day.length === 0 ? '' : `${by_day[0]?.date} to ${by_day.at(-1)?.date}, `;
  const sections = calls === 0 ? [] : sectionsOf(statistics);
  const chosen = filters.map((flag) => `<code>${html(flag)}</code>`).join(' ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none';
form-action 'none'">
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
${chosen && `<p>Only calls that match ${chosen}</p>\n`}</header>
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
  const known: [string, string | number | null][] = [
    ['Calls', grouped(calls)],
    ['Answered', answer_rate === null ? null : percent(answer_rate)],
    ['Talk time', calls === 0 ? null : clock(Math.round(talk_seconds))],
    ['Mean duration', mean === null ? null : Math.round(mean)],
    ['Median', p50],
    ['90 % up to', p90],
    ['99 % up to', p99],
    ['Longest', max],
  ];
  return known.flatMap(([name, value]) => {
    if (value === null) return [];
    return [[name, typeof value === 'number' ? `${grouped(value)} s` : value]];
  });
}

/** Hours, minutes and seconds. */
function clock(total: number): string {
  const [minutes, rest] = [Math.floor(total / 60), total % 60];
  if (minutes < 60) return `${minutes} min ${rest} s`;
  return `${grouped(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

function remarks({ calls, without_time, without_duration }: Statistics): string[] {
  const known: [isSaid: boolean, remark: string][] = [
    [calls === 0, 'There are no such calls.'],
    [without_time > 0, `${grouped(without_time)} without a readable time: counted, but in no day and hour.`],
    [
      without_duration > 0,
      `${grouped(without_duration)} completed without a readable duration: counted, but in no duration.`,
    ],
  ];
  return known.flatMap(([isSaid, remark]) => (isSaid ? [remark] : []));
}

// Sections: what each chart shows, and the numbers below it -------------------------------------------------------------

/** A label and its numbers. */
type Row = readonly (string | number)[];

interface Section {
  title: string;
  /** A remark below the title. */
  about?: string | false;
  isWide?: boolean;
  /** A description of the chart for readers who cannot see it. */
  alt: string;
  /** An SVG. */
  chart: string;
  head: readonly string[];
  rows: readonly Row[];
}

function sectionsOf(statistics: Statistics): Section[] {
  const { by_status, by_outcome, by_day, duration_bands, by_agent } = statistics;
  const hasDays = by_day.length > 0;
  return [
    labels('Status', labelShares(by_status)),
    labels('Outcome', labelShares(by_outcome)),
    ...(hasDays ? [days(statistics), hours(statistics)] : []),
    ...(duration_bands.length === 0 ? [] : [durations(bandShares(duration_bands))]),
    ...(hasDays ? [weekdays(statistics)] : []),
    agents(agentShares(by_agent)),
  ];
}

function labels(title: string, shares: readonly Share[]): Section {
  const others = shares.length > MAX_BARS ? shares.slice(MAX_BARS - 1) : [];
  const shown: Bar[] = shares.slice(0, shares.length - others.length);
  if (others.length > 0) {
    shown.push({ label: `${others.length} others`, calls: others.reduce((sum, { calls }) => sum + calls, 0) });
  }
  return { title, alt: `Bars: ${inWords(shown)}.`, ...barsOf(shown, title, shares) };
}

function durations(shares: readonly Share[]): Section {
  const title = 'Duration of completed calls';
  return { title, alt: `Bars by seconds: ${inWords(shares)}.`, ...barsOf(shares, 'Duration', shares) };
}

type Bar = Pick<Share, 'label' | 'calls'>;

function inWords(bars: readonly Bar[]): string {
  return bars.map(({ label, calls }) => `${label} ${grouped(calls)}`).join(', ');
}

/** Bars, and below them all shares under a name. */
function barsOf(
  bars: readonly Bar[],
  name: string,
  shares: readonly Share[],
): Pick<Section, 'chart' | 'head' | 'rows'> {
  return {
    chart: lyingBars(bars, [callsIn(bars.map(({ calls }) => calls))]),
    head: [name, 'Calls', 'Share'],
    rows: shares.map(({ label, calls, share }) => [label, calls, percent(share)]),
  };
}

function lyingBars(bars: readonly Bar[], series: readonly Series[]): string {
  return barChart(
    bars.map(({ label }) => plain(label)),
    series,
    { width: NARROW, isLying: true },
  );
}

function agents(shares: ReturnType<typeof agentShares>): Section {
  const shown = shares.slice(0, MAX_BARS);
  return {
    title: 'Agents',
    about: shares.length > shown.length && `The chart shows the ${shown.length} with the most calls.`,
    alt: `Bars: ${shown.map(({ label, calls }) => `agent ${plain(label)} ${grouped(calls)} calls`).join(', ')}.`,
    chart: lyingBars(shown, completedAndOthers(shown)),
    head: ['Agent', 'Calls', 'Completed', 'Answered'],
    rows: shares.map(({ label, calls, completed, share }) => [label, calls, completed, percent(share)]),
  };
}

function callsIn(values: readonly number[]): Series {
  return { name: 'Calls', values };
}

function completedAndOthers(counts: readonly { calls: number; completed: number }[]): Series[] {
  return [
    { name: 'completed', values: counts.map(({ completed }) => completed) },
    { name: 'not completed', values: counts.map(({ calls, completed }) => calls - completed) },
  ];
}

function days({ by_day }: Statistics): Section {
  const shown = periods(by_day, MAX_PERIODS);
  const length = shown[0] === undefined ? 1 : daysIn(shown[0]);
  const most = shown.reduce((left, right) => (right.calls > left.calls ? right : left));
  const starts = shown.map(({ first }) => first);
  return {
    title: 'Calls by day',
    about: length > 1 && `A column stands for ${length} days.`,
    isWide: true,
    alt: `Columns from ${starts[0]} to ${shown.at(-1)?.last}; the highest, ${grouped(most.calls)} calls, at ${most.first}.`,
    chart: barChart(starts, completedAndOthers(shown), { width: WIDE }),
    head: ['Day', 'Calls', 'Completed', 'Answered'],
    rows: by_day.map(({ date, calls, completed }) => [date, calls, completed, percent(completed / calls)]),
  };
}

function hours({ by_hour }: Statistics): Section {
  const most = Math.max(...by_hour);
  return {
    title: 'Calls by hour',
    alt: `A column for each hour of the day; the highest, ${grouped(most)} calls, at ${HOURS[by_hour.indexOf(most)]}.`,
    chart: barChart(HOURS, [callsIn(by_hour)], { width: NARROW }),
    head: ['Hour', 'Calls'],
    rows: by_hour.map((calls, hour) => [`${HOURS[hour]}:00`, calls]),
  };
}

function weekdays({ by_weekday_hour }: Statistics): Section {
  const most = Math.max(...by_weekday_hour.flat());
  const busiest = by_weekday_hour.findIndex((row) => row.includes(most));
  const hour = HOURS[by_weekday_hour[busiest]?.indexOf(most) ?? 0];
  const names = WEEKDAYS.map((day) => day.slice(0, 3));
  return {
    title: 'Calls by weekday and hour',
    isWide: true,
    alt: `A field for each hour of each weekday; the most, ${grouped(most)} calls, on ${WEEKDAYS[busiest]} at ${hour}.`,
    chart: heatMap(HOURS, names, by_weekday_hour, WIDE),
    head: ['Weekday', ...HOURS],
    rows: by_weekday_hour.map((row, weekday) => [WEEKDAYS[weekday] ?? '', ...row]),
  };
}

// As HTML ---------------------------------------------------------------------------------------------------------------

function renderSection({ title, about, isWide = false, alt, chart, head, rows }: Section): string {
  const unseen = rows.length - MAX_ROWS;
  return `<section${isWide ? ' class="wide"' : ''}>
<h2>${html(title)}</h2>
${about ? `<p>${html(about)}</p>\n` : ''}<div class="chart" role="img" aria-label="${html(alt)}">
<div class="light" aria-hidden="true">${chart}</div>
<div class="dark" aria-hidden="true">${darkened(chart)}</div>
</div>
<div class="numbers" role="region" aria-label="${html(title)}, the numbers" tabindex="0">
<table>
<thead><tr>${head.map((name) => `<th scope="col">${html(name)}</th>`).join('')}</tr></thead>
<tbody>
${rows.slice(0, MAX_ROWS).map(renderRow).join('')}</tbody>
</table>
${unseen > 0 ? `<p>… and ${grouped(unseen)} more (vagent logs stats --json has all)</p>\n` : ''}</div>
</section>
`;
}

function renderRow([label = '', ...numbers]: Row): string {
  const cells = numbers.map((number) => `<td>${typeof number === 'number' ? grouped(number) : number}</td>`);
  return `<tr><th scope="row"><bdi>${html(String(label))}</bdi></th>${cells.join('')}</tr>\n`;
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

// Light and dark, on screens of any width and on paper --------------------------------------------------------------------

const STYLE = `
:root { color-scheme: light dark; --page: #fff; --ink: #1b2330; --quiet: #566172; --rule: #d9dee5; --card: #f5f7f9 }
.dark { display: none }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #12161c; --ink: #e8ecf1; --quiet: #a3adba; --rule: #303844; --card: #1a2028 }
  .dark { display: block }
  .light { display: none }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem; margin: 0 }
h2 { font-size: 1.1rem; margin: 0 0 .5rem }
header p, .remark, section > p { color: var(--quiet); margin: .25rem 0 }
code { display: inline-block; overflow-wrap: anywhere; margin-right: .5rem }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .5rem; margin: 1.25rem 0 }
dl div { background: var(--card); border-radius: .4rem; padding: .5rem .75rem }
dt { color: var(--quiet); font-size: .85rem }
dd { margin: 0; font-size: 1.2rem; font-variant-numeric: tabular-nums }
main { display: flow-root }
section { margin: 2rem 0 0 }
.chart { overflow-x: auto }
.chart svg { display: block; width: 100%; height: auto; min-width: 20rem }
.wide svg { min-width: 40rem }
.numbers { max-height: 16rem; overflow: auto; border-top: 1px solid var(--rule); margin-top: .5rem }
.numbers:focus-visible { outline: 2px solid var(--quiet) }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule) }
th:first-child { text-align: left; font-weight: normal; white-space: normal;
  overflow-wrap: anywhere; min-width: 7rem }
thead th { position: sticky; top: 0; background: var(--page); color: var(--quiet); font-weight: normal }
.wide td, .wide thead th { padding: .2rem .35rem }
@media (min-width: 60rem) {
  main { display: grid; grid-template-columns: 1fr 1fr; column-gap: 2.5rem; align-items: start }
  dl, .remark, .wide { grid-column: 1 / -1 }
  section { min-width: 0 }
}
@media print {
  body { max-width: none; padding: 0 }
  .numbers { max-height: none; overflow: visible }
  thead th { position: static }
  tr, .chart, h2 { break-inside: avoid; break-after: auto }
  h2 { break-after: avoid }
}
`;
