/** A plan in memory that is not written yet: to see what it would do. */
import type { Contact } from '../contract.ts';
import { phoneKeyOfDigits } from '../text/phone.ts';
import { newPosition } from './apply.ts';
import { hoursOf } from './calendar.ts';
import type { LoadedPlan, Plan } from './plan.ts';
import { Roster, recordBytes, STATIC_BYTES } from './roster.ts';
import { dialsOf } from './rules.ts';

const PLACE = 8;

/** `placeOf` gives the index of each contact's place in the plan. */
export function drafted(
  draft: Omit<Plan, 'plan_id' | 'contacts' | 'contacts_sha256' | 'columns'>,
  contacts: readonly Contact[],
  placeOf: ArrayLike<number>,
): LoadedPlan {
  const fixed = new Uint8Array(contacts.length * STATIC_BYTES);
  const view = new DataView(fixed.buffer);
  for (const [row, { phone_number }] of contacts.entries()) {
    view.setFloat64(row * STATIC_BYTES, phoneKeyOfDigits(Number(phone_number.slice(1))), true);
    view.setUint16(row * STATIC_BYTES + PLACE, placeOf[row] as number, true);
  }
  const dials = dialsOf(draft.rules);
  const roster = new Roster(fixed, new Uint8Array(contacts.length * recordBytes(dials)), dials);
  const plan = { ...draft, plan_id: 0, contacts: contacts.length, contacts_sha256: '', columns: undefined };
  const hours = hoursOf(plan.rules, plan.places);
  return { plan, position: newPosition(), roster, hours, ahead: draft.clockAhead ?? 0 };
}
