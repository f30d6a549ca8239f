import type { Command } from 'commander';
import { identifier } from '../../arguments.ts';
import { RESULT_COLUMNS } from '../../calls/campaign-results.ts';
import type { Context } from '../../context.ts';
import { examples } from '../../help.ts';
import { printList } from '../../output.ts';
import { readResults } from './created.ts';

export const RESULTS_HELP = `
The service tells of calls, not of campaigns: counted are the calls of the campaign's agent, from its number, to its
contacts, since its start. Where another campaign, or vagent call, uses all three, its calls count as well. A contact
is reached when a call was completed, exhausted after the last attempt, and waiting until then.
`;

export function register(command: Command, context: Context): void {
  command
    .argument('<id>', 'campaign (vagent campaign list)', identifier)
    .addHelpText(
      'after',
      `${RESULTS_HELP}${examples([
        'vagent campaign results 1 -o csv > results.csv',
        'vagent campaign results 1 -o ndjson | jq -r \'select(.state == "exhausted") | .phone_number\'',
      ])}`,
    )
    .action((id: number) => run(id, context));
}

async function run(id: number, context: Context): Promise<void> {
  const { io, flags } = context;
  const { results } = await readResults(id, context);
  await printList(io, flags, { contacts: [...results.rows()] }, { key: 'contacts', columns: RESULT_COLUMNS });
}
