import type { Command } from 'commander';
import { identifier } from '../../arguments.ts';
import type { Context } from '../../context.ts';
import type { describeCampaign } from '../../engine/controls.ts';
import { UsageError } from '../../errors.ts';
import { examples } from '../../help.ts';
import { printList, printRecord } from '../../output.ts';

/** What a list shows, whether or not there is a campaign. */
const COLUMNS: (keyof ReturnType<typeof describeCampaign>)[] = [
  'campaign_id',
  'campaign_name',
  'status',
  'reason',
  'total_contacts',
  'reached',
  'exhausted',
  'waiting',
  'attempts',
];

export function register(command: Command, context: Context): void {
  command
    .argument('<action>', 'list, pause or resume')
    .argument('[id]', 'campaign to pause or resume', identifier)
    .addHelpText(
      'after',
      examples(['vagent local campaign list', 'vagent local campaign pause 1', 'vagent local campaign resume 1']),
    )
    .action((action: string, id: number | undefined) => run(action, id, context));
}

async function run(action: string, id: number | undefined, context: Context): Promise<void> {
  const { io, flags } = context;
  if (action === 'list') {
    if (id !== undefined) throw new UsageError('vagent local campaign list takes no campaign.');
    return listLocalCampaigns(context);
  }
  if (action !== 'pause' && action !== 'resume') {
    throw new UsageError(`${JSON.stringify(action)} is none of list, pause, resume.`);
  }
  if (id === undefined) throw new UsageError(`vagent local campaign ${action} needs a campaign.`);
  const { describeCampaign, pauseCampaign, resumeCampaign } = await import('../../engine/controls.ts');
  const change = { pause: pauseCampaign, resume: resumeCampaign }[action];
  const { timeline } = await context.local();
  const campaign = await timeline.change(({ state }, now) => describeCampaign(change(state, id, now)));
  await printRecord(io, flags, campaign);
}

export async function listLocalCampaigns(context: Context): Promise<void> {
  const { describeCampaign } = await import('../../engine/controls.ts');
  const { timeline } = await context.local();
  const { snapshot } = await timeline.read();
  const campaigns = snapshot.state.campaigns.map(describeCampaign);
  await printList(context.io, context.flags, { campaigns }, { key: 'campaigns', columns: COLUMNS });
}
