/** Lists the campaigns of the local engine. */
import type { Context } from '../../context.ts';
import type { describeCampaign } from '../../engine/controls.ts';
import { connectionFlags } from '../../flags/global.ts';
import { isForPerson, printList } from '../../terminal/output.ts';
import { progressBar } from './progress-bar.ts';

type Described = ReturnType<typeof describeCampaign>;

const COLUMNS: (keyof Described)[] = [
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

const SCREEN_COLUMNS = [...COLUMNS.slice(0, 4), 'progress', ...COLUMNS.slice(4)];
/** A table of many columns has little room for it. */
const BAR_WIDTH = 10;

function withBar(campaign: Described): Described & { progress: string } {
  const { reached, exhausted, total_contacts } = campaign;
  return { ...campaign, progress: progressBar(reached + exhausted, total_contacts, BAR_WIDTH) };
}

export async function listLocalCampaigns(context: Context): Promise<void> {
  const { describeCampaign } = await import('../../engine/controls.ts');
  const { timeline } = await context.local();
  const { snapshot } = await timeline.read();
  const found = snapshot.state.campaigns.map(describeCampaign);
  const isShown = isForPerson(context.io, context.flags);
  const campaigns = isShown ? found.map(withBar) : found;
  await printList(
    context.io,
    context.flags,
    { campaigns },
    {
      key: 'campaigns',
      columns: COLUMNS,
      ...(isShown && { screen: SCREEN_COLUMNS }),
      importance: ['campaign_id', 'campaign_name', 'status', 'progress', 'reached', 'waiting', 'total_contacts'],
      empty: `No campaigns yet. Create one: vagent campaign create${connectionFlags(context.flags)}`,
    },
  );
}
