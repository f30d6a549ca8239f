/** The name of a wave's campaign, by which it is recognised where nothing else is kept of it. */
import { MAX_NAME_LENGTH } from '../engine/policy.ts';
import type { Plan } from './plan.ts';

/** Characters of a plan's name: with the largest numbers behind it, the local engine still takes it. */
export const LONGEST_PLAN_NAME = MAX_NAME_LENGTH - 50;

/** Such as `Spring (plan 3, wave 7)`. */
export function waveName({ plan_id, plan_name }: Pick<Plan, 'plan_id' | 'plan_name'>, wave: number): string {
  return `${plan_name} (plan ${plan_id}, wave ${wave})`;
}

/** The number of the wave of a plan that has this name; undefined if it is none. */
export function waveNamed(name: string, plan: Pick<Plan, 'plan_id' | 'plan_name'>): number | undefined {
  const [, digits] = /, wave (\d{1,15})\)$/.exec(name) ?? [];
  const wave = Number(digits);
  return digits !== undefined && waveName(plan, wave) === name ? wave : undefined;
}
