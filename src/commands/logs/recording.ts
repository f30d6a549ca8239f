import type { Command } from 'commander';
import { connectionFlags } from '../../cli/flags/global.ts';
import { EXITS, explain } from '../../cli/flags/help.ts';
import { askedArgument } from '../../cli/flags/plain-command.ts';
import { filled } from '../../cli/flags/values.ts';
import { WrittenFlags } from '../../cli/flags/written.ts';
import { cell } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { NotFoundError } from '../../errors.ts';
import { noteNextTime } from '../shared/consent.ts';
import { addMediaFlags, type MediaOptions, saveMedia } from '../shared/save-media.ts';
import { addServiceFilters } from './shared/filters.ts';
import { type CallPlace, findCall } from './shared/find-call.ts';

interface Options extends CallPlace, MediaOptions {}

export function register(command: Command, context: Context): void {
  explain(command, {
    notes:
      'The log is read until the call is found; filters make that faster. The recording is read from the address in its ' +
      'entry, without the key. A file that exists is replaced only with --yes. The local engine makes no recordings.',
    examples: ['vagent logs recording call_0000000001', 'vagent logs recording call_0000000001 --out first.mp3'],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  const place = addMediaFlags(addServiceFilters(command));
  askedArgument(place, '<call_id>', 'the call, by its id (vagent logs list)', filled);
  const written = new WrittenFlags(command);
  command.action((id: string | undefined, options: Options) => run(id, options, written, context));
}

export async function run(
  given: string | undefined,
  options: Options,
  written: WrittenFlags,
  context: Context,
): Promise<void> {
  const { id, call } = await findCall(given, options, written, context);
  const { recording_url, call_status } = call;
  if (typeof recording_url !== 'string' || recording_url === '') {
    const status = cell(call_status);
    throw new NotFoundError(`Call ${id} has no recording${status === '' ? '' : `: its status is ${status}`}.`, {
      hint: `vagent logs show ${id}${connectionFlags(context.flags)}`,
    });
  }
  await saveMedia({ address: recording_url, what: 'recording', name: id }, options, context);
  noteNextTime(context);
}
