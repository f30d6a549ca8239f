import { join } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { FileError, type Issue } from '../../errors.ts';
import { systemFiles } from '../../files.ts';
import { examples } from '../../help.ts';
import type { Io } from '../../io.ts';
import type { Findings } from '../../local/check/check.ts';
import type { InspectionOptions, Remark } from '../../local/check/inspection.ts';
import { chooseFormat, printRecord } from '../../output.ts';
import { Progress } from '../../progress.ts';

const REPAIR = 'vagent local check --repair';

export function register(command: Command, context: Context): void {
  command
    .option('--repair', 'set damaged bytes aside in a file beside, and make the rest consistent again')
    .addHelpText('after', examples(['vagent local check', 'vagent local check --json', REPAIR]))
    .action(({ repair }: { repair?: true }) => (repair ? runRepair(context) : runCheck(context)));
}

async function runCheck(context: Context): Promise<void> {
  const { checkStore } = await import('../../local/check/check.ts');
  const findings = await withProgress(context, checkStore);
  await report(context, findings, {});
  if (isTable(context)) tell(context.io, 'Harmless', findings.leftovers, findings.leftovers.length);
  if (findings.problemCount > 0) throw damage(findings);
}

/** Milliseconds to wait for a command that writes. */
const LOCK_TIMEOUT = 10_000;

async function runRepair(context: Context): Promise<void> {
  const { repairStore } = await import('../../local/check/repair.ts');
  const { io, systemNow } = context;
  const { before, after, setAside, sentences } = await withProgress(context, (options) =>
    repairStore({ ...options, systemNow, command: REPAIR, timeoutMs: LOCK_TIMEOUT }),
  );
  tell(io, 'Repaired', before.problems, before.problemCount);
  for (const text of sentences) io.note(text);
  if (setAside.length > 0) io.note(`Set aside: ${setAside.join(', ')}.`);
  await report(context, after, { repaired: before.problems, set_aside: setAside });
}

async function withProgress<T>(
  { io, settings, signal }: Context,
  look: (options: InspectionOptions) => Promise<T>,
): Promise<T> {
  const progress = new Progress(io, 'Reading calls');
  try {
    const onCall = (done: number, total: number) => progress.at(done, total);
    return await look({ fs: systemFiles, folder: settings.store, signal, onCall });
  } finally {
    progress.end();
  }
}

async function report(context: Context, findings: Findings, more: Record<string, Remark[] | string[]>): Promise<void> {
  const { io, flags, settings } = context;
  const { lockState } = await import('../../lock.ts');
  const { LOCK_NAME } = await import('../../local/root.ts');
  const { segments, campaigns, calls, missing, problems, problemCount, leftovers } = findings;
  const facts = {
    ok: problemCount === 0,
    store: settings.store,
    calls,
    missing,
    segments: segments.length,
    campaigns: campaigns.length,
    lock: lockState(systemFiles, join(settings.store, LOCK_NAME)),
  };
  const record = isTable(context)
    ? { ...facts, problems: problemCount, leftovers: leftovers.length }
    : { ...facts, problems, problem_count: problemCount, leftovers, ...more };
  await printRecord(io, flags, record);
}

/** Whether the record is read by a person, for whom lists are told on stderr. */
function isTable({ io, flags }: Context): boolean {
  return chooseFormat(io, flags) === 'table' && flags.fields === undefined;
}

/** How many remarks a person reads. */
const MAX_TOLD = 20;

function tell(io: Io, what: string, remarks: readonly Remark[], total: number): void {
  for (const remark of remarks.slice(0, MAX_TOLD)) io.note(`${what}: ${sentence(remark)}`);
  if (total > MAX_TOLD) io.note(`… and ${total - MAX_TOLD} more (--json shows them).`);
}

function sentence({ file, line, message }: Remark): string {
  return `${line === null ? file : `${file} line ${line}`} ${message}.`;
}

function damage({ rootFault, problems, problemCount }: Findings): FileError {
  const issues: Issue[] = problems.map(({ file, line, message }) => ({
    field: line === null ? file : `${file} line ${line}`,
    message,
  }));
  const [first] = problems;
  const what = problemCount === 1 && first !== undefined ? `: ${sentence(first)}` : ` in ${problemCount} places.`;
  const hint = rootFault === undefined ? REPAIR : `${REPAIR} keeps the calls, and begins everything else anew.`;
  return new FileError(`The store is damaged${what}`, { code: 'store_damaged', hint, issues });
}
