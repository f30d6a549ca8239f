/**
 * All plans: making one, listing them, forgetting one. A new plan's folder gets its number when everything in
 * it is written, so there is no half of a plan; numbers count up, and those of forgotten plans are kept so that none is used
 * again. Throws FileErrors.
 */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Contact } from '../../contract.ts';
import { FileError, NotFoundError, systemCode } from '../../errors.ts';
import { Appender } from '../../files/appender.ts';
import { fileError, withFileErrors } from '../../files/file-error.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../../files/folder.ts';
import { createOwn } from '../../files/open.ts';
import { writeRows } from '../../files/rows.ts';
import type { StateFolder } from '../../state/state-folder.ts';
import type { KeptRows } from '../../text/kept-rows.ts';
import { newPosition } from '../apply.ts';
import type { Plan, Position } from '../plan.ts';
import { CONTACT_STATES, type ContactState, recordBytes } from '../roster.ts';
import { dialsOf } from '../rules.ts';
import { holdsKey, writeContacts } from './contacts-file.ts';
import { PlanPaths, plansFolder } from './paths.ts';
import { PlanFolder } from './plan-folder.ts';
import { nameInRoot, parseRoot, readRootText, writeRoot } from './root.ts';

export interface PlansOptions {
  state: StateFolder;
  /** What this process is doing, for others who wait for the lock. */
  command: string;
}

/** A plan without what follows from its contacts. */
export type PlanDraft = Omit<Plan, 'plan_id' | 'contacts' | 'contacts_sha256' | 'columns'>;

export interface PlanContacts {
  contacts: readonly Contact[];
  /** For each contact the index of its place in the draft. */
  placeOf: ArrayLike<number>;
  /** The original rows of the contacts, in their order. */
  rows: KeptRows | undefined;
  /** Masks the key: in the original rows, and to find it in texts, which are sent as they are. */
  redact: (text: string) => string;
}

export interface ListedPlan {
  planId: number;
  /** Undefined if it is damaged. */
  loaded?: { plan: Plan; position: Position; counts: Record<ContactState, number> };
  damage?: FileError;
  /** Of a damaged plan, if its file still tells it. */
  name?: string;
}

/** Milliseconds: writing a long list takes seconds, and another may be written before. */
const LOCK_TIMEOUT = 60_000;
const NUMBER = /^[1-9]\d{0,14}$/;
/** A folder that is being filled. Whoever holds the lock knows that the others were left by a process that was stopped. */
const UNFINISHED = /^[1-9]\d{0,14}\.new$/;
const RECORDS_AT_ONCE = 1 << 20;

/**
 * Writes a new plan and returns its number; durable when it resolves. `mayCreate` is asked while nobody else can make a plan, and
 * throws if there must be none.
 */
export async function createPlan(
  options: PlansOptions,
  draft: PlanDraft,
  people: PlanContacts,
  mayCreate: () => void | Promise<void> = () => {},
): Promise<number> {
  const { fs, path } = options.state;
  const folder = plansFolder(path);
  return locked(options, 'The folder of plans', async () => {
    await mayCreate();
    const names = namesIn(fs, folder);
    for (const name of names) {
      if (UNFINISHED.test(name)) fs.rmSync(join(folder, name), { recursive: true });
      else if (NUMBER.test(name)) removeForgotten(fs, new PlanPaths(join(folder, name)));
    }
    const planId =
      names.filter((name) => NUMBER.test(name)).reduce((last, name) => Math.max(last, Number(name)), 0) + 1;
    const beside = join(folder, `${planId}.new`);
    try {
      makePrivateFolder(fs, beside);
      writePlan(fs, new PlanPaths(beside), { ...draft, plan_id: planId }, people);
      fs.renameSync(beside, join(folder, String(planId)));
    } catch (error) {
      try {
        fs.rmSync(beside, { recursive: true, force: true });
      } catch {
        // The next plan that is created removes it.
      }
      throw error;
    }
    syncNewPlan(fs, folder, planId);
    return planId;
  });
}

function syncNewPlan(fs: FileSystem, folder: string, planId: number): void {
  try {
    syncFolder(fs, folder);
  } catch (cause) {
    throw new FileError(`Plan ${planId} was created, but it may not outlast a power cut.`, {
      hint: 'Look at the disk.',
      cause,
    });
  }
}

function writePlan(
  fs: FileSystem,
  paths: PlanPaths,
  draft: PlanDraft & { plan_id: number },
  { contacts, placeOf, rows, redact }: PlanContacts,
): void {
  const text = JSON.stringify(draft);
  if (redact(text) !== text) throw holdsKey('The name of the plan, or a text of its rules,');
  const { sha256, mark, sum } = writeContacts(fs, paths, { contacts, placeOf, redact });
  if (rows !== undefined) writeRows(fs, paths.rows, rows.file(redact));
  const plan: Plan = { ...draft, contacts: contacts.length, contacts_sha256: sha256, columns: rows?.columns };
  const states = writeZeros(fs, paths.records, contacts.length * recordBytes(dialsOf(plan.rules)));
  new Appender(fs, paths.journal, 0).finish();
  const none = Object.fromEntries(CONTACT_STATES.map((state) => [state, 0])) as Record<ContactState, number>;
  const counts = { ...none, new: contacts.length };
  const sums = { contacts: sum, states };
  writeRoot(fs, paths, { plan, position: newPosition(), applied: 0, counts, contacts_file: mark, sums });
}

/**
 * A record of zeros is that of a new contact. The space is taken now, so that a full disk is found out at once. Returns the
 * crc32 of what was written.
 */
function writeZeros(fs: FileSystem, path: string, bytes: number): number {
  const file = new Appender(fs, path, 0);
  const zeros = new Uint8Array(Math.min(bytes, RECORDS_AT_ONCE));
  let sum = 0;
  try {
    for (let left = bytes; left > 0; left -= zeros.length) {
      const written = zeros.subarray(0, left);
      file.appendBytes(written);
      sum = crc32(written, sum);
    }
    file.finish();
    return sum;
  } catch (error) {
    file.abandon();
    throw error;
  }
}

/** The numbers of the plans that there are, rising. */
export function planIds({ fs, path }: StateFolder): number[] {
  const folder = plansFolder(path);
  return withFileErrors('read', folder, () =>
    namesIn(fs, folder)
      .filter((name) => NUMBER.test(name))
      .map(Number)
      .filter((id) => !isForgotten(fs, PlanPaths.of(path, id)))
      .sort((one, other) => one - other),
  );
}

/** The plans with what their small file says of them. */
export function listPlans(state: StateFolder): ListedPlan[] {
  return planIds(state).flatMap((planId): ListedPlan[] => {
    try {
      return [{ planId, loaded: glance(state, planId) }];
    } catch (error) {
      if (error instanceof FileError) return [{ planId, damage: error, ...nameOfDamaged(state, planId) }];
      // It was forgotten in this moment.
      if (error instanceof NotFoundError) return [];
      throw error;
    }
  });
}

function nameOfDamaged({ fs, path }: StateFolder, planId: number): { name?: string } {
  try {
    const name = nameInRoot(readRootText(fs, PlanPaths.of(path, planId)) ?? '');
    return name === undefined ? {} : { name };
  } catch (error) {
    if (error instanceof FileError) return {};
    throw error;
  }
}

/** What the root says; events that it does not account for yet are read only if there are any. */
function glance(state: StateFolder, planId: number): NonNullable<ListedPlan['loaded']> {
  const { fs, path } = state;
  const paths = PlanPaths.of(path, planId);
  const text = readRootText(fs, paths);
  const root = text === undefined ? undefined : parseRoot(text, planId, paths);
  const size = withFileErrors('read', paths.journal, () => fs.statSync(paths.journal, { throwIfNoEntry: false })?.size);
  if (root !== undefined && size === root.applied)
    return { plan: root.plan, position: root.position, counts: root.counts };
  const { plan, position, roster } = new PlanFolder({ state, planId, command: 'plan list' }).load();
  return { plan, position, counts: roster.counts };
}

/**
 * Removes everything of a plan but its number. `mayForget` is asked while nobody else can change the plan, and throws if it
 * must stay; of a damaged plan nothing can be asked.
 */
export async function forgetPlan(
  { state, command }: PlansOptions,
  planId: number,
  mayForget: (folder: PlanFolder) => void | Promise<void>,
): Promise<void> {
  const { fs } = state;
  const paths = PlanPaths.of(state.path, planId);
  const notFound = () => new NotFoundError(`There is no plan ${planId}.`, { code: 'plan_not_found' });
  try {
    if (fs.lstatSync(paths.folder, { throwIfNoEntry: false }) === undefined) throw notFound();
    const options = { timeoutMs: 10_000, command, file: `Plan ${planId}` };
    await state.locked(`plans/${planId}/lock`, options, async () => {
      // One that was cut off at this is forgotten already, but not everything may be gone.
      if (removeForgotten(fs, paths)) return;
      if (isForgotten(fs, paths)) throw notFound();
      await mayForget(new PlanFolder({ state, planId, command }));
      fs.closeSync(createOwn(fs, paths.forgotten));
      syncFolder(fs, paths.folder);
      removeForgotten(fs, paths);
    });
  } catch (error) {
    throw fileError(error, 'write', paths.folder);
  }
}

/** What cannot be looked into is told when it is read. */
function isForgotten(fs: FileSystem, { forgotten }: PlanPaths): boolean {
  try {
    return fs.lstatSync(forgotten, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

/** Removes what is left of a plan if it is forgotten, and says whether there was anything. The lock says nothing of anybody. */
function removeForgotten(fs: FileSystem, paths: PlanPaths): boolean {
  if (!isForgotten(fs, paths)) return false;
  const left = namesIn(fs, paths.folder)
    .map((name) => join(paths.folder, name))
    .filter((path) => path !== paths.forgotten && path !== paths.lock);
  for (const path of left) fs.rmSync(path, { recursive: true, force: true });
  if (left.length > 0) syncFolder(fs, paths.folder);
  return left.length > 0;
}

async function locked<T>({ state, command }: PlansOptions, file: string, body: () => Promise<T>): Promise<T> {
  const folder = plansFolder(state.path);
  try {
    makePrivateFolder(state.fs, folder);
    const options = { timeoutMs: LOCK_TIMEOUT, command, file };
    return await state.locked('plans/lock', options, body);
  } catch (error) {
    throw fileError(error, 'write', folder);
  }
}

function namesIn(fs: FileSystem, folder: string): string[] {
  try {
    return fs.readdirSync(folder).map(String);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
