import { progressBar } from '../../cli/terminal/draw-states.ts';
import { isForPerson, printList, printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { MINUTE } from '../../text/units.ts';
import { distance, shortTime } from '../../text/when.ts';
import type { CommandModule } from '../shared/command.ts';
import { countedCampaigns } from '../shared/local-campaigns.ts';

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
  const rows = campaigns.map((campaign) => ({
    campaign_id: campaign.campaign_id,
    campaign_name: campaign.campaign_name,
    status: campaign.status,
    reason: campaign.reason,
    progress: progressBar(campaign.total_contacts - campaign.waiting, campaign.total_contacts),
    reached: campaign.reached,
    voicemail: campaign.voicemail,
    exhausted: campaign.exhausted,
    waiting: campaign.waiting,
    attempts: campaign.attempts,
  }));
  await io.screen('\n');
  await printList(context, { campaigns: rows }, 'campaigns', {
    columns: COLUMNS.filter((name) => name !== 'reason' || campaigns.some(({ reason }) => reason !== null)),
    importance: ['campaign_id', 'campaign_name', 'status', 'progress', 'reached', 'waiting'],
  });
}

/** The engine's clock may be ahead of the operator's. */
function clock(now: number, systemNow: number): string {
  const shown = shortTime(now, systemNow).trimStart();
  return now - systemNow < MINUTE ? shown : `${shown}, ${distance(now, systemNow).replace('in ', '')} ahead of yours`;
}

const COLUMNS = [
  ...['campaign_id', 'campaign_name', 'status', 'reason', 'progress'],
  ...['reached', 'voicemail', 'exhausted', 'waiting', 'attempts'],
];
