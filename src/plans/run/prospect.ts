/** A plan that is not written yet, as its first run would have it. */
import type { Contact } from '../../contract.ts';
import { InputError } from '../../errors.ts';
import { isoTime } from '../../text/iso.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';
import { applyEvent, newPosition } from '../rules/apply.ts';
import { callingWindowsOf } from '../rules/calendar.ts';
import { decide } from '../rules/decide.ts';
import type { LoadedPlan, Place, PlanDraft } from '../rules/plan.ts';
import { Roster } from '../rules/roster.ts';
import { dialsOf, type PlanRules, ZONE_OF_CONTACT } from '../rules/rules.ts';
import { doNotCallBy } from './do-not-call.ts';
import type { PlanPorts } from './ports.ts';

/** More than a new plan needs: it waits for its start, and for an hour. */
const MOST_STEPS = 50;

export interface Drafted {
  draft: PlanDraft;
  contacts: readonly Contact[];
  /** The index of each contact's place in the plan. */
  placeOf: ArrayLike<number>;
}

/** In memory, without those who opted out of other plans. Throws FileError. */
export async function prospectOf(
  { draft, contacts, placeOf }: Drafted,
  ports: Pick<PlanPorts, 'register'>,
): Promise<LoadedPlan> {
  const roster = new Roster(contacts.length, dialsOf(draft.rules));
  for (const [row, { phone_number }] of contacts.entries())
    roster.put(row, phoneKeyOfNumber(phone_number), placeOf[row] as number);
  const plan = { ...draft, plan_id: 0, contacts: contacts.length, columns: undefined };
  const windows = callingWindowsOf(plan.rules, plan.places);
  const loaded = { plan, position: newPosition(), roster, windows, ahead: draft.clockAhead ?? 0 };
  // The lists of the plan were just read with its contacts.
  for (const event of await doNotCallBy([], loaded, ports, draft.createdAt)) applyEvent(event, loaded, 0);
  return loaded;
}

/** The roster has two bytes for the index of a place. */
const MOST_PLACES = 1 << 16;

/** Where one zone holds for all, it does not matter where a number is; its country still has its holidays. */
export function placeBy({ zone }: Pick<PlanRules, 'zone'>, { zones, country }: Place): Place {
  return { zones: zone === ZONE_OF_CONTACT ? zones : [zone], country };
}

/** The places that count for contacts, and for each the index of its own. `wheres` has the same object for the same place. */
export function placesOf(wheres: readonly Place[], rules: Pick<PlanRules, 'zone'>) {
  const places: Place[] = [];
  const byName = new Map<string, number>();
  const indexOf = (where: Place) => {
    const place = placeBy(rules, where);
    const name = JSON.stringify([place.zones, place.country]);
    const index = byName.get(name) ?? places.push(place) - 1;
    byName.set(name, index);
    if (index === MOST_PLACES) throw new InputError(`The contacts are in more than ${MOST_PLACES} different places.`);
    return index;
  };
  const indexes = new Map([...new Set(wheres)].map((where) => [where, indexOf(where)]));
  return { places, placeOf: wheres.map((where) => indexes.get(where) as number) };
}

/** `at`: ISO 8601, UTC. */
export type FirstWave = { at: string; contacts: number; from: string };

/** The one that the plan would submit if it were run as soon as it can; null if it never could. */
export function firstWave(loaded: LoadedPlan, begin: number): FirstWave | null {
  let now = begin;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const next = decide(loaded, { now });
    if (next.kind === 'wave') return { at: isoTime(next.start), contacts: next.rows.length, from: next.from };
    if (next.kind !== 'wait' || next.at >= (loaded.plan.rules.end ?? Number.POSITIVE_INFINITY)) return null;
    now = next.at;
  }
  return null;
}
