import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { identifier } from '../../flags/values.ts';
import { printRecord } from '../../terminal/output.ts';
import { listLocalCampaigns } from '../shared/local-campaigns.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent local campaign list', 'vagent local campaign pause 1', 'vagent local campaign resume 1'],
    exits: EXITS.engine,
  });
  command
    .argument('<action>', 'list, pause or resume')
    .argument('[id]', 'campaign to pause or resume', identifier)
    .action((action: string, id: number | undefined) => run(action, id, context));
}

export async function run(action: string, id: number | undefined, context: Context): Promise<void> {
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
