/** What came of campaigns that are over, kept beside the register, so that their calls are not read again to list them. */
import type { Tally } from '../../../calls/attribution/attribution.ts';
import type { Context } from '../../../context.ts';
import { type CampaignSummary, summaryIn } from '../../../register/campaign-summary.ts';
import type { Launch } from './launch.ts';

/** Milliseconds: until then an entry may still come, or be completed. */
const SETTLED_AFTER = 86_400_000;

/** Keeps the counts of a campaign of a real service that is over at `now`. The engine knows its own. */
export async function keepTally(
  { part }: Pick<Launch, 'part'>,
  tally: Tally,
  now: number,
  { register, settings }: Context,
): Promise<void> {
  if (!settings.isRemote()) return;
  const opened = await register.open();
  const summary: CampaignSummary = {
    at: isoTime(now),
    contacts: tally.contacts,
    states: tally.states,
    attempts: tally.attempts,
    ambiguous: tally.ambiguous,
    first_call: tally.firstCall === undefined ? null : isoTime(tally.firstCall),
    last_call: tally.lastCall === undefined ? null : isoTime(tally.lastCall),
  };
  await opened.keepSummary(part.key, JSON.stringify(summary));
}

/** What was kept, and whether it will not change any more. */
export function keptOf(json: string | undefined) {
  const summary = summaryIn(json);
  if (summary === undefined) return undefined;
  const last = Date.parse(summary.last_call ?? summary.at);
  return { summary, isFinal: Date.parse(summary.at) - last >= SETTLED_AFTER };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
