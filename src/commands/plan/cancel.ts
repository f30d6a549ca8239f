import { confirm } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import { cancelled } from '../../plans/rules/halts.ts';
import { isOver, type LoadedPlan } from '../../plans/rules/plan.ts';
import { clockOf } from '../../plans/run/clock.ts';
import { planRecord, wavesOut } from '../../plans/run/record.ts';
import { stopAndChange } from '../../plans/run/wait.ts';
import { counted } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import { idOrName, type Word } from '../shared/pick.ts';
import { pickPlan } from './shared/pick-plan.ts';
import { printChanged } from './shared/plan-words.ts';
import { portsWithoutDelay } from './shared/ports.ts';

export const command: CommandModule = {
  notes: `
Ends a plan for good: whoever was still to be called is left, which plan results shows. Of a plan that is not named it
asks first, unless --yes is given. To go on later, use plan stop. What was
handed over is beyond reach: waves_out names it.`,
  examples: ['vagent plan cancel Spring', 'vagent plan cancel 1 --json'],
  exits: 'offline',
  takes: (command) => command.argument('[plan]', 'its id or name (default on a terminal: the only open one)', idOrName),
  run,
};

async function run(context: Context, word: Word | undefined): Promise<void> {
  const { io } = context;
  const ports = portsWithoutDelay(context);
  const stored = await pickPlan(word, context);
  const before = await stored.load();
  if (word === undefined) await requireYes(before, context);
  const now = await clockOf(before, ports);
  const reason = 'It was cancelled with plan cancel.';
  const record = await stopAndChange(
    stored,
    before.position.state,
    { at: now, reason, isForGood: true },
    async (session) => {
      const { loaded } = session;
      const { state } = loaded.position;
      // A run that was under way may have carried out the wish.
      const hasEnded = isOver(state);
      if (hasEnded && (state === 'done' || isOver(before.position.state))) {
        io.note(`Plan ${loaded.plan.plan_id} is ${state} already.`);
      }
      if (!hasEnded) await session.commit(cancelled(loaded.roster, now, reason));
      return { ...planRecord(loaded, now), waves_out: wavesOut(loaded) };
    },
    ports,
  );
  await printChanged(record, now, context);
}

/** Whoever has not named the plan may have another in mind. Throws InterruptedError after a no. */
async function requireYes(
  { plan: { plan_id }, position: { state }, roster: { counts } }: LoadedPlan,
  { io, flags }: Context,
): Promise<void> {
  if (flags.yes || isOver(state)) return;
  if (!io.canAsk) {
    throw new UsageError('What is cancelled cannot be resumed: name the plan, or add --yes. Nothing was changed.');
  }
  const left = counts.new + counts.again;
  const people = counted(left, 'contact who was', 'contacts who were');
  const isWanted = await confirm(io, `End plan ${plan_id} for good, and leave ${people} still to be called?`);
  if (!isWanted) throw new InterruptedError('Nothing was changed.');
}
