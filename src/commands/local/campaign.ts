import type { Command } from 'commander';
import { identifier } from '../../arguments.ts';
import type { Context } from '../../context.ts';
import { describeCampaign, pauseCampaign, resumeCampaign } from '../../engine/controls.ts';
import type { Campaign, State } from '../../engine/state.ts';
import { UsageError } from '../../errors.ts';
import { examples } from '../../help.ts';
import { printList, printRecord } from '../../output.ts';

const ACTIONS = { pause: pauseCampaign, resume: resumeCampaign };

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
  const change: ((state: State, id: number, now: number) => Campaign) | undefined = Object.hasOwn(ACTIONS, action)
    ? ACTIONS[action as keyof typeof ACTIONS]
    : undefined;
  if (change === undefined) throw new UsageError(`${JSON.stringify(action)} is none of list, pause, resume.`);
  if (id === undefined) throw new UsageError(`vagent local campaign ${action} needs a campaign.`);
  const { timeline } = await context.local();
  const campaign = await timeline.change(({ state }, now) => describeCampaign(change(state, id, now)));
  await printRecord(io, flags, campaign);
}

export async function listLocalCampaigns(context: Context): Promise<void> {
  const { timeline } = await context.local();
  const { snapshot } = await timeline.read();
  const campaigns = snapshot.state.campaigns.map(describeCampaign);
  await printList(context.io, context.flags, { campaigns }, { key: 'campaigns', columns: COLUMNS });
}
