/** Where a plan stands, as lines for a terminal. */
import type { Context } from '../../../context.ts';
import { fromMicros } from '../../../engine/money.ts';
import { marginOf, paceSeen } from '../../../plans/pace.ts';
import type { LoadedPlan } from '../../../plans/plan.ts';
import { CONTACT_STATES } from '../../../plans/roster.ts';
import { cell } from '../../../terminal/output.ts';
import { inWords, labelInWords } from '../../../terminal/words.ts';
import { grouped } from '../../../text/numbers.ts';
import { shortTime, timeAndDistance } from '../../../text/when.ts';
import { padded, shortened, wrap } from '../../../text/width.ts';
import { drawStateCounts, drawStatesBar } from '../../shared/draw-states.ts';
import { type Drawing, drawTitle } from '../../shared/drawing.ts';
import type { Next } from './next-look.ts';
import type { WaveRecord } from './plan-record.ts';
import { PLAN_SIGNS, whyInWords } from './plan-words.ts';
import { type UnclearCounts, unclearInWords } from './unclear-calls.ts';

/** In characters. */
const WIDEST = 100;
const LATEST_WAVES = 5;
const MINUTE = 60_000;

export interface Shown {
  waves: readonly WaveRecord[];
  next: Next;
  /** Calls of which nobody knows what came of them, by status. */
  unclear: UnclearCounts;
  /** Milliseconds since the epoch. */
  now: number;
}

export function drawStatus(loaded: LoadedPlan, { waves, next, now, unclear }: Shown, { io }: Context): string[] {
  const drawing: Drawing = {
    width: io.columns,
    height: Number.POSITIVE_INFINITY,
    hasColours: io.colorsStdout,
    mark: io.isAscii ? '...' : '…',
    redact: (text) => io.redactor.redact(text),
  };
  const { plan, position } = loaded;
  const title = drawTitle(
    plan.plan_name,
    [` · plan ${plan.plan_id} · ${position.state}`, ` · ${position.state}`],
    drawing,
  );
  const facts = [
    position.reason,
    moneyOf(loaded),
    unclearInWords(unclear) ?? '',
    lateInWords(loaded, now),
    nextLine(next, now),
  ].filter((fact) => fact !== '');
  return [
    title,
    ...drawContacts(loaded, drawing),
    ...facts.flatMap((fact) => wrap(cell(drawing.redact(fact)), drawing.width)),
    ...drawWaves(waves, drawing, now),
  ];
}

function drawContacts({ plan, position, roster: { counts } }: LoadedPlan, drawing: Drawing): string[] {
  const ended = counts.reached + counts.exhausted + counts.unseen + counts.excluded + counts.left;
  const signed = CONTACT_STATES.map((state) => ({ state, sign: PLAN_SIGNS[state], count: counts[state] }));
  const inOrder = signed.toSorted((one, other) => ORDER.indexOf(one.sign) - ORDER.indexOf(other.sign));
  const isOver = position.state === 'done' || position.state === 'cancelled';
  const width = Math.min(drawing.width, WIDEST);
  const bar = drawStatesBar(inOrder, { done: ended, contacts: plan.contacts, isOver }, { ...drawing, width });
  return [
    bar,
    ...drawStateCounts(
      inOrder.filter(({ count }) => count > 0),
      drawing,
    ),
  ];
}

/** From the left: those who were reached, those who are over, those who are being called, those to be called. */
const ORDER = '█▓▒░';

function moneyOf({ plan: { rules }, position: { attempts, spent } }: LoadedPlan): string {
  const calls = `${grouped(attempts)} ${attempts === 1 ? 'call' : 'calls'} seen`;
  if (rules.pricePerMinute === undefined) return calls;
  const most = rules.budget === undefined ? '' : ` of ${amount(rules.budget)}`;
  return `${calls} · about ${amount(spent)}${most} spent`;
}

/** Millionths as a sum of money. */
function amount(micros: number): string {
  return inWords('spent', fromMicros(micros), { now: 0, redact: (text) => text });
}

/** Why waves end earlier than they need to by the pace that was asked for. */
function lateInWords(loaded: LoadedPlan, now: number): string {
  const minutes = (time: number) => `${Math.ceil(time / MINUTE)} min`;
  const { late } = paceSeen(loaded.position, now);
  if (late === 0) return '';
  return `The service was up to ${minutes(late)} late: the last ${minutes(marginOf(loaded, now))} of anybody's hours stay free.`;
}

function nextLine(next: Next, now: number): string {
  if (next === null) return '';
  const at = Date.parse(next.at);
  return at <= now ? `Now: ${whyInWords(next.why)}` : `Next: ${timeAndDistance(at, now)}, ${whyInWords(next.why)}`;
}

function drawWaves(waves: readonly WaveRecord[], { width, mark }: Drawing, now: number): string[] {
  if (waves.length === 0) return [];
  const shown = waves.slice(-LATEST_WAVES);
  const title = waves.length === shown.length ? 'Waves' : `Waves: the last ${shown.length} of ${grouped(waves.length)}`;
  const wide = String(waves.length).length;
  const lines = shown.map(({ wave, start, contacts, seen, from, outcome }) => {
    const at = shortTime(Date.parse(start), now);
    const calls = `${grouped(seen)} of ${grouped(contacts)} seen`;
    const rest = outcome === 'accepted' ? '' : `  ${labelInWords(outcome)}`;
    return `${padded(String(wave), wide)}  ${at}  ${calls}  from ${from}${rest}`;
  });
  return ['', title, ...lines].map((line) => shortened(line, width, mark));
}
