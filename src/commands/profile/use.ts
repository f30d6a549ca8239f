import type { Command } from 'commander';
import { EXITS, explain } from '../../cli/flags/help.ts';
import { askedArgument } from '../../cli/flags/plain-command.ts';
import { complete } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { findProfile } from '../../settings/profiles.ts';
import { noteNextTime } from '../shared/consent.ts';
import { askProfile } from './shared/ask-profile.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent profile use work'],
    exits: EXITS.offline,
  });
  askedArgument(command, '<name>', 'profile to make the active one', String).action((name: string | undefined) =>
    run(name, context),
  );
}

export async function run(given: string | undefined, context: Context): Promise<void> {
  const { io, settings, line } = context;
  const configFolder = settings.configFolder();
  const { name } = await complete(io, { name: given }, { name: askProfile(context) });
  findProfile(settings.config(), name);
  const { changeConfig } = await import('../../settings/profile-file.ts');
  await changeConfig(configFolder, line.command, (current) => {
    findProfile(current, name);
    return { ...current, active: name };
  });
  io.note(`The active profile is ${name}.`);
  noteNextTime(context);
}
