/** The sections of the report: what each chart shows, and the numbers below it. */

import { grouped, percent } from '../../text/numbers.ts';
import { agentShares, bandShares, daysIn, labelShares, periods, type Share, type Statistics } from '../statistics.ts';
import { barChart, heatMap, type Series, type Theme } from './charts.ts';

/** The SVGs' units: two narrow charts are placed side by side if there is room. */
const NARROW = 480;
const WIDE = 980;
/** Labels and agents in a chart, and columns in a chart of days; `logs stats --json` shows all. */
const MAX_BARS = 12;
const MAX_PERIODS = 92;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const WEEKDAY_LABELS = WEEKDAYS.map((day) => day.slice(0, 3));
const HOURS = Array.from({ length: 24 }, (_none, hour) => String(hour).padStart(2, '0'));

export interface Section {
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
export type Row = readonly [string, ...string[]];

export function sectionsOf(statistics: Statistics): Section[] {
  const { by_status, by_outcome, by_day, duration_bands, by_agent } = statistics;
  return [
    labels('Status', labelShares(by_status)),
    labels('Outcome', labelShares(by_outcome)),
    ...(by_day.length === 0 ? [] : [days(statistics), hours(statistics)]),
    ...(duration_bands.length === 0 ? [] : [durations(bandShares(duration_bands))]),
    ...(by_day.length === 0 ? [] : [weekdays(statistics)]),
    agents(agentShares(by_agent)),
  ];
}

function labels(title: string, shares: readonly Share[]): Section {
  const others = shares.length > MAX_BARS ? shares.slice(MAX_BARS - 1) : [];
  const shown = shares.slice(0, shares.length - others.length).map(({ label, calls }) => ({ label, calls }));
  if (others.length > 0) {
    shown.push({ label: `${others.length} others`, calls: others.reduce((sum, { calls }) => sum + calls, 0) });
  }
  return { title, ...shareOfCalls('Bars', shown, [title, shares]) };
}

function durations(shares: readonly Share[]): Section {
  return { title: 'Duration of completed calls', ...shareOfCalls('Bars by seconds', shares, ['Duration', shares]) };
}

/** What is `shown` as bars, and below them all shares under a name. */
function shareOfCalls(
  bars: string,
  shown: readonly Omit<Share, 'share'>[],
  [name, shares]: [string, readonly Share[]],
): Omit<Section, 'title'> {
  return {
    alt: `${bars}: ${shown.map(({ label, calls }) => `${label} ${grouped(calls)}`).join(', ')}.`,
    chart: lyingBars(shown, callsOf),
    head: [name, 'Calls', 'Share'],
    rows: shares.map(({ label, calls, share }) => [label, grouped(calls), percent(share)]),
  };
}

function agents(shares: readonly (Share & { completed: number })[]): Section {
  const shown = shares.slice(0, MAX_BARS);
  return {
    title: 'Agents',
    ...(shares.length > shown.length ? { about: `The chart shows the ${shown.length} with the most calls.` } : {}),
    alt: `Bars: ${shown.map(({ label, calls }) => `agent ${plain(label)} ${grouped(calls)} calls`).join(', ')}.`,
    chart: lyingBars(shown, completedAndOthers),
    head: ['Agent', 'Calls', 'Completed', 'Answered'],
    rows: shares.map(({ label, calls, completed, share }) => {
      return [plain(label), grouped(calls), grouped(completed), percent(share)];
    }),
  };
}

function lyingBars<T extends { label: string }>(
  shown: readonly T[],
  seriesOf: (shown: readonly T[]) => Series[],
): Section['chart'] {
  const names = shown.map(({ label }) => plain(label));
  return (theme) => barChart(names, seriesOf(shown), { width: NARROW, isLying: true }, theme);
}

function callsOf(counts: readonly { calls: number }[]): Series[] {
  return [{ name: 'Calls', values: counts.map(({ calls }) => calls) }];
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
  const labels = shown.map(({ first }) => first);
  return {
    title: 'Calls by day',
    ...(length > 1 ? { about: `A column stands for ${length} days.` } : {}),
    isWide: true,
    alt: `Columns from ${shown[0]?.first} to ${shown.at(-1)?.last}; the highest, ${grouped(most.calls)} calls, at ${most.first}.`,
    chart: (theme) => barChart(labels, completedAndOthers(shown), { width: WIDE }, theme),
    head: ['Day', 'Calls', 'Completed', 'Answered'],
    rows: by_day.map(({ date, calls, completed }) => {
      return [date, grouped(calls), grouped(completed), percent(completed / calls)];
    }),
  };
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
    chart: (theme) => heatMap(HOURS, WEEKDAY_LABELS, by_weekday_hour, WIDE, theme),
    head: ['Weekday', ...HOURS],
    rows: by_weekday_hour.map((row, weekday) => [WEEKDAYS[weekday] ?? '', ...row.map(grouped)]),
  };
}

/** One line without control characters, some of which are not allowed in HTML. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
