/** The progress of one campaign as lines for a terminal: a bar of its contacts, its pace, its hours and its last calls. */
import { CONTACT_STATES, type ContactState } from '../../../calls/attribution/states.ts';
import type { Progress } from '../../../calls/progress/progress.ts';
import { HOUR } from '../../../calls/progress/recent-calls.ts';
import { cell } from '../../../terminal/output.ts';
import { labelInWords } from '../../../terminal/words.ts';
import { grouped } from '../../../text/numbers.ts';
import { distance, shortTime } from '../../../text/when.ts';
import { shortened, wrap } from '../../../text/width.ts';
import { drawStateCounts, drawStatesBar, type SignedCount } from '../../shared/draw-states.ts';
import { type Drawing, drawTitle } from '../../shared/drawing.ts';
import { drawHours } from './draw-hours.ts';
import { drawLastCalls } from './draw-last-calls.ts';

/** The signs differ without colours too. Those for who was called in vain are one. */
const SIGNS: Record<ContactState, string> = {
  ...{ reached: '█', voicemail: '▓', busy: '▒', no_answer: '▒', failed: '▒', waiting: '░', never_called: '░' },
};
/** In characters. */
const WIDEST = 100;
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
  const since = shortTime(tally.firstCall ?? start, at).trimStart();
  const phases = {
    scheduled: `begins ${since}`,
    running: `running since ${since}`,
    paused: `paused${reason === undefined ? '' : `: ${labelInWords(reason)}`}`,
    over: `over, began ${since}`,
  };
  return drawTitle(name, [` · campaign ${campaignId} · ${phases[phase]}`, ` · ${phases[phase]}`], drawing);
}

function drawBar({ tally, phase }: Progress, width: number, { hasColours }: Drawing): string {
  const { contacts, states } = tally;
  const done = contacts - states.waiting;
  return drawStatesBar(signed(states), { done, contacts, isOver: phase === 'over' }, { width, hasColours });
}

/** Nobody waits for what is not in the list. */
function drawCounts({ tally: { states } }: Progress, drawing: Drawing): string[] {
  return drawStateCounts(
    signed(states).filter(({ state, count }) => count > 0 || state !== 'never_called'),
    drawing,
  );
}

function signed(states: Record<ContactState, number>): SignedCount[] {
  return CONTACT_STATES.map((state) => ({ state, sign: SIGNS[state], count: states[state] }));
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
