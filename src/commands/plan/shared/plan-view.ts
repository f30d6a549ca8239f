/** How a plan that is watched is shown. */
import type { Watchable } from '../../shared/live-view.ts';
import { drawPlan, planInOneLine } from './draw-plan.ts';
import { newsOf, type PlanLook, SNAPSHOT_FIELDS, snapshotOf } from './plan-look.ts';

export const PLAN_VIEW: Watchable<PlanLook> = {
  name: 'A plan',
  keyOf: ({ record }) => record.plan_id,
  timeOf: ({ at }) => at,
  newsOf,
  draw: ([look], drawing) => (look === undefined ? [] : drawPlan(look, drawing)),
  inOneLine: planInOneLine,
  fields: SNAPSHOT_FIELDS,
  snapshotOf: (look) => ({ ...snapshotOf(look) }),
};
