import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { findProfile } from '../../settings/profiles.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent profile use work'],
    exits: EXITS.offline,
  });
  command.argument('<name>', 'profile to make the active one').action((name: string) => run(name, context));
}

export async function run(name: string, { io, settings, commandLine }: Context): Promise<void> {
  const configFolder = settings.configFolder();
  findProfile(settings.config(), name);
  const { changeConfig } = await import('../../settings/profile-file.ts');
  await changeConfig(configFolder, commandLine, (current) => {
    findProfile(current, name);
    return { ...current, active: name };
  });
  io.note(`The active profile is ${name}.`);
}
