import { type Counts, progressOfList } from '../../campaigns/progress/listed.ts';
import { connectionFlags } from '../../cli/flags/global.ts';
import { progressBar } from '../../cli/terminal/drawing.ts';
import { isForPerson, printList } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { isUnknown, type Past, type SentCampaign } from '../../register/requests.ts';
import type { CommandModule } from '../shared/command.ts';
import { listLocalCampaigns, noteWaves } from '../shared/local-campaigns.ts';

const COLUMNS = [
  ...['campaign_id', 'campaign_name', 'outcome', 'status', 'total_contacts', 'agent_id', 'call_from', 'start_time'],
  ...['sent_at', 'by', 'file', 'organization_id', 'entry', 'reached', 'waiting', 'attempts', 'states'],
];
const SENT = ['campaign_id', 'campaign_name', 'outcome', 'total_contacts', 'start_time', 'sent_at', 'file'];
const COUNTS = ['reached', 'waiting', 'attempts'];
const BRIEF = [...SENT, ...COUNTS];
const SCREEN = ['campaign_id', 'campaign_name', 'outcome', 'progress', ...COUNTS, ...SENT.slice(3)];
const BAR_WIDTH = 10;

export const command: CommandModule = {
  notes: `
The service has no operation that lists campaigns. On a real service the list comes from the register: the campaigns
that were sent from this machine, newest first. The outcome is accepted, or unknown if the campaign may not exist; the
status is the one that the service reported when the campaign was created. Of a campaign that was forgotten, this list
is all that is left.

How many contacts were reached and how many wait comes from the call log: it is read for the campaigns of the last 30
days that are not over, for at most 10 seconds. The counts of one that is over are kept beside the register. Where the log
cannot be read, the list is shown without.

The simulator counts for itself, without reading its log.

A plan sends its contacts in campaigns of its own, its waves: they are listed only with --waves, or where the outcome of one is
unknown. vagent plan status shows how far a plan is.`,
  examples: ['vagent campaign list', 'vagent campaign list --json'],
  exits: 'offline',
  lists: true,
  takes: (command) => command.option('--waves', 'also the campaigns that are waves of plans'),
  run,
};

async function run(context: Context, { waves }: { waves?: true }): Promise<void> {
  const { flags, settings } = context;
  const target = settings.target();
  if (target.mode === 'local') return listLocalCampaigns(context, waves === true);
  context.services.announce();
  const register = await context.register.open();
  const organization = settings.organization();
  const { campaigns: all, damage } = await register.campaigns(target.name, organization);
  // One that may not exist is for somebody to look at.
  const campaigns = waves ? all : all.filter((one) => one.sent.plan === undefined || isUnknown(one));
  const progress = await progressOfList(campaigns, organization !== undefined, context);
  const isShown = isForPerson(context);
  const rows = campaigns.map((campaign) => {
    const { entry, contacts } = campaign.sent;
    const counts = progress.get(entry) ?? UNKNOWN;
    return { ...rowOf(campaign), ...(isShown && { progress: barOf(counts, contacts.count) }), ...counts };
  });
  await printList(context, { campaigns: rows }, 'campaigns', {
    columns: COLUMNS,
    brief: BRIEF,
    ...(isShown && { screen: SCREEN }),
    importance: [
      ...['campaign_id', 'campaign_name', 'outcome', 'progress', 'start_time', 'total_contacts', 'sent_at'],
      ...['reached', 'waiting'],
    ],
    now: await context.clock.now(),
    empty: `No campaign was sent from here yet. Create one: vagent campaign create${connectionFlags(flags)}`,
  });
  noteWaves(all.length - campaigns.length, context);
  if (damage !== undefined) throw damage;
}

const UNKNOWN: Record<keyof Counts, null> = { reached: null, waiting: null, attempts: null, states: null };

function rowOf(campaign: Past<SentCampaign>): Record<string, unknown> {
  const { sent, answer = {} } = campaign;
  const isUncertain = isUnknown(campaign);
  return {
    campaign_id: answer.campaign_id ?? null,
    campaign_name: sent.request.campaign_name,
    outcome: sent.forgotten === undefined ? (isUncertain ? 'unknown' : 'accepted') : 'forgotten',
    status: isUncertain ? null : (answer.status ?? null),
    total_contacts: sent.contacts.count,
    agent_id: sent.request.agent_id,
    call_from: sent.request.call_from,
    start_time: sent.request.start_time ?? null,
    sent_at: sent.at,
    by: sent.by,
    file: sent.contacts.file ?? null,
    organization_id: sent.organization_id,
    entry: sent.entry,
  };
}

function barOf({ states }: Pick<Counts, 'states'> | typeof UNKNOWN, contacts: number): string | null {
  return states && progressBar(contacts - states.waiting - states.calling, contacts, BAR_WIDTH);
}
