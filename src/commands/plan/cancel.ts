import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { type PlanEvent, runsOf } from '../../plans/events.ts';
import type { Roster } from '../../plans/roster.ts';
import { clockOf } from './shared/next-look.ts';
import { type PlanWord, pickPlan, planWord } from './shared/pick-plan.ts';
import { planRecord, wavesOut } from './shared/plan-record.ts';
import { printChanged } from './shared/print-changed.ts';
import { stopAndChange } from './shared/stop-plan.ts';
import { noteWavesOut } from './shared/waves-out.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Ends a plan for good: whoever was still to be called is left, which plan results shows. To go on later, use plan stop. What was
handed over is beyond reach: waves_out names it.`,
    examples: ['vagent plan cancel Spring', 'vagent plan cancel 1 --json'],
    exits: EXITS.offline,
  });
  command
    .argument('[plan]', 'its id or name (default on a terminal: the only open one)', planWord)
    .action((word: PlanWord | undefined) => run(word, context));
}

export async function run(word: PlanWord | undefined, context: Context): Promise<void> {
  const { io } = context;
  const folder = pickPlan(word, context);
  const before = folder.load();
  const now = await clockOf(before.plan, context);
  const reason = 'It was cancelled with plan cancel.';
  const record = await stopAndChange(
    folder,
    before,
    { at: now, reason },
    async (session) => {
      const { loaded } = session;
      const { state } = loaded.position;
      if (state === 'done' || state === 'cancelled') io.note(`Plan ${loaded.plan.plan_id} is ${state} already.`);
      else session.commit(endOf(loaded.roster, now, reason));
      return { ...planRecord(loaded, now), waves_out: wavesOut(loaded) };
    },
    context,
  );
  await printChanged(record, now, context);
  noteWavesOut(record.waves_out, now, context);
}

function endOf(roster: Roster, at: number, reason: string): PlanEvent[] {
  const rows: number[] = [];
  for (let row = 0; row < roster.size; row++) {
    const state = roster.stateOf(row);
    if (state === 'new' || state === 'again') rows.push(row);
  }
  const left: PlanEvent[] = rows.length === 0 ? [] : [{ event: 'left', at, rows: runsOf(rows) }];
  return [...left, { event: 'cancelled', at, reason }];
}
