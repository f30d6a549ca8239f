import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { State } from '../../engine/state.ts';
import { UsageError } from '../../errors.ts';
import { connectionFlags } from '../../flags/global.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { askedArgument } from '../../flags/plain-command.ts';
import { printRecord } from '../../terminal/output.ts';
import { complete } from '../../terminal/prompt.ts';
import { noteNextTime } from '../shared/consent.ts';
import { countedCampaigns, listLocalCampaigns } from '../shared/local-campaigns.ts';
import {
  askCampaign,
  type CampaignWord,
  campaignWord,
  type KnownCampaign,
  pickCampaign,
} from '../shared/pick-campaign.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent local campaign list', 'vagent local campaign pause 1', 'vagent local campaign resume 1'],
    exits: EXITS.engine,
  });
  askedArgument(command, '<action>', 'list, pause or resume', String)
    .argument('[campaign]', 'id or name of the campaign to pause or resume', campaignWord)
    .action((action: string | undefined, word: CampaignWord | undefined) => run(action, word, context));
}

const ACTIONS = ['list', 'pause', 'resume'];

export async function run(
  givenAction: string | undefined,
  givenWord: CampaignWord | undefined,
  context: Context,
): Promise<void> {
  const { io, flags } = context;
  const choices = async () => ACTIONS.map((name) => ({ name, value: name }));
  const { action } = await complete(
    io,
    { action: givenAction },
    { action: { flag: '<action>', message: 'What to do', choices } },
  );
  if (action === 'list') {
    if (givenWord !== undefined) throw new UsageError('vagent local campaign list takes no campaign.');
    await listLocalCampaigns(context);
    return noteNextTime(context);
  }
  if (action !== 'pause' && action !== 'resume') {
    throw new UsageError(`${JSON.stringify(action)} is not one of list, pause, resume.`);
  }
  if (givenWord === undefined && !io.canAsk) throw new UsageError(`vagent local campaign ${action} needs a campaign.`);
  const word = givenWord ?? (await askLocalCampaign(context));
  const { describeCampaign, pauseCampaign, resumeCampaign } = await import('../../engine/controls.ts');
  const change = { pause: pauseCampaign, resume: resumeCampaign }[action];
  const advice = { where: 'in the store', list: `vagent local campaign list${connectionFlags(flags)}` };
  const { timeline } = await context.local();
  const campaign = await timeline.change(({ state }, now) => {
    const id = typeof word === 'number' ? word : pickCampaign(word, knownOf(state), advice).campaign_id;
    return describeCampaign(change(state, id, now));
  });
  const [counted] = await countedCampaigns([campaign], context);
  await printRecord(io, flags, { ...counted });
}

function knownOf({ campaigns }: State): KnownCampaign[] {
  return campaigns.map((campaign) => ({ ...campaign, at: campaign.start_time }));
}

async function askLocalCampaign(context: Context): Promise<number> {
  const { timeline } = await context.local();
  const { snapshot } = await timeline.read();
  return askCampaign(knownOf(snapshot.state).toReversed(), context.io);
}
