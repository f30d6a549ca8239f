/** The campaigns of the local engine. Its single calls are not recorded anywhere but in its log. */
import type { Context } from '../../../context.ts';
import type { Contact } from '../../../contract.ts';
import { lastSlot } from '../../../engine/campaigns.ts';
import type { OriginalRows } from '../../../files/rows.ts';
import { phoneKey } from '../../../text/phone.ts';
import { contactsOnDemand } from './contacts-on-demand.ts';
import type { Launch, Launches } from './launch.ts';

export async function launchesOnEngine(context: Context): Promise<Launches> {
  const { timeline } = await context.local();
  const { snapshot } = await timeline.read();
  const campaigns = snapshot.state.campaigns.map((campaign) => {
    const { campaign_id, agent_id, call_from, start_time, retry_attempts } = campaign;
    let sent: Iterable<Contact> | undefined;
    let rows: OriginalRows | undefined;
    const contactsSent = () => {
      if (sent === undefined) throw new Error(`campaign ${campaign_id} was not loaded`);
      return sent;
    };
    const contacts = contactsOnDemand(contactsSent, campaign.total_contacts);
    const isOver = campaign.status === 'completed';
    const part = {
      key: campaign_id,
      campaignId: campaign_id,
      agentId: agent_id,
      from: phoneKey(call_from),
      start: start_time,
      // One that is not over may be paused for any time.
      span: { from: start_time, until: isOver ? lastSlot(campaign) : Number.POSITIVE_INFINITY },
      callsPerHour: campaign.calls_per_hour,
      attempts: 1 + retry_attempts,
      retryDelay: campaign.retry_delay * 1000,
      contacts,
      isOver,
      phones: () => contacts.phones,
      async load(what: 'keys' | 'all') {
        sent = await snapshot.contactsOf(campaign_id, what);
        if (what === 'all') rows = await snapshot.rowsOf(campaign_id);
      },
      async *sent() {
        const cells = rows?.rows[Symbol.iterator]();
        for (const contact of contactsSent()) yield { contact, cells: cells?.next().value };
      },
      columns: () => rows?.columns,
    };
    const launch: Launch = { campaign_id, campaign_name: campaign.campaign_name, at: start_time, part };
    return { part, launch };
  });
  return {
    campaigns: campaigns.map(({ launch }) => launch).reverse(),
    parts: campaigns.map(({ part }) => part),
    calls: [],
    forgotten: [],
    where: 'in the store',
    damage: undefined,
    now: () => context.serviceClock.now(),
  };
}
