import { confirm, orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { InterruptedError } from '../../errors.ts';
import { findProfile } from '../../settings/profiles.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { askProfile } from './shared/ask-profile.ts';

export const command: CommandModule = {
  examples: ['vagent profile remove work'],
  exits: 'offline',
  takes: (command) => command.asked('<name>', 'profile to remove', String),
  run,
};

async function run(context: Context, given: string | undefined): Promise<void> {
  const { io, flags, settings, line } = context;
  const configFolder = settings.configFolder();
  const name = await orAsk(io, given, askProfile(context));
  findProfile(settings.config(), name);
  const isWanted = given !== undefined || flags.yes || (await confirm(io, `Remove profile ${name} and its key?`));
  if (!isWanted) throw new InterruptedError('Nothing was changed.');
  const { changeConfig } = await import('../../settings/profile-file.ts');
  const { after } = await changeConfig(configFolder, line.command, (current) => {
    findProfile(current, name);
    const { [name]: _removed, ...profiles } = current.profiles;
    return { active: current.active === name ? undefined : current.active, profiles };
  });
  const { active } = after;
  io.note(`Profile ${name} is removed${active === undefined ? '; none is active' : ''}.`);
  noteNextTime(context);
}
