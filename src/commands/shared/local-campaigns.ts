/** Lists the campaigns of the local engine. */
import { connectionFlags } from '../../cli/flags/global.ts';
import { progressBar } from '../../cli/terminal/drawing.ts';
import { isForPerson, printList } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import type { describeCampaign } from '../../engine/controls.ts';
import { isWaveName } from '../../plans/rules/waves.ts';
import { counted } from '../../text/numbers.ts';

type Described = ReturnType<typeof describeCampaign>;

const COLUMNS: (keyof Described)[] = [
  ...(['campaign_id', 'campaign_name', 'status', 'reason', 'total_contacts'] as const),
  // The last one, so that whoever cuts columns finds the others in their places.
  ...(['reached', 'exhausted', 'waiting', 'attempts', 'voicemail'] as const),
];

const SCREEN_COLUMNS = [
  ...COLUMNS.slice(0, 4),
  ...['progress', 'total_contacts', 'reached', 'not_reached', 'waiting', 'attempts'],
];
/** A table of many columns has little room for it. */
const BAR_WIDTH = 10;

/** Of campaigns begun before voicemails were counted, the log tells how many were reached. */
export async function countedCampaigns(campaigns: readonly Described[], context: Context): Promise<Described[]> {
  const counted: Described[] = [];
  for (const campaign of campaigns)
    counted.push(campaign.voicemail === null ? await byLog(campaign, context) : campaign);
  return counted;
}

async function byLog(campaign: Described, context: Context): Promise<Described> {
  const { readLaunch } = await import('./read-launch.ts');
  const { states } = (await readLaunch(campaign.campaign_id, context)).tally;
  return { ...campaign, reached: states.reached, voicemail: campaign.reached - states.reached, states };
}

/** For a person. */
export function withBar(campaign: Described, width?: number): Described & { not_reached: number; progress: string } {
  const { waiting, total_contacts, states } = campaign;
  const { not_reached } = states;
  return { ...campaign, not_reached, progress: progressBar(total_contacts - waiting, total_contacts, width) };
}

/** `hasWaves`: also those that plans have sent. */
export async function listLocalCampaigns(context: Context, hasWaves = true): Promise<void> {
  const { describeCampaign } = await import('../../engine/controls.ts');
  const { timeline } = await context.local.engine();
  const { snapshot } = await timeline.read();
  const all = snapshot.state.campaigns;
  const listed = hasWaves ? all : all.filter(({ campaign_name }) => !isWaveName(campaign_name));
  const found = await countedCampaigns(listed.map(describeCampaign), context);
  const isShown = isForPerson(context);
  const campaigns = isShown ? found.map((campaign) => withBar(campaign, BAR_WIDTH)) : found;
  await printList(context, { campaigns }, 'campaigns', {
    columns: [...COLUMNS, 'states'],
    brief: COLUMNS,
    ...(isShown && { screen: SCREEN_COLUMNS }),
    importance: ['campaign_id', 'campaign_name', 'status', 'progress', 'reached', 'waiting', 'total_contacts'],
    empty: `No campaigns yet. Create one: vagent campaign create${connectionFlags(context.flags)}`,
  });
  noteWaves(all.length - listed.length, context);
}

/** How many campaigns were left out of a list because they are waves. */
export function noteWaves(waves: number, { io, flags }: Context): void {
  if (waves === 0) return;
  const are = counted(waves, 'wave of a plan is', 'waves of plans are');
  io.note(`${are} not listed: --waves lists them, and vagent plan list${connectionFlags(flags)} the plans.`);
}
