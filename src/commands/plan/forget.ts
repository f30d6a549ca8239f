import { printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { forgetPlan, forgettablePlan, forgetWaves } from '../../plans/rows/forget.ts';
import { clockOf } from '../../plans/run/ports.ts';
import { isoTime } from '../../text/iso.ts';
import type { CommandModule } from '../shared/command.ts';
import { requireForgetting } from '../shared/consent.ts';
import { idOrName, type Word } from '../shared/pick.ts';
import { pickPlan, planPorts } from './shared/open-plan.ts';
import { warnOfTimer } from './shared/timers.ts';

export const command: CommandModule = {
  notes: `
Removes all that this machine keeps of a plan and its people, also what the register keeps of its waves; only the number stays,
so that no other plan gets it. Results can no longer be worked out, and these numbers are no longer known as called before.
Numbers that opted out stay on their list. A plan that is open must be stopped or cancelled first.

--force is for a plan with calls that may still come or were never seen, and for one that is damaged.`,
  examples: ['vagent plan forget Spring --yes', 'vagent plan forget 1 --force --yes'],
  exits: 'offline',
  takes: (command) =>
    command
      .argument('[plan]', 'its id or name', idOrName)
      .option('--force', 'even if calls may still come, or it is damaged'),
  run,
};

async function run(context: Context, word: Word | undefined, { force }: { force?: true }): Promise<void> {
  const { clock, register } = context;
  const stored = await pickPlan(word, context);
  const requireForgettable = () =>
    forgettablePlan(stored, force === true, (loaded) => clockOf(loaded, planPorts(context)));
  const loaded = await requireForgettable();
  const facts = {
    Plan: loaded === undefined ? stored.planId : `${stored.planId} ${loaded.plan.plan_name}`,
    Contacts: loaded?.plan.contacts,
    Removed: 'numbers, texts, identifiers, original rows and results, on this machine',
    Lost: 'results; and these numbers count as never called by it',
  };
  await requireForgetting('Forget whom it called?', facts, context);
  if (loaded !== undefined) await forgetWaves(loaded, await register.open());
  await forgetPlan(await register.rows(), stored, requireForgettable);
  const { plan_name = null, contacts = null } = loaded?.plan ?? {};
  const forgotten = isoTime(clock.system());
  await printRecord(context, { plan_id: stored.planId, plan_name, contacts, forgotten });
  await warnOfTimer(stored.planId, context);
}
