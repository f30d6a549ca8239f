import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { connectionFlags } from '../../flags/global.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { printList } from '../../terminal/output.ts';
import { listLocalCampaigns } from '../shared/local-campaigns.ts';

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
  explain(command, {
    notes: `
The service has no operation that lists campaigns. On a real service the list comes from the register: the campaigns
that were sent from this machine, newest first. The outcome is accepted, or unknown if the campaign may not exist; the
status is the one that the service reported when the campaign was created.`,
    examples: ['vagent campaign list', 'vagent campaign list --json'],
    exits: EXITS.offline,
  });
  command.action(() => run(context));
}

export async function run(context: Context): Promise<void> {
  const { io, flags, settings } = context;
  const target = settings.target();
  if (target.mode === 'local') return listLocalCampaigns(context);
  context.announceProfile();
  const register = await context.register.open();
  const { campaigns, damage } = register.campaigns(target.name, context.settings.organization());
  const rows = campaigns.map(({ sent, outcome = 'unknown', answer = {} }) => ({
    campaign_id: answer.campaign_id ?? null,
    campaign_name: sent.request.campaign_name,
    outcome,
    status: outcome === 'accepted' ? (answer.status ?? null) : null,
    total_contacts: sent.contacts.count,
    agent_id: sent.request.agent_id,
    call_from: sent.request.call_from,
    start_time: sent.request.start_time ?? null,
    sent_at: sent.at,
    by: sent.by,
    file: sent.contacts.file ?? null,
    organization_id: sent.organization_id,
    entry: sent.entry,
  }));
  await printList(
    io,
    flags,
    { campaigns: rows },
    {
      key: 'campaigns',
      columns: COLUMNS,
      brief: BRIEF,
      importance: ['campaign_id', 'campaign_name', 'outcome', 'start_time', 'total_contacts', 'sent_at'],
      now: await context.serviceClock.now(),
      empty: `No campaign was sent from here yet. Create one: vagent campaign create${connectionFlags(flags)}`,
    },
  );
  if (damage !== undefined) throw damage;
}
