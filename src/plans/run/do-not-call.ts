/** The contacts that are not to be called any more: on a list that is read anew before each wave, or opted out. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileError, InputError, systemCode, UnavailableError, VagentError } from '../../errors.ts';
import { makePrivateFolder, replaceFile } from '../../storage/files/durable.ts';
import { readText, systemFiles, withFileErrors } from '../../storage/files/file-system.ts';
import { parsed, textsIn } from '../../text/json.ts';
import { type EventOf, runsOf } from '../rules/events.ts';
import type { LoadedPlan, Plan } from '../rules/plan.ts';
import type { PlanPorts } from './ports.ts';

type List = Awaited<ReturnType<PlanPorts['lists']['read']>>;
type Lists = Pick<PlanPorts, 'register' | 'lists'>;

/** Events for contacts that wait to be called. Throws InputError if a list is missing, not understood, or not this machine's. */
export async function doNotCallNow(
  { plan, roster }: LoadedPlan,
  ports: Lists,
  at: number,
): Promise<EventOf<'excluded'>[]> {
  await requireNamedHere(plan, ports);
  return doNotCallBy(await listsAt(plan.rules.exclude, plan, ports), { roster }, ports, at);
}

/** Throws InputError if one is missing or not understood. */
export async function listsAt(paths: readonly string[], plan: Pick<Plan, 'rules'>, ports: Pick<PlanPorts, 'lists'>) {
  const lists: List[] = [];
  for (const path of paths) lists.push(await readList(path, plan, ports.lists));
  return lists;
}

/** Without the lists of a plan that is being made: they were just read with its contacts. `out`: who opted out as well. */
export async function doNotCallBy(
  lists: readonly List[],
  { roster }: Pick<LoadedPlan, 'roster'>,
  { register }: Pick<PlanPorts, 'register'>,
  at: number,
  out: ReadonlySet<number> = new Set(),
): Promise<EventOf<'excluded'>[]> {
  const optedOut = await (await register.optedOut()).phones();
  if (optedOut.size === 0 && lists.length === 0 && out.size === 0) return [];
  const found = { list: [] as number[], opted_out: [] as number[] };
  for (const row of roster.waiting()) {
    const phone = roster.phoneOf(row);
    if (optedOut.has(phone) || out.has(phone)) found.opted_out.push(row);
    else if (isOn(lists, phone)) found.list.push(row);
  }
  return (['list', 'opted_out'] as const).flatMap((why) =>
    found[why].length === 0 ? [] : [{ event: 'excluded', at, rows: runsOf(found[why]), why }],
  );
}

export function isOn(lists: readonly List[], phone: number): boolean {
  return lists.some((numbers) => numbers.lineOf(`+${phone}`) !== undefined);
}

// Reading a list ----------------------------------------------------------------------------------------------------

const MOST_READINGS = 5;
/** Milliseconds. */
const PAUSE = 200;

/** What is in the file once it was the same before and after: half of what another program writes must not pass for all. */
async function readList(path: string, { rules }: Pick<Plan, 'rules'>, lists: PlanPorts['lists']): Promise<List> {
  for (let reading = 1; reading <= MOST_READINGS; reading++) {
    if (reading > 1) await sleep(PAUSE);
    const before = versionOf(path);
    // Only what is wrong with a file may be over when it is read again.
    const read = await lists.read(path, rules.excludeCountry, rules.excludeEncoding).catch((error: unknown) => {
      if (error instanceof InputError || error instanceof FileError) return error;
      throw error;
    });
    if (before !== versionOf(path)) continue;
    if (read instanceof VagentError) throw lostList(read, path) ?? read;
    return read;
  }
  throw new UnavailableError(`${path} was changed whenever it was read. Nothing was sent.`, {
    code: 'list_changing',
    hint: 'The next run reads it again. Write it under another name, and rename it when it is whole.',
  });
}

/** Another whenever the file was written or replaced. What is no ordinary file, such as a pipe, cannot be read twice. */
function versionOf(path: string): string {
  const found = systemFiles.statSync(path, { bigint: true, throwIfNoEntry: false });
  return !found?.isFile() ? '' : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** Without its numbers a list is no other than one that was lost: it had some when the plan was made. */
function lostList(error: VagentError, path: string): InputError | undefined {
  const list = `${path}, the list of numbers never to call,`;
  if (error instanceof FileError && systemCode(error.cause) === 'ENOENT') {
    const hint = 'Put it back: before each wave it is read anew.';
    return new InputError(`${list} is missing. Nothing was sent.`, { code: 'list_missing', hint });
  }
  if (!(error instanceof InputError) || error.code !== 'empty_file') return undefined;
  return new InputError(`${list} holds no number any more. Nothing was sent.`, {
    code: 'list_empty',
    hint: 'Put its numbers back. If nobody is on it any more, write a number there that the plan does not have.',
  });
}

// The lists that this machine's operator has named: a path in a row that others may write is opened only if it is one of them.

/** Durable when it returns. Throws FileErrors. */
export function rememberNamed(lists: readonly string[], ports: Pick<PlanPorts, 'lists'>): void {
  const folder = ports.lists.folder();
  const path = join(folder, NAMED);
  const named = namedIn(folder);
  if (lists.every((list) => named.includes(list))) return;
  withFileErrors('write', path, () => {
    makePrivateFolder(systemFiles, folder);
    replaceFile(systemFiles, path, JSON.stringify([...new Set([...named, ...lists])]));
  });
}

const NAMED = 'lists.json';

/** Where the file is absent or damaged they are named again. */
function namedIn(folder: string): string[] {
  try {
    return textsIn(parsed(readText(systemFiles, join(folder, NAMED)))) ?? [];
  } catch {
    return [];
  }
}

/** Throws InputError if one of the plan's lists may be a path that a colleague has written into its row. */
async function requireNamedHere({ plan_id, rules: { exclude } }: Plan, { register, lists }: Lists): Promise<void> {
  if (exclude.length === 0 || !(await register.rows()).isShared) return;
  const named = namedIn(lists.folder());
  const list = exclude.find((path) => !named.includes(path));
  if (list === undefined) return;
  const what = `The list of numbers never to call of plan ${plan_id}, ${list},`;
  throw new InputError(`${what} was never named on this machine: it was not opened. Nothing was sent.`, {
    code: 'list_not_shown',
    reason: { kind: 'list_not_named', planId: plan_id, list },
  });
}
