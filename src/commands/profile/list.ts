import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { examples } from '../../flags/examples.ts';
import { printList } from '../../terminal/output.ts';

export function register(command: Command, context: Context): void {
  command.addHelpText('after', examples(['vagent profile list'])).action(() => run(context));
}

export async function run({ io, flags, settings }: Context): Promise<void> {
  const { active, profiles } = settings.config();
  const rows = Object.entries(profiles).map(([name, { mode, base_url, organization_id }]) => ({
    name,
    mode,
    base_url: base_url ?? '',
    organization_id: organization_id ?? '',
    active: name === active,
  }));
  const columns = ['name', 'mode', 'base_url', 'organization_id', 'active'];
  await printList(io, flags, { profiles: rows }, { key: 'profiles', columns });
}
