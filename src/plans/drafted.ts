/** A plan in memory that is not written yet: to see what it would do. */
import type { Contact } from '../contract.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import { newPosition } from './apply.ts';
import { hoursOf } from './calendar.ts';
import type { LoadedPlan, PlanDraft } from './plan.ts';
import { RosterDraft } from './roster.ts';
import { dialsOf } from './rules.ts';

/** `placeOf` gives the index of each contact's place in the plan. */
export function drafted(draft: PlanDraft, contacts: readonly Contact[], placeOf: ArrayLike<number>): LoadedPlan {
  const filling = new RosterDraft(contacts.length, dialsOf(draft.rules));
  for (const [row, { phone_number }] of contacts.entries())
    filling.put(row, phoneKeyOfNumber(phone_number), placeOf[row] as number);
  const plan = { ...draft, plan_id: 0, contacts: contacts.length, columns: undefined };
  const hours = hoursOf(plan.rules, plan.places);
  return { plan, position: newPosition(), roster: filling.filled(), hours, ahead: draft.clockAhead ?? 0 };
}
