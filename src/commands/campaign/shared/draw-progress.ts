/** The progress of one campaign as lines for a terminal: a bar of its contacts, its pace, its hours and its last calls. */
import { CONTACT_STATES, type ContactState } from '../../../calls/attribution/states.ts';
import type { Progress } from '../../../calls/progress/progress.ts';
import { HOUR } from '../../../calls/progress/recent-calls.ts';
import { cell } from '../../../terminal/output.ts';
import { painted } from '../../../terminal/table.ts';
import { colourOf, labelInWords } from '../../../terminal/words.ts';
import { grouped } from '../../../text/numbers.ts';
import { distance, shortTime } from '../../../text/when.ts';
import { shortened, widthOf, wrap } from '../../../text/width.ts';
import { drawHours } from './draw-hours.ts';
import { drawLastCalls } from './draw-last-calls.ts';

export interface Drawing {
  /** Characters to a line. */
  width: number;
  /** The most lines. */
  height: number;
  hasColours: boolean;
  /** Stands for what was cut off. */
  mark: string;
  /** Masks keys, before a text is cut: nobody would know the rest of one. */
  redact: (text: string) => string;
}

/** The signs differ without colours too. Those for who was called in vain are one. */
const SIGNS: Record<ContactState, string> = {
  ...{ reached: '█', voicemail: '▓', busy: '▒', no_answer: '▒', failed: '▒', waiting: '░', never_called: '░' },
};
/** In characters. */
const WIDEST = 100;
const NARROWEST_NAME = 8;
const MINUTE = 60_000;

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
      lines.push(shortened(`and ${rest} more campaigns`, width, mark));
      break;
    }
    lines.push(...block);
  }
  return lines.slice(0, Math.max(0, height));
}

/** As many lines as fit, the most important ones; each at most as wide as the terminal. */
export function drawProgress(progress: Progress, drawing: Drawing): string[] {
  const { width, height } = drawing;
  const counts = drawCounts(progress, drawing);
  const facts = factsOf(progress).flatMap((fact) => wrap(fact, width));
  const lines = [titleOf(progress, drawing), drawBar(progress, Math.min(width, WIDEST), drawing), ...counts, ...facts];
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
  const bar = drawBar(progress, Math.min(width, WIDEST), drawing);
  return [titleOf(progress, drawing), bar, shortened(parts.join(' · '), width, mark)];
}

/** `Spring · campaign 12 · running since 20 Nov 10:05`; without the id where there is no room, and then the name is cut. */
function titleOf({ name, campaignId, phase, reason, start, at, tally }: Progress, drawing: Drawing): string {
  const { width, mark, redact, hasColours } = drawing;
  const since = shortTime(tally.firstCall ?? start, at).trimStart();
  const phases = {
    scheduled: `begins ${since}`,
    running: `running since ${since}`,
    paused: `paused${reason === undefined ? '' : `: ${labelInWords(reason)}`}`,
    over: `over, began ${since}`,
  };
  const whole = cell(redact(name));
  const inFull = ` · campaign ${campaignId} · ${phases[phase]}`;
  const rest = widthOf(whole + inFull) <= width ? inFull : ` · ${phases[phase]}`;
  const plain = shortened(whole, Math.max(NARROWEST_NAME, width - widthOf(rest)), mark);
  const shown = shortened(plain + rest, width, mark);
  if (!hasColours || !shown.startsWith(plain)) return shown;
  return painted(plain, 1) + shown.slice(plain.length);
}

/** `████████▓▓▒▒░░░░░░  62 %` */
function drawBar({ tally, phase }: Progress, width: number, { hasColours }: Drawing): string {
  const { contacts, states } = tally;
  // Rounded down, so that only a campaign that is over shows 100 %.
  const done = contacts - states.waiting;
  const share = contacts === 0 ? 100 : Math.floor((100 * done) / contacts);
  const percent = ` ${String(phase === 'over' ? share : Math.min(share, 99)).padStart(3)} %`;
  const room = width - percent.length;
  if (room < 1) return percent.trim().slice(0, Math.max(0, width));
  const cells = cellsOf(
    CONTACT_STATES.map((state) => states[state]),
    room,
  );
  const segments = CONTACT_STATES.map((state, at) => {
    const drawn = SIGNS[state].repeat(cells[at] ?? 0);
    return hasColours ? painted(drawn, colourOf('state', state)) : drawn;
  });
  return segments.join('') + percent;
}

/** Shares a width out among counts: at least one for any count at all, so that few do not look like none. */
function cellsOf(counts: readonly number[], width: number): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return counts.map(() => 0);
  const cells = counts.map((count) => (count === 0 ? 0 : Math.max(1, Math.floor((count * width) / total))));
  // What is too much or missing is the largest's, which shows it least.
  for (let left = width - cells.reduce((sum, count) => sum + count, 0); left !== 0; ) {
    const largest = cells.indexOf(Math.max(...cells));
    const change = Math.max(left, -(cells[largest] as number));
    cells[largest] = (cells[largest] as number) + change;
    left -= change;
  }
  return cells;
}

/** `█ reached 120  ▓ voicemail 14  …` in as many lines as it takes. Nobody waits for what is not in the list. */
function drawCounts({ tally: { states } }: Progress, { width, hasColours }: Drawing): string[] {
  const lines: string[] = [];
  let line = '';
  let filled = 0;
  for (const state of CONTACT_STATES) {
    if (states[state] === 0 && state === 'never_called') continue;
    const text = `${labelInWords(state)} ${grouped(states[state])}`;
    const needed = 2 + text.length;
    if (line !== '' && filled + 2 + needed > width) {
      lines.push(line);
      line = '';
      filled = 0;
    }
    const sign = hasColours ? painted(SIGNS[state], colourOf('state', state)) : SIGNS[state];
    const isFirst = line === '';
    line += needed > width ? shortened(text, width, '') : `${isFirst ? '' : '  '}${sign} ${text}`;
    filled += (isFirst ? 0 : 2) + needed;
  }
  return [...lines, line];
}

/** `Spring, campaign 12: reached 90, …; 164 calls, …` */
export function inOneLine({ name, campaignId, tally, ...rest }: Progress, redact: (text: string) => string): string {
  const counts = CONTACT_STATES.flatMap((state) =>
    tally.states[state] === 0 ? [] : [`${labelInWords(state)} ${grouped(tally.states[state])}`],
  );
  const facts = factsOf({ name, campaignId, tally, ...rest });
  return `${cell(redact(name))}, campaign ${campaignId}: ${[counts.join(', '), ...facts].join('; ')}`;
}

/** Its pace and its end. */
function factsOf(progress: Progress): string[] {
  const { tally, at, phase, callsPerHour, latestFinish } = progress;
  const ambiguous = tally.ambiguous === 0 ? '' : ` (${grouped(tally.ambiguous)} ambiguous)`;
  const attempts = `${grouped(tally.attempts)} ${tally.attempts === 1 ? 'call' : 'calls'}${ambiguous}`;
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
