import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { findProfile } from '../../settings/profiles.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent profile remove work'],
    exits: EXITS.offline,
  });
  command.argument('<name>', 'profile to remove').action((name: string) => run(name, context));
}

export async function run(name: string, { io, settings, commandLine }: Context): Promise<void> {
  const configFolder = settings.configFolder();
  findProfile(settings.config(), name);
  const { changeConfig } = await import('../../settings/profile-file.ts');
  const { after } = await changeConfig(configFolder, commandLine, (current) => {
    findProfile(current, name);
    const { [name]: _removed, ...profiles } = current.profiles;
    return { active: current.active === name ? undefined : current.active, profiles };
  });
  const { active } = after;
  io.note(`Profile ${name} is removed${active === undefined ? '; none is active' : ''}.`);
}
