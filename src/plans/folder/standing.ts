/** Reads a plan from its files. Throws FileErrors, and system errors. */
import type { FileSystem } from '../../files/file-system.ts';
import { applyEvent } from '../apply.ts';
import type { Hours } from '../hours.ts';
import type { LoadedPlan, Plan } from '../plan.ts';
import { CONTACT_STATES, Roster, recordBytes, STATIC_BYTES } from '../roster.ts';
import { dialsOf } from '../rules.ts';
import { requireContacts } from './contacts-file.ts';
import { damaged } from './damage.ts';
import { readEvents } from './journal.ts';
import type { PlanPaths } from './paths.ts';
import { type Changed, overlay, readChanged, readWhole, sumsOf } from './records.ts';
import { type FileMark, parseRoot, type Root, readRootText } from './root.ts';

/** A plan in memory, and what a change of it needs to know. */
export interface Standing {
  loaded: LoadedPlan;
  /** Bytes of the journal that count; all of them are applied. */
  journalBytes: number;
  /** Records that may not be in place yet: `states.bin` may have older ones, or halves. */
  pending: Changed | undefined;
  contactsFile: FileMark;
  /** Bytes of the journal that `plan.json` accounted for. */
  applied: number;
}

/** Undefined if there is no plan in the folder. */
export function readStanding(
  fs: FileSystem,
  paths: PlanPaths,
  planId: number,
  hoursOf: (rules: Plan['rules'], places: Plan['places']) => Hours,
): Standing | undefined {
  for (;;) {
    const text = readRootText(fs, paths);
    if (text === undefined && !isThere(fs, paths, planId)) return undefined;
    if (text === undefined) continue;
    const root = parseRoot(text, planId, paths);
    const { roster, pending } = readRoster(fs, paths, root);
    // Somebody has changed the plan meanwhile: then the records may be newer than the root.
    if (readRootText(fs, paths) !== text) continue;
    requireCounts(roster, root, paths);
    requireSums(roster, root, paths);
    const { plan, position } = root;
    const known = { planId, sha256: plan.contacts_sha256, mark: root.contacts_file };
    const contactsFile = requireContacts(fs, paths, known);
    const loaded: LoadedPlan = { plan, position, roster, hours: hoursOf(plan.rules, plan.places) };
    const { applied } = root;
    return { loaded, journalBytes: replay(fs, paths, loaded, applied), pending, contactsFile, applied };
  }
}

/** Whether there is such a plan. Throws FileError if its folder has lost the root. */
export function isThere(fs: FileSystem, paths: PlanPaths, planId: number): boolean {
  const has = (path: string) => fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (!has(paths.folder) || has(paths.forgotten)) return false;
  if (has(paths.root)) return true;
  throw damaged(planId, `${paths.root} is missing`);
}

/** The order matters: `changed.bin` belongs to the root as long as nobody begins another change, and holds what is uncertain. */
function readRoster(fs: FileSystem, paths: PlanPaths, { plan, applied }: Root) {
  const dials = dialsOf(plan.rules);
  const stride = recordBytes(dials);
  const { plan_id: planId, contacts } = plan;
  const changed = readChanged(fs, paths, { planId, contacts, stride });
  const records = readWhole(fs, paths.records, contacts * stride, planId);
  const fixed = readWhole(fs, paths.fixed, contacts * STATIC_BYTES, planId);
  const pending = changed?.applied === applied ? changed : undefined;
  if (pending !== undefined) overlay(records, pending, stride);
  const roster = new Roster(fixed, records, dials);
  for (let row = 0; row < contacts; row++) {
    if (roster.placeOf(row) < plan.places.length) continue;
    throw damaged(planId, `${paths.fixed} gives contact ${row + 1} a place that the plan does not have`);
  }
  return { roster, pending };
}

function requireCounts(roster: Roster, { plan, counts }: Root, { records }: PlanPaths): void {
  for (const state of CONTACT_STATES) {
    if (roster.counts[state] === counts[state]) continue;
    const what = `${records} has ${roster.counts[state]} contacts that are ${state}, and ${counts[state]} were written`;
    throw damaged(plan.plan_id, what);
  }
}

/** A bit that the disk has turned may move a contact to other hours, or let it be called sooner. */
function requireSums(roster: Roster, { plan, sums }: Root, { fixed, records }: PlanPaths): void {
  if (sums === undefined) return;
  const { contacts, states } = sumsOf(roster);
  if (contacts !== sums.contacts) throw damaged(plan.plan_id, `${fixed} is not as it was written`);
  if (states !== sums.states) throw damaged(plan.plan_id, `${records} is not as it was written`);
}

/** Applies what the root does not account for yet, and returns the journal's bytes that count. */
function replay(fs: FileSystem, paths: PlanPaths, loaded: LoadedPlan, applied: number): number {
  const { plan_id: planId, contacts } = loaded.plan;
  const { size } = fs.statSync(paths.journal, { throwIfNoEntry: false }) ?? {};
  if (size === undefined) throw damaged(planId, `${paths.journal} is missing`);
  if (size < applied) {
    throw damaged(planId, `${paths.journal} has ${size} bytes, but ${applied} were written`);
  }
  let end = applied;
  for (const entry of readEvents(fs, { paths, planId, contacts, applied }, applied)) {
    applyEvent(entry.event, loaded, entry.start);
    end = entry.end;
  }
  return end;
}
