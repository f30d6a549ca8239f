import { orAsk, requireYes } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { findProfile } from '../../settings/profiles.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { askProfile, changeProfiles } from './shared/profile.ts';

export const command: CommandModule = {
  examples: ['vagent profile remove work'],
  exits: 'offline',
  takes: (command) => command.asked('<name>', 'profile to remove', String),
  run,
};

async function run(context: Context, given: string | undefined): Promise<void> {
  const { io, flags, settings } = context;
  // Where there is no place for profiles, that is said, and not that there are none.
  settings.configFolder();
  const name = await orAsk(io, given, askProfile(context));
  findProfile(settings.config(), name);
  if (given === undefined && !flags.yes)
    await requireYes(io, `Remove profile ${name} and its key?`, 'Nothing was changed.');
  const { after } = await changeProfiles(context, (current) => {
    findProfile(current, name);
    const { [name]: _removed, ...profiles } = current.profiles;
    return { active: current.active === name ? undefined : current.active, profiles };
  });
  const { active } = after;
  io.note(`Profile ${name} is removed${active === undefined ? '; none is active' : ''}.`);
  noteNextTime(context);
}
