import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { STOPPED } from '../../plans/rows/stored-plan.ts';
import { clockOf } from './shared/next-look.ts';
import { type PlanWord, pickPlan, planWord } from './shared/pick-plan.ts';
import { planRecord, wavesOut } from './shared/plan-record.ts';
import { printChanged } from './shared/print-changed.ts';
import { stopAndChange } from './shared/stop-plan.ts';
import { noteWavesOut } from './shared/waves-out.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
From then on no wave of the plan is handed over, whoever runs it. What was handed over is beyond reach: waves_out names it, and
until when its calls may come. plan resume goes on.`,
    examples: ['vagent plan stop Spring', 'vagent plan stop 1 --json'],
    exits: EXITS.offline,
  });
  command
    .argument('[plan]', 'its id or name (default on a terminal: the only open one)', planWord)
    .action((word: PlanWord | undefined) => run(word, context));
}

export async function run(word: PlanWord | undefined, context: Context): Promise<void> {
  const { io } = context;
  const stored = await pickPlan(word, context);
  const before = await stored.load();
  const { plan } = before;
  const now = await clockOf(before, context);
  const { state } = before.position;
  if (state !== 'open' && state !== 'waiting') io.note(`Plan ${plan.plan_id} is ${state} already.`);
  const record = await stopAndChange(
    stored,
    before,
    { at: now, reason: STOPPED },
    async ({ loaded }) => ({ ...planRecord(loaded, now), waves_out: wavesOut(loaded) }),
    context,
  );
  await printChanged(record, now, context);
  noteWavesOut(record.waves_out, now, context);
}
