/** A plan as lines for a terminal: a bar of its contacts, its calls, what it does next and why, and the coming day. */
import { CONTACT_STATES, type ContactState } from '../../../plans/roster.ts';
import { cell } from '../../../terminal/output.ts';
import { inWords, labelInWords } from '../../../terminal/words.ts';
import { grouped, percent } from '../../../text/numbers.ts';
import { distance, shortTime, timeAndDistance } from '../../../text/when.ts';
import { wrap } from '../../../text/width.ts';
import { drawStateCounts, drawStatesBar, type SignedCount } from '../../shared/draw-states.ts';
import { type Drawing, drawTitle } from '../../shared/drawing.ts';
import { drawDay } from './draw-day.ts';
import { isNeglected, type PlanLook } from './plan-look.ts';
import type { WaveRecord } from './plan-record.ts';
import { PLAN_SIGNS, whyInWords } from './plan-words.ts';

/** From the left of the bar: those for whom the plan is over, those who are called, those to be called. */
const ORDER: readonly ContactState[] = [
  ...(['reached', 'exhausted', 'unseen', 'excluded', 'left', 'handed', 'again', 'new'] as const),
];
/** In characters. */
const WIDEST = 100;

/** As many lines as fit, the most important ones; each at most as wide as the terminal. */
export function drawPlan(look: PlanLook, drawing: Drawing): string[] {
  const { width, height, redact } = drawing;
  const { plan_id, plan_name, state, contacts: counts } = look.record;
  const contacts = CONTACT_STATES.reduce((sum, one) => sum + (counts[one] ?? 0), 0);
  const left = (['new', 'handed', 'again'] as const).reduce((sum, one) => sum + (counts[one] ?? 0), 0);
  const done = { done: contacts - left, contacts, isOver: left === 0 };
  const signed = countsOf(look);
  const lines = [
    drawTitle(plan_name, [` · plan ${plan_id} · ${state}`, ` · ${state}`], drawing),
    drawStatesBar(signed, done, { ...drawing, width: Math.min(width, WIDEST) }),
    ...drawStateCounts(signed.filter(isShown), drawing),
    ...factsOf(look, redact).flatMap((fact) => wrap(fact, width)),
  ];
  const day = drawDay(look.day, drawing);
  if (day.length > 0 && lines.length + 1 + day.length <= height) lines.push('', ...day);
  return lines.slice(0, Math.max(0, height));
}

/** `Spring, plan 3, open: reached 90, …; 164 calls, …` */
export function planInOneLine(look: PlanLook, redact: (text: string) => string): string {
  const { plan_id, plan_name, state } = look.record;
  const counts = countsOf(look).flatMap((one) =>
    one.count === 0 ? [] : [`${labelInWords(one.state)} ${grouped(one.count)}`],
  );
  const name = `${cell(redact(plan_name))}, plan ${plan_id}, ${state}`;
  return `${name}: ${[counts.join(', '), ...factsOf(look, redact)].join('; ')}`;
}

function countsOf({ record: { contacts } }: PlanLook): SignedCount[] {
  return ORDER.map((state) => ({ state, sign: PLAN_SIGNS[state], count: contacts[state] ?? 0 }));
}

/** The states of every plan, and what is not as it should be. */
function isShown({ state, count }: SignedCount): boolean {
  return count > 0 || ['new', 'handed', 'again', 'reached', 'exhausted'].includes(state);
}

function factsOf(look: PlanLook, redact: (text: string) => string): string[] {
  const { at, record, running } = look;
  const { reason, next } = record;
  const facts = [callsOf(look), ...moneyOf(look), ...running.slice(-1).map((wave) => waveInWords(wave, at))];
  if (running.length > 1) {
    const calls = running.slice(0, -1).reduce((sum, { contacts, seen }) => sum + contacts - seen, 0);
    facts.push(`${callsInWords(calls)} of earlier waves not seen yet`);
  }
  if (reason !== '') facts.push(cell(redact(reason)));
  if (next !== null) {
    const nextAt = Date.parse(next.at);
    const when = nextAt <= at ? 'now' : `next: ${timeAndDistance(nextAt, at)}`;
    facts.push(`${when}, ${whyInWords(next.why)}`);
  }
  facts.push(...runInWords(look));
  return facts;
}

/** `164 calls in 12 waves, 61.2 % of the last 50 answered`. */
function callsOf({ record: { attempts }, waves, latest }: PlanLook): string {
  const answered =
    latest === undefined
      ? ''
      : `, ${percent(latest.answered / latest.attempts)} of the last ${grouped(latest.attempts)} answered`;
  return `${callsInWords(attempts)} in ${grouped(waves)} ${waves === 1 ? 'wave' : 'waves'}${answered}`;
}

function moneyOf({ record: { spent }, budget, at }: PlanLook): string[] {
  const money = (amount: number) => inWords('spent', amount, { now: at, redact: (text) => text });
  if (spent === null) return [];
  return [`about ${money(spent)}${budget === undefined ? '' : ` of ${money(budget)}`} spent`];
}

function waveInWords({ wave, start, end, contacts, seen, outcome }: WaveRecord, at: number): string {
  const times = `${shortTime(Date.parse(start), at).trim()} to ${shortTime(Date.parse(end), at).slice(-5)}`;
  const doubt = outcome === 'unknown' ? ', its sending has an unknown outcome' : '';
  return `wave ${wave}, ${times}: ${grouped(seen)} of ${callsInWords(contacts)} seen${doubt}`;
}

function runInWords(look: PlanLook): string[] {
  const { record, sinceRun } = look;
  if (record.state !== 'open') return [];
  const run = `vagent plan run ${record.plan_id}`;
  const since = sinceRun === undefined ? undefined : distance(-sinceRun, 0);
  if (!isNeglected(look)) return since === undefined ? [] : [`last run ${since}`];
  return [since === undefined ? `Nobody has run it yet: ${run}` : `Nobody runs it: the last run was ${since}. ${run}`];
}

function callsInWords(calls: number): string {
  return `${grouped(calls)} ${calls === 1 ? 'call' : 'calls'}`;
}
