import type { Command } from 'commander';
import { RESULT_COLUMNS } from '../../calls/campaign-results.ts';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { printList } from '../../terminal/output.ts';
import { noteNextTime } from '../shared/consent.ts';
import { type CampaignWord, campaignWord } from '../shared/pick-campaign.ts';
import { RESULTS_HELP, readResults } from './shared/read-results.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: RESULTS_HELP,
    examples: [
      'vagent campaign results 1 -o csv > results.csv',
      'vagent campaign results 1 -o ndjson | jq -r \'select(.state == "exhausted") | .phone_number\'',
    ],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  command
    .argument('[campaign]', 'its id or name (default on a terminal: the latest)', campaignWord)
    .action((word: CampaignWord | undefined) => run(word, context));
}

export async function run(word: CampaignWord | undefined, context: Context): Promise<void> {
  const { io, flags } = context;
  const { results } = await readResults(word, context);
  await printList(
    io,
    flags,
    { contacts: [...results.rows()] },
    {
      key: 'contacts',
      columns: RESULT_COLUMNS,
      importance: [
        'phone_number',
        'state',
        'attempts',
        'custom_identifiers',
        'call_outcome',
        'call_duration',
        'timestamp',
      ],
    },
  );
  noteNextTime(context);
}
