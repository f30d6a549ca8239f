/** What came of campaigns that are over, kept beside the register, so that their calls are not read again to list them. */
import { type CampaignSummary, summaryIn } from '../../register/campaign-summary.ts';
import type { Ports } from '../../register/ports.ts';
import { isoTime, isoTimeOrNull } from '../../text/iso.ts';
import { DAY } from '../../text/units.ts';
import type { Tally } from '../attribution/tally.ts';

/** Milliseconds: until then an entry may still come, or be completed. */
const SETTLED_AFTER = DAY;

/** Keeps the counts of a campaign of a real service that is over at `now`. The engine knows its own. */
export async function keepTally(key: number, tally: Tally, now: number, { register }: Ports): Promise<void> {
  if (register.target().isLocal) return;
  const { contacts, states, attempts, ambiguous, firstCall, lastCall } = tally;
  const summary: CampaignSummary = {
    ...{ at: isoTime(now), contacts, states, attempts, ambiguous },
    ...{ first_call: isoTimeOrNull(firstCall), last_call: isoTimeOrNull(lastCall) },
  };
  await (await register.open()).keepSummary(key, JSON.stringify(summary));
}

/** What was kept, and whether it will not change any more. */
export function keptOf(json: string | undefined) {
  const summary = summaryIn(json);
  if (summary === undefined) return undefined;
  const last = Date.parse(summary.last_call ?? summary.at);
  return { summary, isFinal: Date.parse(summary.at) - last >= SETTLED_AFTER };
}
