/** Runs a rehearsal of a campaign. */
import type { Context } from '../../../context.ts';
import type { Rehearsal } from '../../../engine/rehearsal.ts';
import type { Plan } from '../../../engine/rehearsal-plan.ts';
import { playSteps } from '../../shared/play-steps.ts';

const CALLS_A_TURN = 5_000;

export async function play(plan: Plan, runs: number, context: Context): Promise<Rehearsal> {
  const { rehearse } = await import('../../../engine/rehearsal.ts');
  return playSteps(rehearse(plan, runs), { doing: 'Rehearsing calls', aTurn: CALLS_A_TURN }, context);
}
