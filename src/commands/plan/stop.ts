import type { Command } from 'commander';
import { EXITS, explain } from '../../cli/flags/help.ts';
import type { Context } from '../../context.ts';
import { STOPPED } from '../../plans/rows/stored-plan.ts';
import { isGoingOn } from '../../plans/rules/plan.ts';
import { clockOf } from '../../plans/run/clock.ts';
import { planRecord, wavesOut } from '../../plans/run/record.ts';
import { stopAndChange } from '../../plans/run/wait.ts';
import { idOrName, type Word } from '../shared/pick.ts';
import { pickPlan } from './shared/pick-plan.ts';
import { printChanged } from './shared/plan-words.ts';
import { portsWithoutDelay } from './shared/ports.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
From then on no wave of the plan is handed over, whoever runs it. What was handed over is beyond reach: waves_out names it, and
until when its calls may come. plan resume goes on.`,
    examples: ['vagent plan stop Spring', 'vagent plan stop 1 --json'],
    exits: EXITS.offline,
  });
  command
    .argument('[plan]', 'its id or name (default on a terminal: the only open one)', idOrName)
    .action((word: Word | undefined) => run(word, context));
}

export async function run(word: Word | undefined, context: Context): Promise<void> {
  const { io } = context;
  const ports = portsWithoutDelay(context);
  const stored = await pickPlan(word, context);
  const before = await stored.load();
  const { plan } = before;
  const now = await clockOf(before, ports);
  const { state } = before.position;
  if (!isGoingOn(state)) io.note(`Plan ${plan.plan_id} is ${state} already.`);
  const record = await stopAndChange(
    stored,
    state,
    { at: now, reason: STOPPED },
    async ({ loaded }) => ({ ...planRecord(loaded, now), waves_out: wavesOut(loaded) }),
    ports,
  );
  await printChanged(record, now, context);
}
