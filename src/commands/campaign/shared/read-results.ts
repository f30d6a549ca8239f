/** Finds a campaign that was created from here, on a real service or the local engine, and counts its results. */
import { type CampaignFacts, CampaignResults } from '../../../calls/campaign-results.ts';
import { CLOCK_LAG } from '../../../calls/select.ts';
import type { Context } from '../../../context.ts';
import { type ContactKey, DEFAULT_RETRY_ATTEMPTS } from '../../../contract.ts';
import { NotFoundError, type VagentError } from '../../../errors.ts';
import { connectionFlags } from '../../../flags/global.ts';
import { pages } from '../../../paging/pages.ts';
import { firstDaySince } from '../../../text/days.ts';
import { concurrencyOf } from '../../shared/concurrency.ts';
import {
  askCampaign,
  type CampaignWord,
  type KnownCampaign,
  latestCampaign,
  pickCampaign,
} from '../../shared/pick-campaign.ts';
import { readLog } from '../../shared/read-log.ts';

/** Explains in the help of `campaign status` and `campaign results` how calls are counted. */
export const RESULTS_HELP = `
The service shows calls, not campaigns. The results count the calls of the campaign's agent, from its number, to its
contacts, since its start. Calls of another campaign, or of vagent call, with the same agent and numbers count as well.
A contact is reached when a call was completed, exhausted after the last attempt, and waiting until then.
`;

interface CreatedCampaign {
  campaign_id: number;
  campaign_name: string;
  facts: CampaignFacts;
  contacts: readonly ContactKey[];
}

export interface ReadCampaign extends CreatedCampaign {
  results: CampaignResults;
}

/**
 * Finds a campaign by its id or name, or the latest where none is named on a terminal, and reads the calls of its agent since it
 * began. Throws NotFoundError, and UsageError where it is not clear which is meant.
 */
export async function readResults(word: CampaignWord | undefined, context: Context): Promise<ReadCampaign> {
  context.announceProfile();
  const target = context.settings.target();
  const campaign = target.mode === 'remote' ? await registered(word, target.name, context) : await local(word, context);
  const { agent_id, start } = campaign.facts;
  const service = await context.service();
  const results = new CampaignResults(campaign.contacts, campaign.facts);
  const filters = { agent_id, start_date: firstDaySince(start - CLOCK_LAG) };
  const reading = pages(service, filters, { concurrency: concurrencyOf(context) });
  for await (const { calls } of readLog(reading, 'Reading calls', context.io)) {
    for (const call of calls) results.take(call);
  }
  return { ...campaign, results };
}

async function registered(word: CampaignWord | undefined, service: string, context: Context): Promise<CreatedCampaign> {
  const register = await context.register.open();
  // Campaign ids are unique only within an organization.
  const { campaigns, damage } = register.campaigns(service, context.settings.requireOrganization());
  const known = campaigns.flatMap(({ sent, answer }) => {
    const { campaign_id } = answer ?? {};
    const campaign = { campaign_name: sent.request.campaign_name, at: Date.parse(sent.at), sent };
    return typeof campaign_id === 'number' ? [{ campaign_id, ...campaign }] : [];
  });
  const { campaign_id, campaign_name, sent } = await find(word, known, context, 'that was created from here', damage);
  const { request, at, entry } = sent;
  const { agent_id, call_from, start_time, retry_attempts } = request;
  return {
    campaign_id,
    campaign_name,
    facts: {
      agent_id,
      call_from,
      start: Date.parse(start_time ?? at),
      attempts: 1 + (retry_attempts ?? DEFAULT_RETRY_ATTEMPTS),
    },
    contacts: register.contactsOf(entry),
  };
}

async function local(word: CampaignWord | undefined, context: Context): Promise<CreatedCampaign> {
  const { timeline } = await context.local();
  const { snapshot } = await timeline.read();
  const known = snapshot.state.campaigns.map((campaign) => ({ ...campaign, at: campaign.start_time })).toReversed();
  const { campaign_id, campaign_name, ...found } = await find(word, known, context, 'in the store');
  const { agent_id, call_from, start_time, retry_attempts } = found;
  return {
    campaign_id,
    campaign_name,
    facts: { agent_id, call_from, start: start_time, attempts: 1 + retry_attempts },
    contacts: snapshot.contactsOf(campaign_id),
  };
}

/** Throws `damage` in place of a NotFoundError: what is not found may be lost. */
async function find<C extends KnownCampaign>(
  word: CampaignWord | undefined,
  newestFirst: readonly C[],
  { io, flags }: Context,
  where: string,
  damage?: VagentError,
): Promise<C> {
  const advice = { where, list: `vagent campaign list${connectionFlags(flags)}` };
  try {
    // One of several is asked for, with the latest preset; a single one is meant.
    const meant = word === undefined && io.canAsk && newestFirst.length > 1 ? await askCampaign(newestFirst, io) : word;
    return meant === undefined ? latestCampaign(newestFirst, io, advice) : pickCampaign(meant, newestFirst, advice);
  } catch (error) {
    throw damage !== undefined && error instanceof NotFoundError ? damage : error;
  }
}
