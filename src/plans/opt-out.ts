/** Outcomes after which a number is never called again. */
import type { PlanRules } from './rules.ts';

/** Whether a plan can take outcomes for opt-outs that another does not. */
export function hasOtherOptOuts(other: Pick<PlanRules, 'optOut'>, rules: Pick<PlanRules, 'optOut'>): boolean {
  return other.optOut.some((outcome) => !isOptOut(outcome, rules));
}

/** Labels are the service's own: `Do not call` and `do_not_call` are one. */
export function isOptOut(outcome: string, { optOut }: Pick<PlanRules, 'optOut'>): boolean {
  const label = plain(outcome);
  return label !== '' && optOut.some((wanted) => plain(wanted) === label);
}

const PLAIN = /^[a-z0-9]+(?:_[a-z0-9]+)*$/;

function plain(label: string): string {
  if (PLAIN.test(label)) return label;
  return label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');
}
