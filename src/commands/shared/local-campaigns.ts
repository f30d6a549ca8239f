/** Lists the campaigns of the local engine. */
import type { Context } from '../../context.ts';
import type { describeCampaign } from '../../engine/controls.ts';
import { connectionFlags } from '../../flags/global.ts';
import { printList } from '../../terminal/output.ts';

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

export async function listLocalCampaigns(context: Context): Promise<void> {
  const { describeCampaign } = await import('../../engine/controls.ts');
  const { timeline } = await context.local();
  const { snapshot } = await timeline.read();
  const campaigns = snapshot.state.campaigns.map(describeCampaign);
  await printList(
    context.io,
    context.flags,
    { campaigns },
    {
      key: 'campaigns',
      columns: COLUMNS,
      importance: ['campaign_id', 'campaign_name', 'status', 'reached', 'total_contacts', 'waiting'],
      empty: `No campaigns yet. Create one: vagent campaign create${connectionFlags(context.flags)}`,
    },
  );
}
