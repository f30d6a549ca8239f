/** Finds a campaign that was created from here, on a real service or the local engine, and counts its results. */
import { type CampaignFacts, CampaignResults } from '../../../calls/campaign-results.ts';
import { CLOCK_LAG } from '../../../calls/select.ts';
import type { Context } from '../../../context.ts';
import { type ContactKey, DEFAULT_RETRY_ATTEMPTS } from '../../../contract.ts';
import { NotFoundError } from '../../../errors.ts';
import { connectionFlags } from '../../../flags/global.ts';
import { pages } from '../../../paging/pages.ts';
import { firstDaySince } from '../../../text/days.ts';
import { concurrencyOf } from '../../shared/concurrency.ts';
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

/** Finds a campaign and reads the calls of its agent since it began. Throws NotFoundError. */
export async function readResults(id: number, context: Context): Promise<ReadCampaign> {
  context.announceProfile();
  const target = context.settings.target();
  const campaign = target.mode === 'remote' ? await registered(id, target.name, context) : await local(id, context);
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

async function registered(id: number, service: string, context: Context): Promise<CreatedCampaign> {
  const register = await context.register.open();
  // Campaign ids are unique only within an organization.
  const { campaigns, damage } = register.campaigns(service, context.settings.requireOrganization());
  const found = campaigns.find(({ answer }) => answer?.campaign_id === id);
  if (found === undefined) {
    if (damage !== undefined) throw damage;
    throw new NotFoundError(`There is no campaign ${id} that was created from here.`, {
      hint: `vagent campaign list${connectionFlags(context.flags)}`,
    });
  }
  const { request, at, entry } = found.sent;
  const { campaign_name, agent_id, call_from, start_time, retry_attempts } = request;
  return {
    campaign_id: id,
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

async function local(id: number, context: Context): Promise<CreatedCampaign> {
  const { timeline } = await context.local();
  const { snapshot } = await timeline.read();
  const found = snapshot.state.campaigns.find(({ campaign_id }) => campaign_id === id);
  if (found === undefined) {
    throw new NotFoundError(`There is no campaign ${id} in the store.`, {
      hint: `vagent campaign list${connectionFlags(context.flags)}`,
    });
  }
  const { campaign_name, agent_id, call_from, start_time, retry_attempts } = found;
  return {
    campaign_id: id,
    campaign_name,
    facts: { agent_id, call_from, start: start_time, attempts: 1 + retry_attempts },
    contacts: snapshot.contactsOf(id),
  };
}
