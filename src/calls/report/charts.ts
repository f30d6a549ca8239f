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

/** Colours on a light page: of text, of the lines between the values, of what is counted, and of what is stacked on it. */
const TEXT = '#414b5a';
const RULE = '#e1e5ea';
const SERIES = ['#2468a8', '#b9c4d0'];
/** From the lowest value to the highest; and for no calls. */
const HEAT = ['#cfe2f3', '#86b5de', '#3f83c0', '#174a7c'];
const NONE = '#f4f6f8';

/** The same on a dark page. */
const DARK: Record<string, string> = {
  [TEXT]: '#b8c1cd',
  [RULE]: '#303844',
  '#2468a8': '#6cabe6',
  '#b9c4d0': '#4c5868',
  '#cfe2f3': '#1d3b57',
  '#86b5de': '#2c659b',
  '#3f83c0': '#4f9add',
  '#174a7c': '#b5dbff',
  [NONE]: '#1c222b',
};

/** A chart in the colours for a dark page. */
export function darkened(svg: string): string {
  return svg.replace(/#[0-9a-f]{6}/g, (colour) => DARK[colour] ?? colour);
}

export interface Series {
  name: string;
  values: readonly number[];
}

const WORDS = { color: TEXT, fontSize: FONT_SIZE };
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
): string {
  const hasLegend = series.length > 1;
  const categories = {
    type: 'category',
    data: labels,
    silent: true,
    inverse: isLying,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: RULE } },
    axisLabel: isLying ? { ...WORDS, width: width * 0.4, overflow: 'truncate', interval: 0 } : WORDS,
  };
  const values = {
    type: 'value',
    silent: true,
    minInterval: 1,
    splitNumber: 4,
    splitLine: { lineStyle: { color: RULE } },
    axisLabel: { ...WORDS, formatter: compact },
  };
  const option = {
    legend: { show: hasLegend, silent: true, left: 0, top: 0, itemHeight: 10, itemWidth: 14, textStyle: WORDS },
    grid: { ...AROUND_LABELS, left: 4, right: isLying ? 64 : 16, top: hasLegend ? 36 : 12, bottom: 4 },
    xAxis: isLying ? values : categories,
    yAxis: isLying ? categories : values,
    series: series.map(({ name, values: data }, at) => ({
      type: 'bar',
      name,
      data,
      silent: true,
      stack: 'all',
      color: SERIES[at],
      barMaxWidth: 34,
      barCategoryGap: '24%',
      label: {
        ...WORDS,
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
): string {
  const axis = {
    type: 'category',
    silent: true,
    axisTick: { show: false },
    axisLine: { show: false },
    splitArea: { show: false },
    axisLabel: WORDS,
  };
  const most = Math.max(1, ...values.flat());
  const option = {
    grid: { ...AROUND_LABELS, left: 4, right: 16, top: 4, bottom: 36 },
    xAxis: { ...axis, data: columns },
    yAxis: { ...axis, data: rows, inverse: true },
    visualMap: {
      type: 'piecewise',
      selectedMode: false,
      orient: 'horizontal',
      left: 'center',
      bottom: 0,
      itemGap: 18,
      textStyle: WORDS,
      pieces: heatPieces(most),
    },
    series: [
      {
        type: 'heatmap',
        silent: true,
        data: values.flatMap((row, y) => row.map((value, x) => [x, y, value])),
        itemStyle: { borderWidth: 1, borderColor: RULE },
      },
    ],
  };
  return draw(option, width, HEIGHT + 40);
}

/** One colour for none, and four steps up to the highest value; fewer if that value is small. */
function heatPieces(most: number) {
  const steps = HEAT.map((color, at) => ({ color, max: Math.floor((most * (at + 1)) / HEAT.length) }));
  const pieces = steps.flatMap(({ color, max }, at) => {
    const min = (steps[at - 1]?.max ?? 0) + 1;
    if (max < min) return [];
    return [{ min, max, color, label: min === max ? compact(min) : `${compact(min)}–${compact(max)}` }];
  });
  return [{ value: 0, color: NONE, label: 'none' }, ...pieces];
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
