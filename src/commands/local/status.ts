import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { describe } from '../../engine/controls.ts';
import { examples } from '../../help.ts';
import { printRecord } from '../../output.ts';

export function register(command: Command, context: Context): void {
  command
    .addHelpText('after', examples(['vagent local status', 'vagent local status --json | jq .balance']))
    .action(() => run(context));
}

async function run(context: Context): Promise<void> {
  const { store, timeline } = await context.local();
  const { snapshot, now } = await timeline.read();
  await printRecord(context.io, context.flags, { store: store.folder, ...describe(snapshot.state, now) });
}
