import { oneOf, repeated } from '../../cli/flags/values.ts';
import { orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { type Changes, UNSETTABLE } from '../../settings/profile-changes.ts';
import { findProfile } from '../../settings/profiles.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import {
  addProfileFlags,
  askProfile,
  CONNECTION_HELP,
  changesByFlags,
  type ProfileOptions,
  saveProfile,
  saysSomething,
} from './shared/profile.ts';

type Unsettable = keyof typeof UNSETTABLE;

interface Options extends ProfileOptions {
  unset?: Unsettable[];
}

const FIELDS = Object.keys(UNSETTABLE) as Unsettable[];

export const command: CommandModule = {
  notes:
    `${CONNECTION_HELP} A key is never sent to another host than before: give it again with a new base URL.\n\n` +
    'What is not mentioned stays. Without flags, everything is asked for on a terminal, with the present values preset.',
  examples: ['vagent profile edit work --agent 4', 'vagent profile edit work --unset from --unset country'],
  exits: 'reading',
  takes: (command) =>
    addProfileFlags(command.asked('<name>', 'profile to change', String)).option(
      '--unset <field>',
      `remove ${FIELDS.join(', ')}; repeatable`,
      repeated(oneOf(FIELDS)),
    ),
  run,
};

async function run(context: Context, given: string | undefined, { unset = [], ...options }: Options): Promise<void> {
  const { io, settings } = context;
  const name = await orAsk(io, given, askProfile(context));
  const before = findProfile(settings.config(), name);
  if (unset.length > 0 || saysSomething(options, context)) {
    const removed: Changes = Object.fromEntries(unset.map((word) => [UNSETTABLE[word], undefined]));
    await saveProfile(name, { ...removed, ...(await changesByFlags(before, options, context)) }, context);
    return noteNextTime(context);
  }
  if (!io.canAsk) throw new UsageError('Nothing is to be changed.', { hint: 'Name what changes, such as --agent 4.' });
  const { askProfileInFull } = await import('./shared/guide.ts');
  const { changes } = await askProfileInFull(name, context);
  await saveProfile(name, changes, context);
}
