import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { examples } from '../../help.ts';
import { printList } from '../../output.ts';
import { listLocalCampaigns } from '../local/campaign.ts';

const COLUMNS = [
  'campaign_id',
  'campaign_name',
  'outcome',
  'status',
  'total_contacts',
  'agent_id',
  'call_from',
  'start_time',
  'sent_at',
  'by',
  'file',
  'organization_id',
  'entry',
];
const BRIEF = ['campaign_id', 'campaign_name', 'outcome', 'total_contacts', 'start_time', 'sent_at', 'file'];

export function register(command: Command, context: Context): void {
  command
    .addHelpText(
      'after',
      `
The service has no operation for it: on a real service it is those that were sent from this machine, newest first, as
the register has them. The outcome is accepted, or unknown where nobody knows whether there is such a campaign; the
status is what the service said when it was created.
${examples(['vagent campaign list', 'vagent campaign list --json'])}`,
    )
    .action(() => run(context));
}

async function run(context: Context): Promise<void> {
  const { io, flags, settings } = context;
  const { target } = settings;
  if (target.mode === 'local') return listLocalCampaigns(context);
  context.tellProfile();
  const register = await context.register();
  const { campaigns, damage } = register.campaigns(target.name, context.organizationId);
  const rows = campaigns.map(({ sent, outcome = 'unknown', answer = {} }) => ({
    campaign_id: answer.campaign_id ?? null,
    campaign_name: sent.request.campaign_name,
    outcome,
    status: outcome === 'accepted' ? (answer.status ?? null) : null,
    total_contacts: sent.contacts?.count ?? null,
    agent_id: sent.request.agent_id,
    call_from: sent.request.call_from,
    start_time: sent.request.start_time ?? null,
    sent_at: sent.at,
    by: sent.by,
    file: sent.contacts?.file ?? null,
    organization_id: sent.organization_id,
    entry: sent.entry,
  }));
  await printList(io, flags, { campaigns: rows }, { key: 'campaigns', columns: COLUMNS, brief: BRIEF });
  if (damage !== undefined) throw damage;
}
