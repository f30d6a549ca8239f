/** Statistics as one HTML page: charts and the numbers below them, no script, nothing to fetch. */

import { grouped, percent } from '../../text/numbers.ts';
import type { Statistics } from '../statistics.ts';
import { DARK, LIGHT } from './charts.ts';
import { plain, type Row, type Section, sectionsOf } from './sections.ts';
import { STYLE } from './style.ts';

/** Rows in a table; `logs stats --json` shows all. */
const MAX_ROWS = 400;

/** `filters`: the flags that selected which calls were counted. */
export function renderPage(statistics: Statistics, filters: readonly string[]): string {
  const { calls, by_day } = statistics;
  const span = by_day.length === 0 ? '' : `${by_day[0]?.date} to ${by_day.at(-1)?.date}, `;
  const sections = calls === 0 ? [] : sectionsOf(statistics);
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

function seconds(count: number): string {
  return `${grouped(count)} s`;
}

/** Hours, minutes and seconds. */
function clock(total: number): string {
  const [minutes, rest] = [Math.floor(total / 60), total % 60];
  if (minutes < 60) return `${minutes} min ${rest} s`;
  return `${grouped(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function html(text: string): string {
  return plain(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
