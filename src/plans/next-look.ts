/** When somebody may be called who may not be called now. Milliseconds since the epoch. */
import { capOver, gapOver } from './availability.ts';
import { Openings } from './openings.ts';
import type { LoadedPlan } from './plan.ts';
import type { Outlook } from './planner.ts';

/** The last of a contact's reasons to end. */
export interface Look {
  at: number;
  why: 'window' | 'retry' | 'gap' | 'cap' | 'others' | 'start' | 'from_cap';
}

/**
 * The earliest instant, not before that of `base`, at which a contact may be dialled, which is the first moment for a wave.
 * Undefined if there is nobody to call, or only phones of which a call is awaited. The instant is Infinity if nobody can say.
 */
export function nextLook(loaded: LoadedPlan, { freeAt }: Outlook, base: Look): Look | undefined {
  const { plan, roster, hours } = loaded;
  const { rules } = plan;
  const openings = new Openings(hours, base.at);
  const awaited = awaitedPhones(loaded);
  let best: Look | undefined;
  for (let row = 0; row < roster.size; row++) {
    const state = roster.stateOf(row);
    if ((state !== 'new' && state !== 'again') || roster.attemptsOf(row) >= rules.maxAttempts) continue;
    if (awaited.size > 0 && awaited.has(roster.phoneOf(row))) continue;
    let { at, why } = base;
    const after = (instant: number, reason: Look['why']) => {
      if (instant <= at) return;
      at = instant;
      why = reason;
    };
    if (state === 'again') after(roster.dueOf(row), 'retry');
    after(gapOver(roster, row, rules), 'gap');
    after(capOver(roster, row, rules), 'cap');
    if (best !== undefined && at >= best.at) continue;
    if (freeAt !== undefined) after(freeAt(row), 'others');
    if (best !== undefined && at >= best.at) continue;
    if (at < Number.POSITIVE_INFINITY) after(openings.firstIn(roster.placeOf(row), at), 'window');
    if (best === undefined || at < best.at) best = { at, why };
  }
  return best;
}

function awaitedPhones({ roster }: LoadedPlan): Set<number> {
  const phones = new Set<number>();
  if (roster.counts.handed === 0) return phones;
  for (let row = 0; row < roster.size; row++) if (roster.stateOf(row) === 'handed') phones.add(roster.phoneOf(row));
  return phones;
}
