import { printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { findProfile } from '../../settings/profiles.ts';
import type { CommandModule } from '../shared/command.ts';

const MASK = '********';

export const command: CommandModule = {
  examples: ['vagent profile show', 'vagent profile show work --json'],
  exits: 'offline',
  takes: (command) => command.argument('[name]', 'profile (default: the one in effect)'),
  run,
};

async function run(context: Context, given: string | undefined): Promise<void> {
  const { settings } = context;
  const config = settings.config();
  const name = given ?? settings.profileName();
  if (name === undefined) {
    const target = settings.target();
    const where = target.mode === 'remote' ? target.name : 'the simulator, and no phone rings';
    throw new UsageError(`No profile is in effect: commands go to ${where}.`, {
      hint: 'vagent profile add <name> connects to a service; vagent profile list shows what there is.',
    });
  }
  const { api_key, ...profile } = findProfile(config, name);
  const shown = { name, ...profile, ...(api_key === undefined ? {} : { api_key: MASK }) };
  await printRecord(context, { ...shown, active: name === config.active });
}
