import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { examples } from '../../help.ts';
import { findProfile, writeConfig } from '../../profiles.ts';

export function register(command: Command, context: Context): void {
  command
    .argument('<name>', 'profile to remove')
    .addHelpText('after', examples(['vagent profile remove work']))
    .action((name: string) => run(name, context));
}

async function run(name: string, { io, config, configFolder }: Context): Promise<void> {
  findProfile(config, name);
  const { [name]: _removed, ...profiles } = config.profiles;
  const active = config.active === name ? undefined : config.active;
  await writeConfig(configFolder, { active, profiles });
  io.note(`Profile ${name} is removed${active === undefined ? '; none is active' : ''}.`);
}
