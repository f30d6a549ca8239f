import { confirm } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { InterruptedError } from '../../errors.ts';
import { isOver, type LoadedPlan } from '../../plans/rules/plan.ts';
import { stopPlan } from '../../plans/run/change.ts';
import { counted } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import type { Word } from '../shared/pick.ts';
import { openPlan, portsWithoutDelay, takesPlan } from './shared/open-plan.ts';
import { printChanged } from './shared/plan-words.ts';
import { warnOfTimer } from './shared/timers.ts';

export const command: CommandModule = {
  notes: `
Ends a plan for good: whoever was still to be called is not, which plan results shows. On a terminal it asks first. To go on
later, use plan stop. What was sent is beyond reach: waves_out names it.`,
  examples: ['vagent plan cancel Spring', 'vagent plan cancel 1 --json'],
  exits: 'offline',
  takes: (command) => takesPlan(command),
  run,
};

async function run(context: Context, word: Word | undefined): Promise<void> {
  const { stored, ...before } = await openPlan(word, context);
  await requireYes(before.loaded, context);
  const record = await stopPlan(stored, { ...before, isForGood: true }, portsWithoutDelay(context));
  await printChanged(record, before.now, context);
  await warnOfTimer(stored.planId, context);
}

/** Throws InterruptedError after a no. */
async function requireYes(
  { plan: { plan_id }, position: { state }, roster: { counts } }: LoadedPlan,
  { io, flags }: Context,
): Promise<void> {
  if (flags.yes || !io.canAsk || isOver(state)) return;
  const people = counted(counts.new + counts.again, 'contact who waits is', 'contacts who wait are');
  const isWanted = await confirm(io, `End plan ${plan_id} for good? ${people} not called any more.`);
  if (!isWanted) throw new InterruptedError('Nothing was changed.');
}
