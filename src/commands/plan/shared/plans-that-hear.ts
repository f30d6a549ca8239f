/** Other plans of a plan's service, whose rules may take an outcome for an opt-out that those of the plan do not. */
import type { Context } from '../../../context.ts';
import { hasOtherOptOuts, isOptOut } from '../../../plans/opt-out.ts';
import type { Plan } from '../../../plans/plan.ts';
import { phonesAmong } from '../../../plans/rows/people.ts';
import { knownPlans } from './pick-plan.ts';
import { isOfSameService } from './same-service.ts';

export class OtherPlans {
  readonly #plans: readonly Plan[];
  /** Phones that opted out for some plan, if it has them, by the plan. */
  readonly #heard = new Map<number, Set<number>>();

  private constructor(plans: readonly Plan[]) {
    this.#plans = plans;
  }

  static async of({ plan_id, rules }: Plan, context: Context): Promise<OtherPlans> {
    const plans = (await knownPlans(context)).flatMap(({ loaded }) => loaded?.plan ?? []);
    const isOther = (plan: Plan) => plan.plan_id !== plan_id && isOfSameService(plan, context.settings);
    return new OtherPlans(plans.filter((plan) => isOther(plan) && hasOtherOptOuts(plan.rules, rules)));
  }

  hear(phone: number, outcome: string): void {
    for (const { plan_id, rules } of this.#plans) {
      if (!isOptOut(outcome, rules)) continue;
      const phones = this.#heard.get(plan_id) ?? new Set();
      this.#heard.set(plan_id, phones.add(phone));
    }
  }

  /** The phones that opted out for a plan that has them. */
  async optedOut(context: Context): Promise<number[]> {
    const rows = await context.rows();
    const found: number[] = [];
    for (const [planId, phones] of this.#heard) found.push(...(await phonesAmong(rows, planId, [...phones])));
    return found;
  }
}
