import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { State } from '../../engine/state.ts';
import { UsageError } from '../../errors.ts';
import { connectionFlags } from '../../flags/global.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { printRecord } from '../../terminal/output.ts';
import { listLocalCampaigns } from '../shared/local-campaigns.ts';
import { type CampaignWord, campaignWord, type KnownCampaign, pickCampaign } from '../shared/pick-campaign.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent local campaign list', 'vagent local campaign pause 1', 'vagent local campaign resume 1'],
    exits: EXITS.engine,
  });
  command
    .argument('<action>', 'list, pause or resume')
    .argument('[campaign]', 'id or name of the campaign to pause or resume', campaignWord)
    .action((action: string, word: CampaignWord | undefined) => run(action, word, context));
}

export async function run(action: string, word: CampaignWord | undefined, context: Context): Promise<void> {
  const { io, flags } = context;
  if (action === 'list') {
    if (word !== undefined) throw new UsageError('vagent local campaign list takes no campaign.');
    return listLocalCampaigns(context);
  }
  if (action !== 'pause' && action !== 'resume') {
    throw new UsageError(`${JSON.stringify(action)} is not one of list, pause, resume.`);
  }
  if (word === undefined) throw new UsageError(`vagent local campaign ${action} needs a campaign.`);
  const { describeCampaign, pauseCampaign, resumeCampaign } = await import('../../engine/controls.ts');
  const change = { pause: pauseCampaign, resume: resumeCampaign }[action];
  const advice = { where: 'in the store', list: `vagent local campaign list${connectionFlags(flags)}` };
  const { timeline } = await context.local();
  const campaign = await timeline.change(({ state }, now) => {
    const id = typeof word === 'number' ? word : pickCampaign(word, knownOf(state), advice).campaign_id;
    return describeCampaign(change(state, id, now));
  });
  await printRecord(io, flags, campaign);
}

function knownOf({ campaigns }: State): KnownCampaign[] {
  return campaigns.map((campaign) => ({ ...campaign, at: campaign.start_time }));
}
