import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { printRecord } from '../../terminal/output.ts';
import { noteNextTime } from '../shared/consent.ts';
import { type CampaignWord, campaignWord } from '../shared/pick-campaign.ts';
import { RESULTS_HELP, readResults } from './shared/read-results.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: RESULTS_HELP,
    examples: ['vagent campaign status Spring', 'vagent campaign status 1 --json'],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  command
    .argument('[campaign]', 'its id or name (default on a terminal: the latest)', campaignWord)
    .action((word: CampaignWord | undefined) => run(word, context));
}

export async function run(word: CampaignWord | undefined, context: Context): Promise<void> {
  const { campaign_id, campaign_name, facts, contacts, results } = await readResults(word, context);
  const record = {
    campaign_id,
    campaign_name,
    agent_id: facts.agent_id,
    call_from: facts.call_from,
    start_time: new Date(facts.start).toISOString(),
    total_contacts: contacts.length,
    ...results.summary(),
  };
  await printRecord(context.io, context.flags, record, { now: await context.serviceClock.now() });
  noteNextTime(context);
}
