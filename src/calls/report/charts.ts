/** Charts as SVG, drawn by ECharts without a browser. */
import { BarChart, HeatmapChart } from 'echarts/charts';
import { GridComponent, LegendComponent, VisualMapComponent } from 'echarts/components';
import { type EChartsCoreOption, init, setPlatformAPI, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { grouped } from '../../text/numbers.ts';

use([BarChart, HeatmapChart, GridComponent, LegendComponent, VisualMapComponent, SVGRenderer]);

/** The size of all text, in the SVGs' units. */
const FONT_SIZE = 13;

// The reader's font is unknown here, so there is room for a wide one, and for the square characters of East Asia.
setPlatformAPI({
  measureText: (text = '') => ({
    width: FONT_SIZE * [...text].reduce((em, letter) => em + (letter < '⺀' ? 0.64 : 1), 0),
  }),
});

export interface Theme {
  text: string;
  /** The lines between the values. */
  rule: string;
  /** The colours of what is counted, and of what is stacked on it. */
  series: readonly [string, string];
  /** From the lowest value to the highest; `none` is the colour for no calls. */
  heat: readonly string[];
  none: string;
}

export const LIGHT: Theme = {
  text: '#414b5a',
  rule: '#e1e5ea',
  series: ['#2468a8', '#b9c4d0'],
  heat: ['#cfe2f3', '#86b5de', '#3f83c0', '#174a7c'],
  none: '#f4f6f8',
};

export const DARK: Theme = {
  text: '#b8c1cd',
  rule: '#303844',
  series: ['#6cabe6', '#4c5868'],
  heat: ['#1d3b57', '#2c659b', '#4f9add', '#b5dbff'],
  none: '#1c222b',
};

export interface Series {
  name: string;
  values: readonly number[];
}

const HEIGHT = 260;
const LYING_BAR = 30;
/** The margins of a grid do not include its labels. */
const AROUND_LABELS = { outerBoundsMode: 'same', outerBoundsContain: 'all' };

/**
 * A bar for each label; the second of two series is stacked on the first. `width` in the SVG's units; bars that are lying are one
 * below the other, with room for long labels.
 */
export function barChart(
  labels: readonly string[],
  series: readonly Series[],
  { width, isLying = false }: { width: number; isLying?: boolean },
  theme: Theme,
): string {
  const hasLegend = series.length > 1;
  const text = { color: theme.text, fontSize: FONT_SIZE };
  const categories = {
    type: 'category',
    data: labels,
    silent: true,
    inverse: isLying,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: theme.rule } },
    axisLabel: isLying ? { ...text, width: width * 0.4, overflow: 'truncate', interval: 0 } : text,
  };
  const values = {
    type: 'value',
    silent: true,
    minInterval: 1,
    splitNumber: 4,
    splitLine: { lineStyle: { color: theme.rule } },
    axisLabel: { ...text, formatter: compact },
  };
  const option = {
    legend: { show: hasLegend, silent: true, left: 0, top: 0, itemHeight: 10, itemWidth: 14, textStyle: text },
    grid: { ...AROUND_LABELS, left: 4, right: isLying ? 64 : 16, top: hasLegend ? 36 : 12, bottom: 4 },
    xAxis: isLying ? values : categories,
    yAxis: isLying ? categories : values,
    series: series.map(({ name, values: data }, at) => ({
      type: 'bar',
      name,
      data,
      silent: true,
      stack: 'all',
      color: theme.series[at],
      barMaxWidth: 34,
      barCategoryGap: '24%',
      label: {
        ...text,
        show: isLying && !hasLegend,
        position: 'right',
        formatter: ({ value }: { value: number }) => grouped(value),
      },
    })),
  };
  const height = isLying ? labels.length * LYING_BAR + (hasLegend ? 64 : 40) : HEIGHT;
  return draw(option, width, height);
}

/**
 * A cell for each value, in `rows` rows from top to bottom: the higher the value, the more its colour differs from the page's.
 */
export function heatMap(
  columns: readonly string[],
  rows: readonly string[],
  values: readonly (readonly number[])[],
  width: number,
  theme: Theme,
): string {
  const text = { color: theme.text, fontSize: FONT_SIZE };
  const axis = {
    type: 'category',
    silent: true,
    axisTick: { show: false },
    axisLine: { show: false },
    splitArea: { show: false },
    axisLabel: text,
  };
  const most = Math.max(1, ...values.flat());
  const option = {
    grid: { ...AROUND_LABELS, left: 4, right: 16, top: 4, bottom: 36 },
    xAxis: { ...axis, data: columns },
    yAxis: { ...axis, data: rows, inverse: true },
    visualMap: {
      type: 'piecewise',
      orient: 'horizontal',
      left: 'center',
      bottom: 0,
      itemGap: 18,
      textStyle: text,
      pieces: heatPieces(most, theme),
    },
    series: [
      {
        type: 'heatmap',
        silent: true,
        data: values.flatMap((row, y) => row.map((value, x) => [x, y, value])),
        itemStyle: { borderWidth: 1, borderColor: theme.rule },
      },
    ],
  };
  return draw(option, width, HEIGHT + 40);
}

/** One colour for none, and four steps up to the highest value; fewer if that value is small. */
function heatPieces(most: number, { heat, none }: Theme) {
  const steps = heat.map((color, at) => ({ color, max: Math.floor((most * (at + 1)) / heat.length) }));
  const pieces = steps.flatMap(({ color, max }, at) => {
    const min = (steps[at - 1]?.max ?? 0) + 1;
    if (max < min) return [];
    return [{ min, max, color, label: min === max ? compact(min) : `${compact(min)}–${compact(max)}` }];
  });
  return [{ value: 0, color: none, label: 'none' }, ...pieces];
}

function compact(value: number): string {
  return value.toLocaleString('en-US', { notation: value < 10_000 ? 'standard' : 'compact', maximumFractionDigits: 1 });
}

function draw(option: EChartsCoreOption, width: number, height: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: 'inherit' }, ...option });
    return chart.renderToSVGString({ useViewBox: true });
  } finally {
    chart.dispose();
  }
}
