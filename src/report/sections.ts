/** The sections of the report: what each chart shows, and the numbers below it. */
import { byFrequency, daysIn, periods, type Statistics } from '../calls/statistics.ts';
import { grouped, percent } from '../text/numbers.ts';
import { barChart, heatMap, type Theme } from './charts.ts';
import { plain } from './html.ts';

/** The SVGs' units: two narrow charts are placed side by side if there is room. */
const NARROW = 480;
const WIDE = 980;
/** Labels and agents in a chart, and columns in a chart of days; `logs stats --json` shows all. */
const MAX_BARS = 12;
const MAX_PERIODS = 92;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
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

function listed(items: readonly string[]): string {
  return items.join(', ');
}
