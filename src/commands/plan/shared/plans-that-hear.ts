/** Other plans of a plan's service, whose rules may take an outcome for an opt-out that those of the plan do not. */
import type { Context } from '../../../context.ts';
import { FileError, NotFoundError } from '../../../errors.ts';
import { hasOtherOptOuts, type PlanOfPhones } from '../../../plans/opt-out.ts';
import type { Plan } from '../../../plans/plan.ts';
import type { Roster } from '../../../plans/roster.ts';
import { knownPlans, planFolder } from './pick-plan.ts';
import { isOfSameService } from './same-service.ts';

/** Their contacts are read only if they are asked for. */
export async function plansThatHear({ plan_id, rules }: Plan, context: Context): Promise<PlanOfPhones[]> {
  const plans: PlanOfPhones[] = [];
  for (const { planId, loaded } of await knownPlans(context)) {
    if (loaded === undefined || planId === plan_id || !isOfSameService(loaded.plan, context.settings)) continue;
    if (!hasOtherOptOuts(loaded.plan.rules, rules)) continue;
    const folder = await planFolder(planId, context);
    let roster: Roster | 'unknown' | 'forgotten' | undefined;
    const has = (phone: number) => {
      roster ??= rosterOf(() => folder.load().roster);
      return roster === 'unknown' || (roster !== 'forgotten' && roster.rowsOfPhone(phone).length > 0);
    };
    plans.push({ rules: loaded.plan.rules, has });
  }
  return plans;
}

/** In doubt a plan that is damaged has everybody. */
function rosterOf(load: () => Roster): Roster | 'unknown' | 'forgotten' {
  try {
    return load();
  } catch (error) {
    if (error instanceof NotFoundError) return 'forgotten';
    if (error instanceof FileError) return 'unknown';
    throw error;
  }
}
