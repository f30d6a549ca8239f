import { orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { findProfile } from '../../settings/profiles.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { askProfile, changeProfiles } from './shared/profile.ts';

export const command: CommandModule = {
  examples: ['vagent profile use work'],
  exits: 'offline',
  takes: (command) => command.asked('<name>', 'profile to make the active one', String),
  run,
};

async function run(context: Context, given: string | undefined): Promise<void> {
  const { io, settings } = context;
  // Where there is no place for profiles, that is said, and not that there are none.
  settings.configFolder();
  const name = await orAsk(io, given, askProfile(context));
  findProfile(settings.config(), name);
  await changeProfiles(context, (current) => {
    findProfile(current, name);
    return { ...current, active: name };
  });
  io.note(`The active profile is ${name}.`);
  noteNextTime(context);
}
