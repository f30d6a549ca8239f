import { filled } from '../../cli/flags/values.ts';
import { printRecord } from '../../cli/terminal/output.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import type { Context } from '../../context.ts';
import { FIRST_ORGANIZATION } from '../../contract.ts';
import { FileError, UsageError } from '../../errors.ts';
import { storeKey } from '../../storage/files/store-place.ts';
import type { CommandModule } from '../shared/command.ts';

interface Options {
  to: string;
}

export const command: CommandModule = {
  notes: `
Copies the store to a folder or database (vagent help store) that holds none yet, compares both, and leaves the one
that was copied as it was. The copy is there as a whole or not at all, also if this is killed. A store that is
changed meanwhile is refused. From then on name the new one with --store, VAGENT_STORE or a profile.
`,
  examples: ['vagent local migrate --to rehearsals'],
  exits: 'engine',
  takes: (command) => command.requiredOption('--to <place>', 'a new folder, or postgres://user@host/db', filled),
  run,
};

async function run(context: Context, { to }: Options): Promise<void> {
  const { io, flags, settings } = context;
  if (flags.org !== undefined)
    throw new UsageError('vagent local migrate takes no --org: it copies every organization.');
  if (storeKey(to) === settings.storeKey()) throw new UsageError('--to names the store that is to be copied.');
  const [{ copyStore }, { store: source }, { store: target }] = await Promise.all([
    import('../../local/copy.ts'),
    context.local.at(settings.store()),
    context.local.at(to),
  ]);
  if ((await source.glance(FIRST_ORGANIZATION)) !== 'sound')
    throw new FileError(`There is no store at ${source.location} yet.`);
  if ((await target.glance(FIRST_ORGANIZATION)) === 'sound') {
    throw new FileError(`There is a store at ${target.location} already. Nothing was changed.`, {
      hint: 'Name a folder that does not exist yet, or another schema of the database.',
    });
  }
  const progress = new Progress(io, 'Copying the store');
  const copied = await copyStore(source, target, (done, total) => progress.at(done, total)).finally(() =>
    progress.end(),
  );
  await printRecord(context, { from: source.location, to: target.location, ...copied });
}
