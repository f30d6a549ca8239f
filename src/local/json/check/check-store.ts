/** Checks the whole store in any state: what is damaged, and what can still be trusted. */
import { flawsOf, keyFlaw } from '../../../engine/soundness.ts';
import { callsSinceReset } from '../../../engine/state.ts';
import type { Remark, StoreReport } from '../../store.ts';
import { foreignFlaw, lossFlaw, ROOT_NAME, type Root, rootFlaws } from '../root.ts';
import { type CallFindings, checkCalls } from './calls.ts';
import { type CampaignFindings, checkCampaigns } from './campaigns.ts';
import { Inspection, type InspectionOptions } from './inspection.ts';
import { listLeftovers, type StoreNames, storeNames, wasRepaired } from './names.ts';
import { readSuspectRoot, type SuspectRoot } from './suspect-root.ts';

export interface Findings extends CallFindings, SuspectRoot {
  campaigns: CampaignFindings[];
  /** Calls that were placed once but are in no segment now. */
  missing: number;
  /** The first of them; `problemCount` counts all. */
  problems: Remark[];
  problemCount: number;
  leftovers: Remark[];
}

/** The findings for readers who do not know the files; `lock` says who holds the store. */
export function reportOf(findings: Findings, lock: string): StoreReport {
  const { calls, missing, segments, campaigns, problems, problemCount, leftovers, rootDamage } = findings;
  const facts = { calls, missing, segments: segments.length, campaigns: campaigns.length, lock };
  return { facts, problems, problemCount, leftovers, keepsOnlyCalls: rootDamage !== undefined };
}

/**
 * Checks the store. Takes no lock: one root is one snapshot, and what it commits does not change until a reset. Throws
 * FileError if the folder is not a store of vagent's, comes from a later version or cannot be read.
 */
export async function checkStore(options: InspectionOptions): Promise<Findings> {
  const { fs, folder } = options;
  for (;;) {
    // Before the root is read, so that files written from now on are not taken for leftovers.
    const names = storeNames(fs, folder);
    const suspect = readSuspectRoot(fs, folder, names);
    const { root } = suspect;
    const findings = await inspect(options, names, suspect);
    if (root === undefined || readSuspectRoot(fs, folder, names).root?.resets === root.resets) return findings;
  }
}

/** Checks the files in the folder against a root other than the store's own. */
export function checkAgainst(options: InspectionOptions, root: Root): Promise<Findings> {
  return inspect(options, storeNames(options.fs, options.folder), { root, rootDamage: undefined, hasNoTimes: false });
}

async function inspect(
  options: InspectionOptions,
  names: StoreNames,
  { root, rootDamage, hasNoTimes }: SuspectRoot,
): Promise<Findings> {
  const inspection = new Inspection(options);
  const { problems, leftovers } = inspection;
  if (root === undefined) {
    if (rootDamage !== undefined) inspection.problem(ROOT_NAME, null, rootDamage);
    const nothing = { segments: [], calls: 0, newest: 0, campaigns: [], missing: 0 };
    return { root, rootDamage, hasNoTimes, ...nothing, problems, problemCount: inspection.problemCount, leftovers };
  }
  if (hasNoTimes) inspection.problem(ROOT_NAME, null, 'has times that are not valid times before the year 10000');
  else for (const flaw of flawsOf(root.state)) inspection.problem(ROOT_NAME, null, flaw);
  for (const flaw of [keyFlaw(root.state), foreignFlaw(root, options.organizationId)])
    if (flaw !== undefined) inspection.problem(ROOT_NAME, null, flaw);
  const calls = await checkCalls(inspection, root);
  const missing = callsSinceReset(root.state) - calls.calls;
  const campaigns = await checkCampaigns(inspection, root, wasRepaired(names));
  // Of a sound log and sound files, the root may still count otherwise.
  if (inspection.problemCount === 0)
    for (const flaw of [...rootFlaws(root), lossFlaw(root, names.top)])
      if (flaw !== undefined) inspection.problem(ROOT_NAME, null, flaw);
  listLeftovers(inspection, names, root);
  return {
    root,
    rootDamage,
    hasNoTimes,
    ...calls,
    campaigns,
    missing,
    problems,
    problemCount: inspection.problemCount,
    leftovers,
  };
}
