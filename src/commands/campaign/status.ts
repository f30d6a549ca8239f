import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { printRecord } from '../../terminal/output.ts';
import { noteNextTime } from '../shared/consent.ts';
import { type CampaignWord, campaignWord } from '../shared/pick-campaign.ts';
import { ATTRIBUTION_HELP } from './shared/attribution-help.ts';
import { readLaunch } from './shared/launch.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: ATTRIBUTION_HELP,
    examples: ['vagent campaign status Spring', 'vagent campaign status 1 --json'],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  command
    .argument('[campaign]', 'its id or name (default on a terminal: the latest)', campaignWord)
    .action((word: CampaignWord | undefined) => run(word, context));
}

export async function run(word: CampaignWord | undefined, context: Context): Promise<void> {
  const { launch, tally, now } = await readLaunch(word, context);
  const { agentId, from, start } = launch.part;
  const { reached, waiting, ...others } = tally.states;
  const { busy, no_answer, failed } = others;
  const record = {
    campaign_id: launch.campaign_id,
    campaign_name: launch.campaign_name,
    agent_id: agentId,
    call_from: from,
    start_time: new Date(start).toISOString(),
    total_contacts: tally.contacts,
    reached,
    exhausted: busy + no_answer + failed,
    waiting,
    ...others,
    attempts: tally.attempts,
    ambiguous: tally.ambiguous,
    by_status: Object.fromEntries(Object.entries(tally.byStatus).sort(([one], [other]) => (one < other ? -1 : 1))),
  };
  await printRecord(context.io, context.flags, record, { now });
  noteNextTime(context);
}
