/** Checks the whole store in any state: what is damaged, and what can still be trusted. */
import { join } from 'node:path';
import { flawsOf, keyFlaw } from '../../../engine/soundness.ts';
import { callsSinceReset } from '../../../engine/state.ts';
import { lockState } from '../../../storage/files/lock.ts';
import type { StoreReport } from '../../store.ts';
import { foreignFlaw, LOCK_NAME, lossFlaw, ROOT_NAME, type Root, rootFlaws, wasRepaired } from '../root.ts';
import { checkCalls } from './calls.ts';
import { checkCampaigns } from './campaigns.ts';
import { Inspection, type InspectionOptions } from './inspection.ts';
import { listLeftovers, readSuspectRoot, type StoreNames, type SuspectRoot, storeNames } from './suspect-root.ts';

/**
 * Checks the store. Takes no lock: one root is one snapshot, and what it commits does not change until a reset. Throws
 * FileError if the folder is not a store of vagent's, comes from a later version or cannot be read.
 */
export async function checkStore(options: InspectionOptions): Promise<StoreReport> {
  const { fs, folder } = options;
  for (;;) {
    // Before the root is read, so that files written from now on are not taken for leftovers.
    const names = storeNames(fs, folder);
    const suspect = readSuspectRoot(fs, folder, names);
    const { root } = suspect;
    const report = await inspect(options, names, suspect);
    if (root === undefined || readSuspectRoot(fs, folder, names).root?.resets === root.resets) return report;
  }
}

async function inspect(options: InspectionOptions, names: StoreNames, suspect: SuspectRoot): Promise<StoreReport> {
  const inspection = new Inspection(options);
  const { root, rootDamage } = suspect;
  if (rootDamage !== undefined) inspection.problem(ROOT_NAME, null, rootDamage);
  if (root !== undefined) checkRoot(inspection, root);
  const counts = root === undefined ? NOTHING : await checkFiles(inspection, root, names);
  const { problems, problemCount, leftovers } = inspection;
  const facts = { ...counts, lock: lockState(options.fs, join(options.folder, LOCK_NAME)) };
  return { facts, problems, problemCount, leftovers };
}

/** In the order in which they are shown. */
const NOTHING = { calls: 0, missing: 0, segments: 0, campaigns: 0 };

function checkRoot(inspection: Inspection, root: Root): void {
  for (const flaw of [
    ...flawsOf(root.state),
    keyFlaw(root.state),
    foreignFlaw(root, inspection.options.organizationId),
  ])
    if (flaw !== undefined) inspection.problem(ROOT_NAME, null, flaw);
}

async function checkFiles(inspection: Inspection, root: Root, names: StoreNames): Promise<typeof NOTHING> {
  const calls = await checkCalls(inspection, root);
  await checkCampaigns(inspection, root, wasRepaired(names.top));
  // Of a sound log and sound files, the root may still count otherwise.
  if (inspection.problemCount === 0)
    for (const flaw of [...rootFlaws(root), lossFlaw(root, names.top)])
      if (flaw !== undefined) inspection.problem(ROOT_NAME, null, flaw);
  listLeftovers(inspection, names, root);
  const missing = callsSinceReset(root.state) - calls;
  return { calls, missing, segments: root.segments.length, campaigns: root.queues.length };
}
