import type { Context } from '../../context.ts';
import { STOPPED } from '../../plans/rows/stored-plan.ts';
import { isGoingOn } from '../../plans/rules/plan.ts';
import { clockOf } from '../../plans/run/clock.ts';
import { planRecord, wavesOut } from '../../plans/run/record.ts';
import { stopAndChange } from '../../plans/run/wait.ts';
import type { CommandModule } from '../shared/command.ts';
import { idOrName, type Word } from '../shared/pick.ts';
import { pickPlan } from './shared/pick-plan.ts';
import { printChanged } from './shared/plan-words.ts';
import { portsWithoutDelay } from './shared/ports.ts';

export const command: CommandModule = {
  notes: `
From then on no wave of the plan is handed over, whoever runs it. What was handed over is beyond reach: waves_out names it, and
until when its calls may come. plan resume goes on.`,
  examples: ['vagent plan stop Spring', 'vagent plan stop 1 --json'],
  exits: 'offline',
  takes: (command) => command.argument('[plan]', 'its id or name (default on a terminal: the only open one)', idOrName),
  run,
};

async function run(context: Context, word: Word | undefined): Promise<void> {
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
