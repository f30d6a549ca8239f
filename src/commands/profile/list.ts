import { printList } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import type { CommandModule } from '../shared/command.ts';

export const command: CommandModule = {
  examples: ['vagent profile list'],
  exits: 'offline',
  lists: true,
  run,
};

async function run(context: Context): Promise<void> {
  const { settings } = context;
  const { active, profiles } = settings.config();
  const rows = Object.entries(profiles).map(([name, { mode, base_url, organization_id }]) => ({
    name,
    mode,
    base_url: base_url ?? '',
    organization_id: organization_id ?? '',
    active: name === active,
  }));
  const columns = ['name', 'mode', 'base_url', 'organization_id', 'active'];
  await printList(context, { profiles: rows }, 'profiles', {
    columns,
    importance: ['name', 'active', 'mode', 'organization_id'],
    empty: 'No profiles yet: the simulator is used. Add one: vagent profile add <name>',
  });
}
