import { suggestNext } from '../../cli/terminal/output.ts';
import { orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import type { CommandModule } from '../shared/command.ts';
import {
  addProfileFlags,
  CONNECTION_HELP,
  changesByFlags,
  ofName,
  type ProfileOptions,
  profileName,
  saveProfile,
  saysSomething,
} from './shared/profile.ts';

export const command: CommandModule = {
  notes:
    `${CONNECTION_HELP}\n\n` +
    'Without a name and without flags, everything is asked for on a terminal. ' +
    'Adding a profile that exists changes what is given, and keeps the rest.',
  examples: [
    'vagent profile add work --base-url https://voice.example.com/api --org 7 --api-key-command "pass voice/key"',
    'vagent profile add rehearsal --local --store ./rehearsal --agent 1 --from +14155550100',
  ],
  exits: 'reading',
  takes: (command) => addProfileFlags(command.asked('<name>', 'name of the profile', profileName)),
  run,
};

async function run(context: Context, given: string | undefined, options: ProfileOptions): Promise<void> {
  const { io, settings } = context;
  if (given === undefined && io.canAsk && !saysSomething(options, context)) {
    const { askProfileInFull } = await import('./shared/guide.ts');
    const { name, changes } = await askProfileInFull(undefined, context);
    await saveProfile(name, changes, context);
    const { active } = settings.config();
    return io.note(`Try: vagent voice list${active === undefined || active === name ? '' : ` --profile ${name}`}`);
  }
  const name = await orAsk(io, given, { flag: '<name>', message: 'Name of the profile', parse: profileName });
  const before = ofName(settings.config().profiles, name);
  await saveProfile(name, await changesByFlags(before, options, context), context);
  const isActive = settings.config().active === name;
  suggestNext({ io, flags: {} }, `vagent doctor${isActive ? '' : ` --profile ${name}`}`, 'checks what it needs');
}
