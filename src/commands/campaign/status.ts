import { printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { isoTime } from '../../text/iso.ts';
import { byName } from '../../text/json.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { idOrName, type Word } from '../shared/pick.ts';
import { ATTRIBUTION_HELP, readLaunch } from '../shared/read-launch.ts';

export const command: CommandModule = {
  notes: ATTRIBUTION_HELP,
  examples: ['vagent campaign status Spring', 'vagent campaign status 1 --json'],
  exits: 'reading',
  operation: 'getCallLogs',
  takes: (command) => command.argument('[campaign]', 'its id or name (default on a terminal: the latest)', idOrName),
  run,
};

async function run(context: Context, word: Word | undefined): Promise<void> {
  const { launch, tally, now } = await readLaunch(word, context);
  const { reached, waiting } = tally.states;
  const record = {
    campaign_id: launch.campaignId,
    campaign_name: launch.name,
    agent_id: launch.agentId,
    call_from: launch.from,
    start_time: isoTime(launch.start),
    total_contacts: tally.contacts,
    reached,
    waiting,
    states: tally.states,
    last_results: byName(tally.results),
    attempts: tally.attempts,
    ambiguous: tally.ambiguous,
    by_status: byName(tally.byStatus),
  };
  await printRecord(context, record, { now });
  noteNextTime(context);
}
