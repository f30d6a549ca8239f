/** Checks the whole store in any state: what is damaged, what can still be trusted, and which files belong to nothing. */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { flawsOf, keyFlaw } from '../../../engine/soundness.ts';
import { callsSinceReset, type State } from '../../../engine/state.ts';
import { FileError } from '../../../errors.ts';
import type { FileSystem } from '../../../storage/files/file-system.ts';
import { lockState } from '../../../storage/files/lock.ts';
import { higher, idsAfter, type NextIds, type Remark, report, type StoreReport, tooLow } from '../../store.ts';
import { segmentPath } from '../call-log.ts';
import {
  IDS_NAME,
  type IssuedIds,
  namesIn,
  ORGANIZATION_NAME,
  ORGANIZATIONS_FOLDER,
  ownFolder,
} from '../issued-ids.ts';
import { campaignFolder, queuePath } from '../queues.ts';
import {
  foreignFlaw,
  LOCK_NAME,
  lossFlaw,
  orderFlaw,
  ROOT_NAME,
  type Root,
  readSuspectRoot as readUnchecked,
  rootFlaws,
  SET_ASIDE,
  UNFINISHED,
  wasRepaired,
} from '../root.ts';
import { checkCalls, checkCampaigns } from './contents.ts';
import { Inspection, type InspectionOptions } from './inspection.ts';

/**
 * Checks one organization of the store in a folder. Takes no lock: one root is one snapshot, and what it commits does not change
 * until a reset. Throws FileError if the folder is not a store of vagent's, comes from a later version or cannot be read.
 */
export async function checkOrganization(
  { fs, folder: storeFolder, ...checked }: InspectionOptions,
  organizationId: number,
): Promise<StoreReport> {
  const own = ownFolder(organizationId);
  const folder = join(storeFolder, own);
  const named = (remarks: Remark[]) => remarks.map((remark) => ({ ...remark, file: join(own, remark.file) }));
  for (;;) {
    // Before the root is read, so that files written from now on are not taken for leftovers.
    const names = storeNames(fs, folder);
    const suspect = readSuspectRoot(fs, folder, names);
    const inspection = new Inspection({ ...checked, fs, folder });
    const report = await inspect(inspection, names, suspect, organizationId);
    const { root } = suspect;
    if (root === undefined || readSuspectRoot(fs, folder, names).root?.resets === root.resets)
      return { ...report, problems: named(report.problems), leftovers: named(report.leftovers) };
  }
}

async function inspect(
  inspection: Inspection,
  names: StoreNames,
  { root, damage }: SuspectRoot,
  organizationId: number,
): Promise<StoreReport> {
  const { fs, folder } = inspection.options;
  const ofRoot = (flaws: readonly (string | undefined)[]) => {
    for (const flaw of flaws) if (flaw !== undefined) inspection.problem(ROOT_NAME, null, flaw);
  };
  ofRoot([damage]);
  if (root !== undefined) ofRoot([...flawsOf(root.state), keyFlaw(root.state), foreignFlaw(root, organizationId)]);
  // In the order in which they are shown.
  let counts = { calls: 0, missing: 0, segments: 0, campaigns: 0 };
  if (root !== undefined) {
    const calls = await checkCalls(inspection, root);
    await checkCampaigns(inspection, root, wasRepaired(names.top));
    // Of a sound log and sound files, the root may still count otherwise.
    if (inspection.problemCount === 0) ofRoot([...rootFlaws(root), lossFlaw(root, names.top)]);
    listLeftovers(inspection, names, root);
    const missing = callsSinceReset(root.state) - calls;
    counts = { calls, missing, segments: root.segments.length, campaigns: root.queues.length };
  }
  const { problems, problemCount, leftovers } = inspection;
  return { facts: { ...counts, lock: lockState(fs, join(folder, LOCK_NAME)) }, problems, problemCount, leftovers };
}

/** The root as far as it can be used. */
interface SuspectRoot {
  /** Undefined if there is no store yet, or its root is damaged. */
  root: Root | undefined;
  /** Why the root cannot be used. */
  damage?: string | undefined;
}

/** Throws FileError if the folder is not a store of vagent's, or comes from a later version. */
function readSuspectRoot(fs: FileSystem, folder: string, names: StoreNames): SuspectRoot {
  try {
    const root = readUnchecked(fs, folder)?.root;
    const damage = root && orderFlaw(root);
    return { root: damage === undefined ? root : undefined, damage };
  } catch (error) {
    const damage = damageIn(error);
    if (names.top.includes(ROOT_NAME)) return { root: undefined, damage };
    if (isStoreWithoutRoot(names)) return { root: undefined, damage: 'is missing' };
    throw error;
  }
}

/** What is wrong with a file, completing a sentence about it. Throws an error that tells of something else. */
function damageIn(error: unknown): string {
  if (!(error instanceof FileError && error.code === 'store_damaged')) throw error;
  return (error.reason?.kind === 'store_damaged' && error.reason.damage) || error.message;
}

/** The names in the store's folders; a missing folder has none. */
interface StoreNames {
  top: string[];
  calls: string[];
  campaigns: string[];
}

function storeNames(fs: FileSystem, folder: string): StoreNames {
  const names = (name: string) => namesIn(fs, join(folder, name));
  return { top: names('.'), calls: names('calls'), campaigns: names('campaigns') };
}

/** The names at the top of a store, besides the copies that repairs of an older vagent have kept. */
const TOP_NAMES = new Set([ROOT_NAME, LOCK_NAME, 'calls', 'campaigns', ORGANIZATIONS_FOLDER]);

const SEGMENT_NAME = /^\d{6,}\.jsonl$/;
const CAMPAIGN_NAME = /^[1-9]\d{0,14}$/;

/** A folder with other files is never taken for a store. */
function isStoreWithoutRoot({ top, calls, campaigns }: StoreNames): boolean {
  return (
    top.every((name) => TOP_NAMES.has(name) || name.startsWith(ROOT_NAME)) &&
    calls.every((name) => SEGMENT_NAME.test(name) || name.includes(SET_ASIDE)) &&
    campaigns.every((name) => CAMPAIGN_NAME.test(name))
  );
}

/** Remarks on every file that the root does not name. */
function listLeftovers(inspection: Inspection, { top, calls, campaigns }: StoreNames, root: Root): void {
  const { fs, folder } = inspection.options;
  const ids = root.queues.map(({ campaign_id }) => campaign_id);
  const folders = ids.map((id) => campaignFolder('', id));
  const named = new Set([
    ...TOP_NAMES,
    ...root.segments.map(({ seq }) => segmentPath('', seq)),
    ...folders,
    ...ids.flatMap((id) => (['contacts', 'retries', 'rows'] as const).map((kind) => queuePath('', id, kind))),
  ]);
  const present = [
    ...top,
    ...calls.map((name) => join('calls', name)),
    ...campaigns.map((name) => join('campaigns', name)),
    ...folders.flatMap((own) => namesIn(fs, join(folder, own)).map((name) => join(own, name))),
  ];
  for (const file of present) if (!named.has(file)) inspection.leftover(file, whyLeft(file));
}

/** Why a file that nothing names is there, completing a sentence about it. */
function whyLeft(file: string): string {
  if (file === UNFINISHED) return 'is what a copy that was cut off has left';
  return file.includes(SET_ASIDE) ? 'was set aside by a repair' : 'is not part of any committed state';
}

/**
 * Checks the ids that count up over all organizations of a store: none may be given that any of them has given already. Throws
 * FileError if something cannot be read, or comes from a later version.
 */
export async function checkIds(
  { fs, folder, signal }: Pick<InspectionOptions, 'fs' | 'folder' | 'signal'>,
  ids: IssuedIds,
  organizationIds: readonly number[],
): Promise<StoreReport> {
  const problems: Remark[] = [];
  const problem = (file: string, message: string) => problems.push({ file, line: null, message });
  if (!ids.isCounting()) return report(problems);
  // The lowest ids that the organizations leave, before those that are counted: ids that are given meanwhile are counted first.
  let least: NextIds = { next_organization_id: 1, next_agent_id: 1, next_campaign_id: 1 };
  const owners = new Map<string, number>();
  const shared: [file: string, message: string][] = [];
  for (const organizationId of organizationIds) {
    const own = ownFolder(organizationId);
    const { root } = readSuspectRoot(fs, join(folder, own), storeNames(fs, join(folder, own)));
    least = higher(least, root ? idsAfter(root.state) : { ...least, next_organization_id: organizationId + 1 });
    for (const name of root ? namesOf(root.state) : []) {
      const owner = owners.get(name);
      owners.set(name, organizationId);
      if (owner !== undefined) shared.push([join(own, ROOT_NAME), `has ${name}, which organization ${owner} has`]);
    }
    await nextTurn();
    signal.throwIfAborted();
  }
  const counted = join(ORGANIZATIONS_FOLDER, IDS_NAME);
  try {
    for (const flaw of tooLow(ids.read(), least)) problem(counted, flaw);
    for (const id of ids.gone()) problem(ownFolder(id), 'is missing');
  } catch (error) {
    problem(counted, damageIn(error));
  }
  for (const remark of shared) problem(...remark);
  const strays = namesIn(fs, join(folder, ORGANIZATIONS_FOLDER)).filter(
    (name) => ![IDS_NAME, LOCK_NAME].includes(name) && !ORGANIZATION_NAME.test(name),
  );
  const leftovers = strays.map((name) => ({
    file: join(ORGANIZATIONS_FOLDER, name),
    line: null,
    message: whyLeft(name),
  }));
  return report(problems, leftovers);
}

/** What only one organization may have. */
function namesOf({ agents, campaigns, organization }: State): Iterable<string> {
  const agentIds = [organization.demo_agent_id, ...agents.map(({ agent_id }) => agent_id)];
  return new Set([
    ...agentIds.map((id) => `agent ${id}`),
    ...campaigns.map(({ campaign_id }) => `campaign ${campaign_id}`),
  ]);
}
