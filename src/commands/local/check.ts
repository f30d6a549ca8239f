import type { Io } from '../../cli/terminal/io.ts';
import { isForPerson, printRecord } from '../../cli/terminal/output.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import type { Context } from '../../context.ts';
import { FileError, type Issue, UsageError } from '../../errors.ts';
import type { Remark, Store, StoreReport } from '../../local/store.ts';
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
  const { io } = context;
  const report = await look(context);
  await print(context, report);
  if (isForPerson(context)) note(io, 'Harmless', report.leftovers, report.leftovers.length);
  if (report.problemCount > 0) throw damage(report, context);
}

async function look(context: Context): Promise<StoreReport> {
  const { io, signal } = context;
  const { store, organizationId } = await named(context);
  const progress = new Progress(io, 'Reading calls');
  try {
    return await store.check({ signal, onCall: (done, total) => progress.at(done, total) }, organizationId);
  } finally {
    progress.end();
  }
}

/** The organization that is named, or else all of them. */
async function named({ flags, local, settings }: Context): Promise<{ store: Store; organizationId?: number }> {
  if (flags.org === undefined) return await local.at(settings.store());
  const { store } = await local.engine();
  return { store, organizationId: settings.localOrganization() };
}

async function print(context: Context, { facts, problems, problemCount, leftovers }: StoreReport): Promise<void> {
  const { settings } = context;
  const head = { ok: problemCount === 0, store: storeName(settings.store()), ...facts };
  const record = isForPerson(context)
    ? { ...head, problems: problemCount, leftovers: leftovers.length }
    : { ...head, problems, problem_count: problemCount, leftovers };
  await printRecord(context, record);
}

/** Remarks that are printed for a person. */
const MAX_SHOWN = 20;

function note(io: Io, what: string, remarks: readonly Remark[], total: number): void {
  for (const remark of remarks.slice(0, MAX_SHOWN)) io.note(`${what}: ${sentence(remark)}`);
  if (total > MAX_SHOWN) io.note(`… and ${total - MAX_SHOWN} more (--json shows them).`);
}

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
