import { connectionFlags } from '../../cli/flags/global.ts';
import { filled } from '../../cli/flags/values.ts';
import { cell } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { NotFoundError } from '../../errors.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { addMediaFlags, type MediaOptions, saveMedia } from '../shared/save-media.ts';
import { SERVICE_FILTERS } from './shared/filters.ts';
import { type CallPlace, findCall } from './shared/find-call.ts';

interface Options extends CallPlace, MediaOptions {}

export const command: CommandModule = {
  notes:
    'The log is read until the call is found; filters make that faster. The recording is read from the address in its ' +
    'entry, without the key. A file that exists is replaced only with --yes. The simulator makes no recordings.',
  examples: ['vagent logs recording call_0000000001', 'vagent logs recording call_0000000001 --out first.mp3'],
  exits: 'reading',
  formats: [],
  operation: 'getCallLogs',
  takes: (command) =>
    addMediaFlags(command.takesFlags(SERVICE_FILTERS, 'Filters')).asked(
      '<call_id>',
      'the call, by its id (vagent logs list)',
      filled,
    ),
  run,
};

async function run(context: Context, given: string | undefined, options: Options): Promise<void> {
  const { id, call } = await findCall(given, options, context);
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
