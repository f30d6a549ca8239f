import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { examples } from '../../help.ts';
import { findProfile, writeConfig } from '../../profiles.ts';

export function register(command: Command, context: Context): void {
  command
    .argument('<name>', 'profile to make the active one')
    .addHelpText('after', examples(['vagent profile use work']))
    .action((name: string) => run(name, context));
}

async function run(name: string, { io, config, configFolder }: Context): Promise<void> {
  findProfile(config, name);
  await writeConfig(configFolder, { ...config, active: name });
  io.note(`The active profile is ${name}.`);
}
