import { connectionFlags } from '../../cli/flags/global.ts';
import { countsInWords, type Drawing } from '../../cli/terminal/drawing.ts';
import { liveView, type Watchable } from '../../cli/terminal/live-view.ts';
import { cell, suggestNext } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { isOver } from '../../plans/rules/plan.ts';
import type { WaveRecord } from '../../plans/run/record.ts';
import { type Day, isAtRest, isNeglected, type PlanSnapshot, SNAPSHOTS, watchPlan } from '../../plans/run/snapshot.ts';
import { twoDigits } from '../../text/iso.ts';
import { grouped, percent, plural } from '../../text/numbers.ts';
import { DAY, HOUR, MINUTE } from '../../text/units.ts';
import { distance, shortTime, timeAndDistance } from '../../text/when.ts';
import { shortened, widthOf, wrap } from '../../text/width.ts';
import type { CommandModule } from '../shared/command.ts';
import type { Word } from '../shared/pick.ts';
import { wayOn, worthALook } from './shared/going-on.ts';
import { pickPlan, planPorts, takesPlan } from './shared/open-plan.ts';
import { drawContacts, spentInWords, whyInWords } from './shared/plan-words.ts';
import { warnOfTimer } from './shared/timers.ts';

export const command: CommandModule = {
  notes: `
Shows a plan until it is done, stopped, cancelled or waits for you: its contacts by state, its calls and waves, what it does
next and why, and at what hours of the coming day its contacts may be called. It calls nobody and asks no service: it reads
what plan run keeps, and says so where nobody runs the plan. End it with Ctrl-C, which is no failure
(exit code 0): the plan goes on.

In a pipe it prints a snapshot as a line of JSON whenever something has changed: plan_id, plan_name, at, state, reason,
contacts, states (how many are in each), attempts, spent, budget, answer_rate (how many of the latest attempts reached somebody),
waves (how many were placed or may have been), running (those with calls not seen yet), next ("at" and "why"),
not_run_for (seconds since plan run was last there) and is_over.`,
  examples: ['vagent plan watch Spring', 'vagent plan watch 1 -o ndjson | jq -r .states.reached'],
  exits: 'offline',
  isLive: true,
  formats: ['table', 'json', 'ndjson'],
  takes: (command) => takesPlan(command),
  run,
};

/** Runs until the plan is at rest, or until it is interrupted: both are its normal end. */
async function run(context: Context, word: Word | undefined): Promise<void> {
  const { io } = context;
  const view = liveView(planView(connectionFlags(context.flags)), context);
  try {
    let last: PlanSnapshot | undefined;
    for await (const snapshot of watchPlan(await pickPlan(word, context), planPorts(context))) {
      if (last === undefined && !isAtRest(snapshot)) io.note('Watching. End with Ctrl-C: the plan goes on.');
      last = snapshot;
      // With --json, notes are held back in case the command ends with an error. It goes on, so they are printed.
      io.releaseNotes();
      await view.show([snapshot]);
    }
    view.end();
    if (last === undefined) return;
    io.note(endInWords(last));
    const { plan_id, state } = last.record;
    const then = wayOn(plan_id, state)?.command ?? worthALook(plan_id, state === 'done');
    if (isAtRest(last)) suggestNext(context, then);
    if (isOver(state)) await warnOfTimer(plan_id, context);
  } finally {
    view.end();
  }
}

function endInWords(snapshot: PlanSnapshot): string {
  const { plan_id, plan_name, state, reason } = snapshot.record;
  if (!isAtRest(snapshot)) return `Plan ${plan_id} goes on: only the watch has ended.`;
  const why = reason === '' ? '' : `: ${cell(reason)}`;
  const is = state === 'waiting' ? 'waits for you' : `is ${state}`;
  return `Plan ${plan_id}, ${cell(plan_name)}, ${is}${why}.`.replace(/\.\.$/, '.');
}

// Showing -----------------------------------------------------------------------------------------------------------

/** `connection`: the flags that choose the service. */
function planView(connection: string): Watchable<PlanSnapshot> {
  return {
    ...{ ...SNAPSHOTS, name: 'A plan' },
    inOneLine: (snapshot, redact) => planInOneLine(snapshot, redact, connection),
    draw: ([snapshot], drawing) => (snapshot === undefined ? [] : drawPlan(snapshot, drawing, connection)),
  };
}

/** As many lines as fit, the most important ones; each at most as wide as the terminal. */
export function drawPlan(snapshot: PlanSnapshot, drawing: Drawing, connection = ''): string[] {
  const { width, height, redact } = drawing;
  const lines = [
    ...drawContacts(snapshot.record, drawing),
    ...factsOf(snapshot, redact, connection).flatMap((fact) => wrap(fact, width)),
  ];
  const day = drawDay(snapshot.day, drawing);
  if (day.length > 0 && lines.length + 1 + day.length <= height) lines.push('', ...day);
  return lines.slice(0, Math.max(0, height));
}

/** `Spring, plan 3, open: 90 reached, …; 164 calls, …` */
export function planInOneLine(snapshot: PlanSnapshot, redact: (text: string) => string, connection = ''): string {
  const { plan_id, plan_name, state, states } = snapshot.record;
  const name = `${cell(redact(plan_name))}, plan ${plan_id}, ${state}`;
  return `${name}: ${[countsInWords(states), ...factsOf(snapshot, redact, connection)].join('; ')}`;
}

function factsOf(snapshot: PlanSnapshot, redact: (text: string) => string, connection: string): string[] {
  const { at, record, running } = snapshot;
  const { reason, next, spent } = record;
  const earlier = running.slice(0, -1).reduce((sum, { contacts, seen }) => sum + contacts - seen, 0);
  return [
    callsOf(snapshot),
    ...(spent === null ? [] : [spentInWords(spent, snapshot.budget)]),
    ...running.slice(-1).map((wave) => waveInWords(wave, at)),
    ...(running.length > 1 ? [`${callsInWords(earlier)} of earlier waves not in the log yet`] : []),
    ...(reason === '' ? [] : [cell(redact(reason))]),
    ...(next === null ? [] : [`${whenInWords(Date.parse(next.at), at)}, ${whyInWords(next.why)}`]),
    ...runInWords(snapshot, connection),
  ];
}

function whenInWords(at: number, now: number): string {
  return at <= now ? 'now' : `next: ${timeAndDistance(at, now)}`;
}

/** `164 calls in 12 waves, 61.2 % of the last 50 reached`. */
function callsOf({ record: { attempts }, waves, latest }: PlanSnapshot): string {
  const reached =
    latest === undefined
      ? ''
      : `, ${percent(latest.reached / latest.attempts)} of the last ${grouped(latest.attempts)} reached somebody`;
  return `${callsInWords(attempts)} in ${grouped(waves)} ${plural(waves, 'wave')}${reached}`;
}

function waveInWords({ wave, start, end, contacts, seen, outcome }: WaveRecord, at: number): string {
  const times = `${shortTime(Date.parse(start), at).trim()} to ${shortTime(Date.parse(end), at).slice(-5)}`;
  const unknown = outcome === 'unknown' ? ', its sending has an unknown outcome' : '';
  return `wave ${wave}, ${times}: ${grouped(seen)} of ${callsInWords(contacts)} in the log${unknown}`;
}

function runInWords(snapshot: PlanSnapshot, connection: string): string[] {
  const { record, sinceRun } = snapshot;
  if (record.state !== 'open') return [];
  const run = `vagent plan run ${record.plan_id}${connection}`;
  const since = sinceRun === undefined ? undefined : distance(-sinceRun, 0);
  if (!isNeglected(snapshot)) return since === undefined ? [] : [`last run ${since}`];
  return [since === undefined ? `Nobody has run it yet: ${run}` : `Nobody runs it: the last run was ${since}. ${run}`];
}

function callsInWords(calls: number): string {
  return `${grouped(calls)} ${plural(calls, 'call')}`;
}

/** Minutes of a character, the finest first. */
const SCALES = [15, 30, 60];
const WIDEST_LABEL = 16;
const GAP = 2;
/** Of a row of hours, in characters: a smaller one would say too little. */
const EVERY = 6;

/** Rows of the same width below the hours; none if the terminal is too narrow. */
export function drawDay(day: Day, { width, mark, redact }: Pick<Drawing, 'width' | 'mark' | 'redact'>): string[] {
  const all = [...day.places, ...(day.waves.spans.length === 0 ? [] : [day.waves])];
  const rows = all.map((row) => ({ ...row, label: cell(redact(row.label)) }));
  const label = Math.min(WIDEST_LABEL, Math.max(...rows.map((row) => widthOf(row.label)), 0));
  const space = width - label - GAP;
  const minutes = SCALES.find((scale) => DAY / MINUTE / scale <= space);
  if (minutes === undefined || day.places.length === 0) return [];
  const step = minutes * MINUTE;
  const lines = rows.map((row, at) => {
    const name = shortened(row.label, label, mark);
    const sign = at < day.places.length ? '█' : '━';
    return `${name}${' '.repeat(label - widthOf(name) + GAP)}${drawSpans(row, day.from, step, sign)}`.trimEnd();
  });
  return [`${' '.repeat(label + GAP)}${drawClock(day.from, step)}`.trimEnd(), ...lines];
}

function drawSpans({ spans }: Day['waves'], from: number, step: number, sign: string): string {
  return Array.from({ length: DAY / step }, (_none, at) => {
    const [begin, end] = [from + at * step, from + (at + 1) * step];
    const covered = spans.reduce((sum, span) => {
      return sum + Math.max(0, Math.min(end, span.until) - Math.max(begin, span.from));
    }, 0);
    if (covered === 0) return '·';
    // A wave may be much shorter than a character.
    return sign === '━' || covered === step ? sign : '▒';
  }).join('');
}

/** The hours in the zone of this machine, each where it begins: `09    12    15`. */
function drawClock(from: number, step: number): string {
  const every = Math.max(1, Math.ceil((EVERY * step) / HOUR)) * HOUR;
  let line = '';
  for (let at = from; at < from + DAY; at += every) {
    line += twoDigits(new Date(at).getHours()).padEnd(every / step);
  }
  return line;
}
