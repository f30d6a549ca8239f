import { isForPerson, printList, printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { MINUTE } from '../../text/units.ts';
import { distance, shortTime } from '../../text/when.ts';
import type { CommandModule } from '../shared/command.ts';
import { countedCampaigns, withBar } from '../shared/local-campaigns.ts';

export const command: CommandModule = {
  examples: ['vagent local status', 'vagent local status --json'],
  exits: 'engine',
  run,
};

async function run(context: Context): Promise<void> {
  const { io } = context;
  const { describe } = await import('../../engine/controls.ts');
  const { store, timeline } = await context.local.engine();
  const { snapshot, now } = await timeline.read();
  const described = describe(snapshot.state, now);
  const counted = await countedCampaigns(described.campaigns, context);
  const status = { store: store.location, ...described, campaigns: counted };
  if (!isForPerson(context)) return printRecord(context, status);

  const { campaigns, numbers, ...facts } = status;
  await printRecord(context, { ...facts, now: clock(now, context.clock.system()), numbers });
  if (campaigns.length === 0) return;
  await io.screen('\n');
  await printList(context, { campaigns: campaigns.map((campaign) => withBar(campaign)) }, 'campaigns', {
    columns: [
      ...['campaign_id', 'campaign_name', 'status', 'reason', 'progress'],
      ...['reached', 'not_reached', 'waiting', 'attempts'],
    ],
    importance: ['campaign_id', 'campaign_name', 'status', 'progress', 'reached', 'waiting'],
  });
}

/** The engine's clock may be ahead of the operator's. */
function clock(now: number, systemNow: number): string {
  const shown = shortTime(now, systemNow).trimStart();
  return now - systemNow < MINUTE ? shown : `${shown}, ${distance(now, systemNow).replace('in ', '')} ahead of yours`;
}
