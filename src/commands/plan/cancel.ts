import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { cancelled } from '../../plans/ending.ts';
import type { LoadedPlan, PlanState } from '../../plans/plan.ts';
import { confirm } from '../../terminal/prompt.ts';
import { clockOf } from './shared/next-look.ts';
import { type PlanWord, pickPlan, planWord } from './shared/pick-plan.ts';
import { planRecord, wavesOut } from './shared/plan-record.ts';
import { printChanged } from './shared/print-changed.ts';
import { stopAndChange } from './shared/stop-plan.ts';
import { noteWavesOut } from './shared/waves-out.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Ends a plan for good: whoever was still to be called is left, which plan results shows. Of a plan that is not named it
asks first, unless --yes is given. To go on later, use plan stop. What was
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
  const stored = await pickPlan(word, context);
  const before = await stored.load();
  if (word === undefined) await requireYes(before, context);
  const now = await clockOf(before, context);
  const reason = 'It was cancelled with plan cancel.';
  const record = await stopAndChange(
    stored,
    before,
    { at: now, reason, isForGood: true },
    async (session) => {
      const { loaded } = session;
      const { state } = loaded.position;
      // A run that was under way may have carried out the wish.
      const isOver = isEnded(state);
      if (isOver && (state === 'done' || isEnded(before.position.state))) {
        io.note(`Plan ${loaded.plan.plan_id} is ${state} already.`);
      }
      if (!isOver) await session.commit(cancelled(loaded.roster, now, reason));
      return { ...planRecord(loaded, now), waves_out: wavesOut(loaded) };
    },
    context,
  );
  await printChanged(record, now, context);
  noteWavesOut(record.waves_out, now, context);
}

/** Whoever has not named the plan may have another in mind. Throws InterruptedError after a no. */
async function requireYes(
  { plan: { plan_id }, position: { state }, roster: { counts } }: LoadedPlan,
  { io, flags }: Context,
): Promise<void> {
  if (flags.yes || isEnded(state)) return;
  if (!io.canAsk) {
    throw new UsageError('What is cancelled cannot be resumed: name the plan, or add --yes. Nothing was changed.');
  }
  const left = counts.new + counts.again;
  const people = left === 1 ? '1 contact who was' : `${left} contacts who were`;
  const isWanted = await confirm(io, `End plan ${plan_id} for good, and leave ${people} still to be called?`);
  if (!isWanted) throw new InterruptedError('Nothing was changed.');
}

function isEnded(state: PlanState): boolean {
  return state === 'done' || state === 'cancelled';
}
