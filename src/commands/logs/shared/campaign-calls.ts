/** The calls of one campaign in the log, for `--campaign`: the log is read once to tell whose its calls are. */
import type { Context } from '../../../context.ts';
import type { CallLogEntry } from '../../../contract.ts';
import { UsageError } from '../../../errors.ts';
import { markOf } from '../../../paging/identity.ts';
import type { CallFilters } from '../../../paging/pages.ts';
import { findLaunch, knownLaunches, type Line, linesOf, readLine } from '../../campaign/shared/launch.ts';
import type { CampaignWord } from '../../shared/pick-campaign.ts';

export interface CampaignCalls {
  /** What to ask the service for. */
  filters: Pick<CallFilters, 'agent_id' | 'start_date'>;
  /** Whether a call is of the campaign, as far as is known by now. */
  isOf(call: CallLogEntry): boolean;
  /** Takes a call that came later, or has changed; false if it can be of no campaign. */
  take(call: CallLogEntry): boolean;
  /** Works out anew whose the calls are. */
  resolve(): Promise<void>;
}

/** Throws NotFoundError, and UsageError where it is not clear which campaign is meant, or if it is of another agent. */
export async function callsOfCampaign(
  word: CampaignWord,
  agent: number | undefined,
  context: Context,
): Promise<CampaignCalls> {
  const launches = await knownLaunches(context);
  const launch = await findLaunch(word, launches, context);
  const { agentId, key } = launch.part;
  if (agent !== undefined && agent !== agentId) {
    throw new UsageError(`Campaign ${launch.campaign_id} is of agent ${agentId}, not ${agent}: no call can match.`);
  }
  const [line] = (await linesOf([launch], launches, context.io)) as [Line];
  await readLine(line, launches, context);
  const { attribution, filters } = line;
  return {
    filters,
    isOf(call) {
      const owner = attribution.ownerOf(markOf(call));
      return owner?.kind === 'campaign' && owner.key === key;
    },
    take: (call) => attribution.take(call),
    resolve: async () => attribution.resolve(await launches.now()),
  };
}
