/** The plans that may still hand a wave over, by what a wave's request says of its plan. */
import type { StateFolder } from '../../state/state-folder.ts';
import { listPlans } from './plans.ts';

/** What a request says of the plan that it is a wave of. */
export interface WaveOf {
  id: number;
  /** ISO 8601, UTC: plans of two machines may have the same id. */
  created_at: string;
}

/** Finds the plan of a wave if it is not over; a damaged plan may not be. Undefined too if it is another machine's. Throws FileErrors. */
export function unendedPlans(state: StateFolder): (wave: WaveOf) => { plan_id: number; state: string } | undefined {
  const plans = new Map(listPlans(state).map((listed) => [listed.planId, listed.loaded]));
  return ({ id, created_at }) => {
    if (!plans.has(id)) return undefined;
    const loaded = plans.get(id);
    if (loaded === undefined) return { plan_id: id, state: 'damaged' };
    const { plan, position } = loaded;
    const isOver = position.state === 'done' || position.state === 'cancelled';
    return isOver || plan.createdAt !== Date.parse(created_at) ? undefined : { plan_id: id, state: position.state };
  };
}
