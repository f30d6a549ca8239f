import { isForPerson, printRecord } from '../../cli/terminal/output.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import type { Context } from '../../context.ts';
import { FileError, type Issue, UsageError } from '../../errors.ts';
import type { Remark, StoreReport } from '../../local/store.ts';
import { isDatabase, storeName } from '../../storage/files/store-place.ts';
import type { CommandModule } from '../shared/command.ts';

export const command: CommandModule = {
  examples: ['vagent local check', 'vagent local check --json'],
  exits: 'engine',
  takes: (command) => command.addOption(command.createOption('--repair').hideHelp().argParser(refuseRepair)),
  run,
};

function refuseRepair(): never {
  throw new UsageError(
    'local check has no --repair any more: put back a copy of the store, or start again with vagent local reset.',
  );
}

async function run(context: Context): Promise<void> {
  const { io, flags, local, settings, signal } = context;
  // The organization that is named, or else all of them.
  const { store } = await (flags.org === undefined ? local.at(settings.store()) : local.engine());
  const organizationId = flags.org === undefined ? undefined : settings.localOrganization();
  const { checkAll } = await import('../../local/organizations.ts');
  const progress = new Progress(io, 'Reading calls');
  const options = { signal, onCall: (done: number, total: number) => progress.at(done, total) };
  const checked = organizationId === undefined ? checkAll(store, options) : store.check(options, organizationId);
  const report = await checked.finally(() => progress.end());
  const { facts, problems, problemCount, leftovers } = report;
  const head = { ok: problemCount === 0, store: storeName(settings.store()), ...facts };
  if (isForPerson(context)) {
    await printRecord(context, { ...head, problems: problemCount, leftovers: leftovers.length });
    for (const remark of leftovers.slice(0, MAX_SHOWN)) io.note(`Harmless: ${sentence(remark)}`);
    if (leftovers.length > MAX_SHOWN) io.note(`… and ${leftovers.length - MAX_SHOWN} more (--json shows them).`);
  } else await printRecord(context, { ...head, problems, problem_count: problemCount, leftovers });
  if (problemCount > 0) throw damage(report, context);
}

/** Remarks that are printed for a person. */
const MAX_SHOWN = 20;

function sentence({ file, line, message }: Remark): string {
  return `${line === null ? file : `${file} line ${line}`} ${message}.`;
}

function damage({ facts, problems, problemCount }: StoreReport, { flags, settings }: Context): FileError {
  const issues: Issue[] = problems.map(({ file, line, message }) => ({
    field: line === null ? file : `${file} line ${line}`,
    message,
  }));
  const [first] = problems;
  const what = problemCount === 1 && first !== undefined ? `: ${sentence(first)}` : ` in ${problemCount} places.`;
  const organizationId = flags.org ?? ('organizations' in facts ? '<id>' : undefined);
  const reset = `vagent local reset${organizationId === undefined ? '' : ` --org ${organizationId}`}`;
  // Nothing can be reset whose own state is lost.
  const anew = isDatabase(settings.store()) ? 'name another schema' : 'move the folder away';
  const hint = `Put back a copy, or start again with ${reset}; where that does not help, ${anew}.`;
  return new FileError(`The store is damaged${what}`, { code: 'store_damaged', hint, issues });
}
