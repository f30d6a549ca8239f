import type { Command } from 'commander';
import { EXITS, explain } from '../../cli/flags/help.ts';
import { askedArgument } from '../../cli/flags/plain-command.ts';
import { filled } from '../../cli/flags/values.ts';
import { WrittenFlags } from '../../cli/flags/written.ts';
import type { Context } from '../../context.ts';
import { noteNextTime } from '../shared/consent.ts';
import { printCall } from '../shared/print-call.ts';
import { addServiceFilters } from './shared/filters.ts';
import { type CallPlace, findCall } from './shared/find-call.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
The service has no operation for one call: the log is read until the call is found. Filters make that faster.
On a terminal the transcript is laid out as a dialogue; --json is the entry as it was sent.`,
    examples: [
      'vagent logs show call_0000000001',
      'vagent logs show call_0000000001 --start-date 2026-11-20 --end-date 2026-11-20',
      'vagent logs show call_0000000001 --json | jq -r .transcript',
    ],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  askedArgument(addServiceFilters(command), '<call_id>', 'the call, by its id (vagent logs list)', filled);
  const written = new WrittenFlags(command);
  command.action((id: string | undefined, options: CallPlace) => run(id, options, written, context));
}

export async function run(
  given: string | undefined,
  options: CallPlace,
  written: WrittenFlags,
  context: Context,
): Promise<void> {
  const { call } = await findCall(given, options, written, context);
  await printCall(context, call);
  noteNextTime(context);
}
