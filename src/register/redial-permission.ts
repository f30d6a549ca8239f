/**
 * Whether a campaign is one to call people again, by a list that was made for it: then campaigns that were sent before the list
 * was made do not object. Those that were sent later do, so that one list is sent once.
 */
import { type Earlier, isUnknown } from './ledger.ts';
import type { Intent } from './lines.ts';
import { holdsAll, REDIAL_LASTS, type Redial } from './redials.ts';
import { serviceKey } from './service-key.ts';

export interface RedialPermission {
  redial: Redial;
  /** Whether the list is too old: then it allows nothing. */
  isTooOld: boolean;
}

/**
 * The newest list that holds all `phones` and was made after each of the campaigns `before` was sent. Undefined if there is none.
 * `redials` are all that are kept, the newest first; `now` is in milliseconds since the epoch.
 */
export function redialPermission(
  intent: Intent,
  phones: Float64Array,
  { before, redials, now }: { before: readonly Earlier[]; redials: Iterable<Redial>; now: number },
): RedialPermission | undefined {
  for (const redial of redials) {
    if (!isOf(redial, intent) || !holdsAll(redial.phones, phones)) continue;
    if (!before.every((campaign) => knew(redial, campaign))) continue;
    // A list from the future was made by a clock that is not to be relied on.
    const age = now - redial.at;
    return { redial, isTooOld: age > REDIAL_LASTS || age < 0 };
  }
  return undefined;
}

function isOf({ service, organizationId }: Redial, intent: Intent): boolean {
  return serviceKey(service) === serviceKey(intent.service) && organizationId === intent.organization_id;
}

/**
 * Whether the list was made with the knowledge of a campaign. The calls of another organization cannot be read with its key, and
 * what stands behind the last entry came later, even if the clock says otherwise.
 */
function knew({ at, lastEntry, organizationId }: Redial, earlier: Earlier): boolean {
  const { sent } = earlier;
  const wasBefore = sent.entry <= lastEntry && Date.parse(sent.at) <= at;
  return wasBefore && !isUnknown(earlier) && sent.organization_id === organizationId;
}
