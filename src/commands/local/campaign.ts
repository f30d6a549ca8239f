import { connectionFlags } from '../../cli/flags/global.ts';
import { printRecord } from '../../cli/terminal/output.ts';
import { askOneOf, orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import type { State } from '../../engine/state.ts';
import { UsageError } from '../../errors.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { countedCampaigns, listLocalCampaigns } from '../shared/local-campaigns.ts';
import { askCampaign, idOrName, type Named, pick, type Word } from '../shared/pick.ts';

export const command: CommandModule = {
  examples: ['vagent local campaign list', 'vagent local campaign pause 1', 'vagent local campaign resume 1'],
  exits: 'campaigning',
  lists: 'list',
  takes: (command) =>
    command
      .asked('<action>', 'list, pause or resume', String)
      .argument('[campaign]', 'id or name of the campaign to pause or resume', idOrName),
  run,
};

const ACTIONS: readonly string[] = ['list', 'pause', 'resume'];

async function run(context: Context, givenAction: string | undefined, givenWord: Word | undefined): Promise<void> {
  const { io, flags } = context;
  const action = await orAsk(io, givenAction, askOneOf('<action>', 'What to do', ACTIONS));
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
  const list = `vagent local campaign list${connectionFlags(flags)}`;
  const among = { what: 'campaign', where: ' in the store', list } as const;
  const { timeline } = await context.local.engine();
  const campaign = await timeline.change(({ state }, now) => {
    const id = typeof word === 'number' ? word : pick(word, knownOf(state), among).id;
    return describeCampaign(change(state, id, now));
  });
  const [counted] = await countedCampaigns([campaign], context);
  await printRecord(context, { ...counted });
}

function knownOf({ campaigns }: State): Named[] {
  return campaigns.map(({ campaign_id: id, campaign_name: name, start_time: at }) => ({ id, name, at }));
}

async function askLocalCampaign(context: Context): Promise<number> {
  const { timeline } = await context.local.engine();
  const { snapshot } = await timeline.read();
  return askCampaign(knownOf(snapshot.state).toReversed(), context.io);
}
