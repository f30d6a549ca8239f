/** A plan that is not written yet, as its first run would have it. */
import type { Contact } from '../../contract.ts';
import { isoTime } from '../../text/iso.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';
import { applyEvent, newPosition } from '../rules/apply.ts';
import { hoursOf } from '../rules/calendar.ts';
import { decide } from '../rules/decide.ts';
import type { LoadedPlan, PlanDraft } from '../rules/plan.ts';
import { Roster } from '../rules/roster.ts';
import { dialsOf } from '../rules/rules.ts';
import { excludedBy } from './do-not-call.ts';
import type { PlanPorts } from './ports.ts';

/** More than a new plan needs: it waits for its start, and for an hour. */
const MOST_LOOKS = 50;

export interface Drafted {
  draft: PlanDraft;
  contacts: readonly Contact[];
  /** The index of each contact's place in the plan. */
  placeOf: ArrayLike<number>;
}

/** Without those who opted out of other plans. Throws FileError. */
export async function prospectOf(plan: Drafted, ports: Pick<PlanPorts, 'register'>): Promise<LoadedPlan> {
  const loaded = drafted(plan);
  // The lists of the plan were just read with its contacts.
  for (const event of await excludedBy([], loaded, ports, plan.draft.createdAt)) applyEvent(event, loaded, 0);
  return loaded;
}

/** In memory. */
export function drafted({ draft, contacts, placeOf }: Drafted): LoadedPlan {
  const roster = new Roster(contacts.length, dialsOf(draft.rules));
  for (const [row, { phone_number }] of contacts.entries())
    roster.put(row, phoneKeyOfNumber(phone_number), placeOf[row] as number);
  const plan = { ...draft, plan_id: 0, contacts: contacts.length, columns: undefined };
  const hours = hoursOf(plan.rules, plan.places);
  return { plan, position: newPosition(), roster, hours, ahead: draft.clockAhead ?? 0 };
}

export interface FirstWave {
  /** ISO 8601, UTC. */
  at: string;
  contacts: number;
  from: string;
}

/** The one that the plan would hand over if it were run as soon as it can; null if it never could. */
export function firstWave(loaded: LoadedPlan, begin: number): FirstWave | null {
  const { rules } = loaded.plan;
  let now = begin;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const next = decide(loaded, { now });
    if (next.kind === 'wave') {
      return { at: isoTime(next.start), contacts: next.rows.length, from: next.from };
    }
    if (next.kind !== 'wait' || next.at >= (rules.end ?? Number.POSITIVE_INFINITY)) return null;
    now = next.at;
  }
  return null;
}
