import { connectionFlags, type GlobalFlags } from '../../cli/flags/global.ts';
import { cell } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { LoadedPlan } from '../../plans/rules/plan.ts';
import { hasWave } from '../../plans/rules/waves.ts';
import { changeWhenFree } from '../../plans/run/change.ts';
import { planRecord } from '../../plans/run/record.ts';
import { counted } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import type { Word } from '../shared/pick.ts';
import { requireGoingOn } from './shared/going-on.ts';
import { openPlan, portsWithoutDelay, takesPlan } from './shared/open-plan.ts';
import { printChanged } from './shared/plan-words.ts';

export const command: CommandModule = {
  notes: `
For a plan that was made with --canary: its first wave is over, somebody has looked at its results (vagent plan results,
vagent logs list), and all the others may be called. It calls nobody: plan run does. A plan that was stopped goes on with
vagent plan resume.`,
  examples: ['vagent plan approve Spring', 'vagent plan approve 1 --json'],
  exits: 'offline',
  takes: (command) => takesPlan(command),
  run,
};

async function run(context: Context, word: Word | undefined): Promise<void> {
  const { io, flags } = context;
  const { stored, now } = await openPlan(word, context);
  const record = await changeWhenFree(
    stored,
    async (session) => {
      const { plan, roster } = session.loaded;
      requireGoingOn(session.loaded, false, now, flags);
      if (requireLook(session.loaded, flags)) {
        await session.commit([{ event: 'resumed', at: now }]);
        const others = counted(roster.counts.new + roster.counts.again, 'contact is', 'contacts are');
        io.note(`The first wave is approved: ${others} called from now on, by the rules of the plan.`);
      } else io.note(`Plan ${plan.plan_id} is open already: it waits for nobody.`);
      return planRecord(session.loaded, now);
    },
    portsWithoutDelay(context),
  );
  await printChanged(record, now, context);
  io.note(`Nobody is called until: vagent plan run ${record.plan_id}${connectionFlags(flags)}`);
}

/** Whether it waits for a look; false if that was had. Throws UsageError if there is nothing to look at. */
function requireLook({ plan, position }: LoadedPlan, flags: GlobalFlags): boolean {
  const { plan_id, rules } = plan;
  const { state, reason } = position;
  if (state === 'waiting') return true;
  if (state === 'stopped') {
    throw new UsageError(`Plan ${plan_id} waits for no look, but is stopped: ${cell(reason)}`, {
      hint: `To go on: vagent plan resume ${plan_id}${connectionFlags(flags)}`,
    });
  }
  if (rules.canary === undefined || position.hasPassedCanary) return false;
  const what = hasWave(position) ? 'The first wave is not over yet' : 'No wave was sent yet';
  throw new UsageError(`${what}: there is nothing to look at in plan ${plan_id}.`, {
    hint: `vagent plan run ${plan_id}${connectionFlags(flags)} says when there is.`,
  });
}
