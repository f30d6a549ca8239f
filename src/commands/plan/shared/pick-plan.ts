/** Finds the plan that an argument means: by its id, by its name, or the only one that is not over where none is named. */

import { cell } from '../../../cli/terminal/output.ts';
import type { Context } from '../../../context.ts';
import { FileError, NotFoundError, UsageError } from '../../../errors.ts';
import { type ListedPlan, listPlans } from '../../../plans/rows/plans.ts';
import { StoredPlan } from '../../../plans/rows/stored-plan.ts';
import { isOver } from '../../../plans/rules/plan.ts';
import { pick, type Word } from '../../shared/pick.ts';

const LIST = 'vagent plan list';

/** All plans, whatever their service; the oldest first. */
export async function knownPlans(context: Context): Promise<ListedPlan[]> {
  return (await context.register.rows()).read(listPlans);
}

/** Throws UsageError if it is not certain which plan is meant, and NotFoundError if there is none. */
export async function pickPlan(word: Word | undefined, context: Context): Promise<StoredPlan> {
  const planId = await pickedId(word, context);
  return new StoredPlan({ rows: await context.register.rows(), planId, command: context.line.command });
}

async function pickedId(word: Word | undefined, context: Context): Promise<number> {
  const plans = await knownPlans(context);
  if (word === undefined) return onlyPlan(plans, context);
  const named = plans.map((one) => ({ id: one.planId, name: nameOf(one), at: one.loaded?.plan.createdAt }));
  try {
    return pick(word, named, { what: 'plan', list: LIST, code: 'plan_not_found' }).id;
  } catch (error) {
    const damages = plans.flatMap(({ damage }) => damage ?? []);
    const [damage] = damages;
    if (!(error instanceof NotFoundError) || typeof word === 'number' || damage === undefined) throw error;
    // What a damaged plan is called is not known for sure.
    const what = damages.map(({ message }) => message).join(' ');
    throw new FileError(`There is no plan called ${cell(word)} that can be read. ${what}`, {
      code: damage.code,
      hint: [error.hint?.slice(0, -LIST.length).trim(), damage.hint].filter(Boolean).join(' '),
    });
  }
}

/** Undefined if the plan is damaged and does not tell it any more. */
function nameOf({ loaded, name }: ListedPlan): string | undefined {
  return loaded?.plan.plan_name ?? name;
}

/** Only where somebody at a terminal reads which one it is. */
function onlyPlan(plans: readonly ListedPlan[], { io }: Context): number {
  const left = plans.filter(({ loaded }) => loaded === undefined || !isOver(loaded.position.state));
  const [only, second] = left.length > 0 ? left : plans;
  if (plans.length === 0) throw new NotFoundError('There is no plan.', { hint: 'vagent plan create makes one.' });
  if (!io.stdoutIsTerminal || only === undefined || second !== undefined) {
    throw new UsageError('Missing: <plan>.', { hint: LIST });
  }
  io.note(`The only ${left.length > 0 ? 'open ' : ''}plan: ${only.planId}, ${cell(nameOf(only) ?? '')}.`);
  return only.planId;
}
