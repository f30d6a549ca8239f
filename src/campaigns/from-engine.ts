/** The campaigns of the local engine. Its single calls are not recorded anywhere but in its log. */
import type { Contact } from '../contract.ts';
import { lastSlot } from '../engine/campaigns.ts';
import type { Ports } from '../register/ports.ts';
import { phoneKey, phoneKeyOfNumber } from '../text/phone.ts';
import { SECOND } from '../text/units.ts';
import type { Contacts } from './attribution/party.ts';
import type { Launch, Launches } from './launches.ts';

export async function launchesOnEngine({ local, clock }: Pick<Ports, 'local' | 'clock'>): Promise<Launches> {
  const { timeline } = await local.engine();
  const { snapshot } = await timeline.read();
  const campaigns = snapshot.state.campaigns.map((campaign): Launch => {
    const { campaign_id, agent_id, call_from, start_time, retry_attempts } = campaign;
    let kept: Iterable<Contact> | undefined;
    let rows: Awaited<ReturnType<typeof snapshot.rowsOf>>;
    const contacts = () => {
      if (kept === undefined) throw new Error(`campaign ${campaign_id} was not loaded`);
      return kept;
    };
    const isOver = campaign.status === 'completed';
    return {
      ...{ key: campaign_id, campaignId: campaign_id, name: campaign.campaign_name, at: start_time, files: [] },
      ...{ agentId: agent_id, from: phoneKey(call_from), start: start_time, isOver },
      // One that is not over may be paused for any time.
      span: { from: start_time, until: isOver ? lastSlot(campaign) : Number.POSITIVE_INFINITY },
      callsPerHour: campaign.calls_per_hour,
      attempts: 1 + retry_attempts,
      retryDelay: campaign.retry_delay * SECOND,
      contacts: contactsOnDemand(contacts, campaign.total_contacts),
      async load(what) {
        kept = await snapshot.contactsOf(campaign_id);
        if (what === 'all') rows = await snapshot.rowsOf(campaign_id);
      },
      async *sent() {
        const cells = rows?.rows[Symbol.iterator]();
        for (const contact of contacts()) yield { contact, cells: cells?.next().value };
      },
      columns: () => rows?.columns,
    };
  });
  return { campaigns, calls: [], forgotten: [], damage: undefined, now: () => clock.now() };
}

/** Read when they are needed: most campaigns have nothing to do with the one that is looked at. */
function contactsOnDemand(read: () => Iterable<Contact>, count: number): Contacts {
  let phones: Float64Array | undefined;
  let identifiers: (string | undefined)[] | undefined;
  return {
    get phones() {
      if (phones === undefined) {
        phones = new Float64Array(count);
        let row = 0;
        for (const { phone_number } of read()) phones[row++] = phoneKeyOfNumber(phone_number);
      }
      return phones;
    },
    identifierOf(row) {
      identifiers ??= Array.from(read(), ({ custom_identifiers }) => custom_identifiers || undefined);
      return identifiers[row];
    },
  };
}
