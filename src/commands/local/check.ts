import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { FileError, type Issue } from '../../errors.ts';
import { isDatabase, storeName } from '../../files/store-place.ts';
import { EXITS, explain } from '../../flags/help.ts';
import type { CheckOptions, Remark, Store, StoreReport } from '../../local/store.ts';
import type { Io } from '../../terminal/io.ts';
import { isForPerson, printRecord } from '../../terminal/output.ts';
import { Progress } from '../../terminal/progress.ts';

const REPAIR = 'vagent local check --repair';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent local check', 'vagent local check --json', REPAIR],
    exits: EXITS.engine,
  });
  command
    .option('--repair', 'copy what is damaged into a file beside it, and make the rest consistent')
    .action((options: { repair?: true }) => run(options, context));
}

export async function run({ repair: isRepair }: { repair?: true }, context: Context): Promise<void> {
  await (isRepair ? repair(context) : check(context));
}

async function check(context: Context): Promise<void> {
  const report = await withProgress(context, (store, options) => store.check(options));
  await print(context, report, {});
  if (isForPerson(context.io, context.flags)) note(context.io, 'Harmless', report.leftovers, report.leftovers.length);
  if (report.problemCount > 0) throw damage(report, isDatabase(context.settings.store()));
}

async function repair(context: Context): Promise<void> {
  const { io, systemNow } = context;
  const { before, after, setAside, sentences } = await withProgress(context, (store, options) =>
    store.repair({ ...options, systemNow }),
  );
  note(io, 'Repaired', before.problems, before.problemCount);
  for (const text of sentences) io.note(text);
  if (setAside.length > 0) io.note(`Set aside: ${setAside.join(', ')}.`);
  await print(context, after, { repaired: before.problems, set_aside: setAside });
}

async function withProgress<T>(
  context: Context,
  look: (store: Checkable, options: CheckOptions) => Promise<T>,
): Promise<T> {
  const { io, signal } = context;
  const store = await named(context);
  const progress = new Progress(io, 'Reading calls');
  try {
    return await look(store, { signal, onCall: (done, total) => progress.at(done, total) });
  } finally {
    progress.end();
  }
}

type Checkable = Pick<Store, 'check' | 'repair'>;

/** The organization that is named, or else all of them. */
async function named(context: Context): Promise<Checkable> {
  if (context.flags.org !== undefined) return (await context.local()).store;
  const { organizations } = await context.localAt(context.settings.store());
  const { allOf } = await import('../../local/check-all.ts');
  return allOf(organizations);
}

async function print(
  context: Context,
  { facts, problems, problemCount, leftovers }: StoreReport,
  more: Record<string, Remark[] | string[]>,
): Promise<void> {
  const { io, flags, settings } = context;
  const head = { ok: problemCount === 0, store: storeName(settings.store()), ...facts };
  const record = isForPerson(context.io, context.flags)
    ? { ...head, problems: problemCount, leftovers: leftovers.length }
    : { ...head, problems, problem_count: problemCount, leftovers, ...more };
  await printRecord(io, flags, record);
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

/** In a database, there is nothing beside the rows from which they could be made again. */
const IN_DATABASE = `Restore the database from a copy; ${REPAIR} only makes ids count on.`;

function damage({ keepsOnlyCalls, problems, problemCount }: StoreReport, isInDatabase: boolean): FileError {
  const issues: Issue[] = problems.map(({ file, line, message }) => ({
    field: line === null ? file : `${file} line ${line}`,
    message,
  }));
  const [first] = problems;
  const what = problemCount === 1 && first !== undefined ? `: ${sentence(first)}` : ` in ${problemCount} places.`;
  const inFolder = keepsOnlyCalls ? `${REPAIR} keeps the calls, and starts everything else again.` : REPAIR;
  const hint = isInDatabase ? IN_DATABASE : inFolder;
  return new FileError(`The store is damaged${what}`, { code: 'store_damaged', hint, issues });
}
