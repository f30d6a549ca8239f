import type { Context } from '../../context.ts';
import { stopPlan } from '../../plans/run/change.ts';
import type { CommandModule } from '../shared/command.ts';
import type { Word } from '../shared/pick.ts';
import { openPlan, portsWithoutDelay, takesPlan } from './shared/open-plan.ts';
import { printChanged } from './shared/plan-words.ts';

export const command: CommandModule = {
  notes: `
From then on no wave of the plan is sent, whoever runs it. What was sent is beyond reach: waves_out names it, and
until when its calls may come. plan resume goes on.`,
  examples: ['vagent plan stop Spring', 'vagent plan stop 1 --json'],
  exits: 'offline',
  takes: (command) => takesPlan(command),
  run,
};

async function run(context: Context, word: Word | undefined): Promise<void> {
  const { stored, ...before } = await openPlan(word, context);
  const record = await stopPlan(stored, { ...before, isForGood: false }, portsWithoutDelay(context));
  await printChanged(record, before.now, context);
}
