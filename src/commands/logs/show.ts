import { filled } from '../../cli/flags/values.ts';
import { printCall } from '../../cli/terminal/print-call.ts';
import type { Context } from '../../context.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { SERVICE_FILTERS } from './shared/filters.ts';
import { type CallPlace, findCall } from './shared/find-call.ts';

export const command: CommandModule = {
  notes: `
The service has no operation for one call: the log is read until the call is found. Filters make that faster.
On a terminal the transcript is laid out as a dialogue; --json is the entry as it was sent.`,
  examples: [
    'vagent logs show call_0000000001',
    'vagent logs show call_0000000001 --start-date 2026-11-20 --end-date 2026-11-20',
    'vagent logs show call_0000000001 --json | jq -r .transcript',
  ],
  exits: 'reading',
  operation: 'getCallLogs',
  takes: (command) =>
    command.takesFlags(SERVICE_FILTERS, 'Filters').asked('<call_id>', 'the call, by its id (vagent logs list)', filled),
  run,
};

async function run(context: Context, given: string | undefined, options: CallPlace): Promise<void> {
  const { call } = await findCall(given, options, context);
  await printCall(context, call, await context.clock.now());
  noteNextTime(context);
}
