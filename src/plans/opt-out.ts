/** Outcomes after which a number is never called again. */
import type { PlanRules } from './rules.ts';

/** A plan that some phones are in. */
export interface PlanOfPhones {
  rules: Pick<PlanRules, 'optOut'>;
  /** `phone` is `phoneKeyOfDigits` of a number. */
  has(phone: number): boolean;
}

/** Whether a call with this outcome is an opt-out for any of the plans that have the phone, as if each had just looked. */
export function hasOptedOut(phone: number, outcome: string, plans: readonly PlanOfPhones[]): boolean {
  return plans.some((plan) => isOptOut(outcome, plan.rules) && plan.has(phone));
}

/** Whether a plan can take outcomes for opt-outs that another does not. */
export function hasOtherOptOuts(other: Pick<PlanRules, 'optOut'>, rules: Pick<PlanRules, 'optOut'>): boolean {
  return other.optOut.some((outcome) => !isOptOut(outcome, rules));
}

/** Labels are the service's own: `Do not call` and `do_not_call` are one. */
export function isOptOut(outcome: string, { optOut }: Pick<PlanRules, 'optOut'>): boolean {
  const label = plain(outcome);
  return label !== '' && optOut.some((wanted) => plain(wanted) === label);
}

function plain(label: string): string {
  return label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');
}
