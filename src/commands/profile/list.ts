import type { Command } from 'commander';
import { EXITS, explain } from '../../cli/flags/help.ts';
import { printList } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent profile list'],
    exits: EXITS.offline,
  });
  command.action(() => run(context));
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
  await printList(
    io,
    flags,
    { profiles: rows },
    {
      key: 'profiles',
      columns,
      importance: ['name', 'active', 'mode', 'organization_id'],
      empty: 'No profiles yet: the local engine is used. Add one: vagent profile add <name>',
    },
  );
}
