/** The progress of one campaign as lines for a terminal: a bar of its contacts, its pace, its hours and its last calls. */
import type { RecentCall } from '../../../campaigns/attribution/attribution.ts';
import type { Progress } from '../../../campaigns/progress/progress.ts';
import { columnOf } from '../../../cli/terminal/charts.ts';
import {
  countsInWords,
  type Drawing,
  drawStateCounts,
  drawStatesBar,
  drawTitle,
} from '../../../cli/terminal/drawing.ts';
import { cell } from '../../../cli/terminal/output.ts';
import { painted } from '../../../cli/terminal/table.ts';
import { colourOf, labelInWords } from '../../../cli/terminal/words.ts';
import { localIsoTime } from '../../../text/iso.ts';
import { counted, grouped, percent, plural } from '../../../text/numbers.ts';
import { HOUR, MINUTE } from '../../../text/units.ts';
import { distance, inUnits, shortTime } from '../../../text/when.ts';
import { shortened, widthOf, wrap } from '../../../text/width.ts';

/** One campaign in full, and several in a few lines each: as many as fit. */
export function drawAll(campaigns: readonly Progress[], drawing: Drawing): string[] {
  const [only, second] = campaigns;
  if (only === undefined) return [];
  if (second === undefined) return drawProgress(only, drawing);
  const blocks = campaigns.map((campaign, at) => [...(at === 0 ? [] : ['']), ...drawBriefly(campaign, drawing)]);
  const { height, width, mark } = drawing;
  const lines: string[] = [];
  for (const [at, block] of blocks.entries()) {
    const rest = blocks.length - at;
    const isLast = rest === 1;
    if (lines.length + block.length > (isLast ? height : height - 1)) {
      lines.push(shortened(`and ${counted(rest, 'more campaign')}`, width, mark));
      break;
    }
    lines.push(...block);
  }
  return lines.slice(0, Math.max(0, height));
}

/** As many lines as fit, the most important ones; each at most as wide as the terminal. */
export function drawProgress(progress: Progress, drawing: Drawing): string[] {
  const { width, height } = drawing;
  const counts = drawStateCounts(progress.tally.states, drawing);
  const facts = factsOf(progress).flatMap((fact) => wrap(fact, width));
  const lines = [titleOf(progress, drawing), drawBar(progress, drawing), ...counts, ...facts];
  const hours = drawHours(progress, drawing);
  const calls = drawLastCalls(progress, drawing);
  const room = height - lines.length;
  // Each is set off by an empty line, and some calls are worth more than the hours.
  const hasHours = hours.length > 0 && (room >= hours.length + 1 + Math.min(calls.length, 4) || calls.length === 0);
  if (hasHours) lines.push('', ...hours);
  const left = height - lines.length - 1;
  if (calls.length > 0 && left >= 2) lines.push('', ...calls.slice(0, left));
  return lines.slice(0, Math.max(0, height));
}

/** Three lines for one of several campaigns. */
export function drawBriefly(progress: Progress, drawing: Drawing): string[] {
  const { width, mark } = drawing;
  const { reached, waiting } = progress.tally.states;
  const parts = [`reached ${grouped(reached)}`, `waiting ${grouped(waiting)}`, ...factsOf(progress)];
  return [titleOf(progress, drawing), drawBar(progress, drawing), shortened(parts.join(' · '), width, mark)];
}

/** `Spring · campaign 12 · running since 20 Nov 10:05`; without the id where there is no room, and then the name is cut. */
function titleOf({ name, campaignId, phase, reason, start, at, tally }: Progress, drawing: Drawing): string {
  const since = shortTime(tally.firstCall ?? start, at).trimStart();
  const phases = {
    scheduled: `begins ${since}`,
    running: `running since ${since}`,
    paused: `paused${reason === undefined ? '' : `: ${labelInWords(reason)}`}`,
    over: `over, began ${since}`,
  };
  return drawTitle(name, [` · campaign ${campaignId} · ${phases[phase]}`, ` · ${phases[phase]}`], drawing);
}

function drawBar({ tally, phase }: Progress, drawing: Drawing): string {
  return drawStatesBar(tally.states, phase === 'over', drawing);
}

/** `Spring, campaign 12: 90 reached, …; 164 calls, …` */
export function inOneLine({ name, campaignId, tally, ...rest }: Progress, redact: (text: string) => string): string {
  const facts = factsOf({ name, campaignId, tally, ...rest });
  return `${cell(redact(name))}, campaign ${campaignId}: ${[countsInWords(tally.states), ...facts].join('; ')}`;
}

/** Its pace and its end. */
function factsOf(progress: Progress): string[] {
  const { tally, at, phase, callsPerHour, latestFinish } = progress;
  const ambiguous =
    tally.ambiguous === 0 ? '' : ` (${counted(tally.ambiguous, 'uncertain match', 'uncertain matches')})`;
  const attempts = `${grouped(tally.attempts)} ${plural(tally.attempts, 'call')}${ambiguous}`;
  if (phase === 'over') {
    const last =
      tally.lastCall === undefined ? 'nobody was called' : `the last ${shortTime(tally.lastCall, at).trim()}`;
    return [`${attempts}, ${last}`];
  }
  const pace = `${attempts}${recently(progress)}, at most ${grouped(callsPerHour)} an hour`;
  if (progress.expectedFinish === undefined) return [pace];
  const finish = `ends about ${shortTime(progress.expectedFinish, at).trim()} (${distance(progress.expectedFinish, at)})`;
  const latest = latestFinish > progress.expectedFinish ? `, at the latest ${shortTime(latestFinish, at).trim()}` : '';
  return [pace, `${finish}${latest}`];
}

/** The first hour is not yet an hour. */
function recently({ tally: { firstCall }, at, callsLastHour }: Progress): string {
  if (firstCall === undefined || at - firstCall < MINUTE) return '';
  if (at - firstCall >= HOUR) return `, ${grouped(callsLastHour)} in the last hour`;
  return ` in ${Math.floor((at - firstCall) / MINUTE)} min`;
}

// By the hour ---------------------------------------------------------------------------------------------------------

const MOST_HOURS = 72;

/** `Reached 61.2 %  ▁▃▅▆ ▇▅  10:00 to 17:00, by hour`. The last hours, as many as fit; nothing before the first call. */
function drawHours({ tally: { byHour, attempts }, at }: Progress, { width }: Drawing): string[] {
  const hours = [...byHour.keys()];
  if (hours.length === 0 || attempts === 0) return [];
  const first = hours.reduce((least, hour) => Math.min(least, hour));
  const last = hours.reduce((most, hour) => Math.max(most, hour));
  const reached = [...byHour.values()].reduce((sum, hour) => sum + hour.reached, 0);
  const label = `Reached ${percent(reached / attempts)}  `;
  const clock = (hour: number) => shortTime(hour, at).slice(-5);
  const room = Math.min(MOST_HOURS, width - label.length);
  if (room < 1) return [label.trim().slice(0, width)];
  const shown = Math.min(room, Math.round((last - first) / HOUR) + 1);
  const begin = last - (shown - 1) * HOUR;
  const bars = Array.from({ length: shown }, (_none, index) => {
    const { calls = 0, reached = 0 } = byHour.get(begin + index * HOUR) ?? {};
    return calls === 0 ? ' ' : columnOf(reached, calls);
  }).join('');
  const caption = `  by hour, from ${clock(begin)}`;
  const line = `${label}${bars}`;
  return [line.length + caption.length <= width ? line + caption : line];
}

// The last calls ------------------------------------------------------------------------------------------------------

const GAP = 2;
/** The least that is left of an outcome. */
const LEAST = 8;
/** What a service sends in place of a number or a status may be of any length. */
const WIDEST_CELL = 20;

/** A heading, then the latest call first. */
function drawLastCalls({ lastCalls }: Progress, drawing: Drawing): string[] {
  if (lastCalls.length === 0) return [];
  const { width, hasColours, mark } = drawing;
  const rows = lastCalls.map((call) => cellsOf(call, drawing));
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
  // Without room for all, the duration goes first, then the time.
  const columns = [[0, 1, 2, 3], [0, 1, 2], [1, 2], [1]].find((some) => lengthOf(some, widths) <= width) ?? [];
  if (columns.length === 0) return [];
  const left = width - lengthOf(columns, widths) - GAP;
  const lines = rows.map((row, at) => {
    const shown = columns.map((column) => {
      const text = row[column] ?? '';
      const space = ' '.repeat((widths[column] ?? 0) - widthOf(text));
      if (column === DURATION) return space + text;
      const colour = column === STATUS && hasColours ? colourOf('call_status', lastCalls[at]?.status) : undefined;
      return painted(text, colour) + space;
    });
    const outcome = left >= LEAST && columns.length === 4 ? [shortened(row[OUTCOME] ?? '', left, mark)] : [];
    return [...shown, ...outcome].join(' '.repeat(GAP)).trimEnd();
  });
  return [shortened('Last calls', width, mark), ...lines];
}

const STATUS = 2;
const DURATION = 3;
const OUTCOME = 4;

function cellsOf({ at, number, status, duration, outcome }: RecentCall, { redact, mark }: Drawing): string[] {
  const short = (text: string) => shortened(text, WIDEST_CELL, mark);
  return [
    // With seconds: at a high pace, calls come in the same minute.
    localIsoTime(at).slice(11, 19),
    short(cell(redact(number))),
    short(labelInWords(redact(status))),
    duration === undefined ? '' : inUnits(Math.round(duration)),
    labelInWords(redact(outcome)),
  ];
}

function lengthOf(columns: readonly number[], widths: readonly number[]): number {
  return columns.reduce((sum, column) => sum + (widths[column] ?? 0), GAP * Math.max(0, columns.length - 1));
}
