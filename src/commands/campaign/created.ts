/** The campaigns that were created from here, on a real service or the local engine, as far as their results need them. */
import { type CampaignFacts, CampaignResults } from '../../calls/campaign-results.ts';
import { firstDaySince } from '../../calls/days.ts';
import { pages } from '../../calls/pages.ts';
import { CLOCK_LAG } from '../../calls/select.ts';
import type { Context } from '../../context.ts';
import { type ContactKey, DEFAULT_RETRY_ATTEMPTS, type RequestOf, totalOf } from '../../contract.ts';
import { NotFoundError } from '../../errors.ts';
import { Progress } from '../../progress.ts';

type SentRequest = Omit<RequestOf<'createCampaign'>, 'contacts'>;

interface CreatedCampaign {
  campaign_id: number;
  campaign_name: string;
  facts: CampaignFacts;
  contacts: readonly ContactKey[];
}

export interface ReadCampaign extends CreatedCampaign {
  results: CampaignResults;
}

/** Finds a campaign and goes through the calls of its agent since it began. Throws NotFoundError. */
export async function readResults(id: number, context: Context): Promise<ReadCampaign> {
  context.tellProfile();
  const { target } = context.settings;
  const campaign = target.mode === 'remote' ? await registered(id, target.name, context) : await local(id, context);
  const { agent_id, start } = campaign.facts;
  const service = await context.service();
  const results = new CampaignResults(campaign.contacts, campaign.facts);
  const progress = new Progress(context.io, 'Reading calls');
  const filters = { agent_id, start_date: firstDaySince(start - CLOCK_LAG) };
  let read = 0;
  try {
    for await (const { calls, response } of pages(service, filters, { concurrency: context.concurrency })) {
      for (const call of calls) results.take(call);
      read += calls.length;
      progress.at(read, totalOf(response));
    }
  } finally {
    progress.end();
  }
  return { ...campaign, results };
}

async function registered(id: number, service: string, context: Context): Promise<CreatedCampaign> {
  const register = await context.register();
  // Each organization may count its campaigns from 1.
  const { campaigns, damage } = register.campaigns(service, context.requireOrganization());
  const found = campaigns.find(({ answer }) => answer?.campaign_id === id);
  if (found === undefined) {
    if (damage !== undefined) throw damage;
    throw new NotFoundError(`There is no campaign ${id} that was created from here.`, {
      hint: `vagent campaign list${context.connection}`,
    });
  }
  const { request, at, entry } = found.sent;
  const { campaign_name, agent_id, call_from, start_time, retry_attempts } = request as SentRequest;
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
      hint: `vagent campaign list${context.connection}`,
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
