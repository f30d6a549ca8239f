import { connectionFlags } from '../../cli/flags/global.ts';
import { type Drawing, drawingAt } from '../../cli/terminal/drawing.ts';
import { cell, factLinesIn, isForPerson, printRecord } from '../../cli/terminal/output.ts';
import { labelInWords } from '../../cli/terminal/words.ts';
import type { Context } from '../../context.ts';
import { fromMicros } from '../../engine/money.ts';
import { unclearByStatus } from '../../plans/rows/history.ts';
import type { LoadedPlan } from '../../plans/rules/plan.ts';
import { rulesRecord } from '../../plans/rules/understood.ts';
import { marginOf, paceSeen } from '../../plans/rules/waves.ts';
import { type Next, type PlanRecord, planRecord, type WaveRecord, wavesOf } from '../../plans/run/record.ts';
import { grouped, plural } from '../../text/numbers.ts';
import { MINUTE, SECOND } from '../../text/units.ts';
import { shortTime, timeAndDistance } from '../../text/when.ts';
import { padded, shortened, wrap } from '../../text/width.ts';
import { capitalized } from '../../text/written-time.ts';
import type { CommandModule } from '../shared/command.ts';
import type { Word } from '../shared/pick.ts';
import { zoneSaid } from '../shared/times.ts';
import { rulesInWords } from './shared/draw-rules.ts';
import { editCommand, wayOn } from './shared/going-on.ts';
import { heldBackInWords } from './shared/held-back-words.ts';
import { openPlan, takesPlan } from './shared/open-plan.ts';
import {
  countsOf,
  drawContacts,
  spentInWords,
  type UnclearCounts,
  unclearInWords,
  whyInWords,
} from './shared/plan-words.ts';

export const command: CommandModule = {
  notes: `
Shows where a plan stands as plan run left it; no service is asked. next says when the plan would do something, and why not
before: a code such as window, retry, wave_running or cap. late is by how many seconds the longest wave is expected to go on
after its last call is due, as waves of the last days did: so much earlier than the hours close the last wave ends. unclear
counts calls by a status that the service's interface does not name: their result is not known.`,
  examples: ['vagent plan status Spring', 'vagent plan status 1 --json'],
  exits: 'offline',
  takes: (command) => takesPlan(command),
  run,
};

async function run(context: Context, word: Word | undefined): Promise<void> {
  const { io } = context;
  const { stored, loaded, now } = await openPlan(word, context);
  const record = planRecord(loaded, now);
  const waves = await wavesOf(stored, loaded);
  const unclear = countsOf(await unclearByStatus(stored.rows, loaded));
  if (isForPerson(context)) {
    for (const line of drawStatus(loaded, { record, waves, unclear }, now, context)) await io.screen(`${line}\n`);
    return;
  }
  const { next, ...rest } = record;
  const late = Math.round(paceSeen(loaded.position, now).late / SECOND);
  const rules = rulesRecord(loaded);
  await printRecord(context, { ...rest, late, unclear: Object.fromEntries(unclear), waves, next, rules }, { now });
}

// Showing -----------------------------------------------------------------------------------------------------------

const LATEST_WAVES = 5;

type Shown = { record: PlanRecord; waves: readonly WaveRecord[]; unclear: UnclearCounts };

function drawStatus(loaded: LoadedPlan, { record, waves, unclear }: Shown, now: number, context: Context): string[] {
  const { io, flags } = context;
  const drawing = drawingAt(io);
  const { reason, attempts, spent, next } = record;
  const { budget } = loaded.plan.rules;
  const way = wayOn(record.plan_id, record.state);
  const most = budget === undefined ? undefined : fromMicros(budget);
  const money = spent === null ? '' : ` · ${spentInWords(spent, most)}`;
  const facts = [
    reason,
    `${grouped(attempts)} ${plural(attempts, 'call')} in the log${money}`,
    unclearInWords(unclear) ?? '',
    lateInWords(loaded, now),
    nextLine(next, now),
    way === undefined ? '' : `${way.said}: ${way.command}${connectionFlags(flags)}`,
    ...heldBackInWords(loaded, now, editCommand(record.plan_id, flags)).map(capitalized),
  ].filter((fact) => fact !== '');
  return [
    ...drawContacts(record, drawing),
    ...facts.flatMap((fact) => wrap(cell(drawing.redact(fact)), drawing.width)),
    ...['', ...factLinesIn(rulesInWords(loaded, now, zoneSaid(undefined, context)), drawing.width)].map(drawing.redact),
    ...drawWaves(waves, drawing, now),
  ];
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
