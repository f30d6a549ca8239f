/** Checks the whole store, whatever state it is in: what is damaged, and what can be trusted all the same. */
import { join } from 'node:path';
import { FileError, systemCode } from '../../errors.ts';
import { type FileSystem, fileError } from '../../files.ts';
import { segmentPath } from '../call-log.ts';
import { campaignFolder } from '../queues.ts';
import { LOCK_NAME, ROOT_NAME, type Root, readRoot } from '../root.ts';
import { type CallFindings, checkCalls } from './calls.ts';
import { type CampaignFindings, checkCampaigns } from './campaigns.ts';
import { Inspection, type InspectionOptions, type Remark } from './inspection.ts';

export interface Findings extends CallFindings {
  /** Undefined where there is no store yet, and where its root is damaged. */
  root: Root | undefined;
  /** Why the root cannot be used. */
  rootFault: string | undefined;
  campaigns: CampaignFindings[];
  /** Calls that were placed once and are in no segment any more. */
  missing: number;
  /** The first of them; `problemCount` counts all. */
  problems: Remark[];
  problemCount: number;
  leftovers: Remark[];
}

/** What a repair calls the copies that it keeps of what it changes. */
export const SET_ASIDE = '.damaged-';

/**
 * Checks the store. Takes no lock: one root is one snapshot, and what it commits does not change until a reset. Throws
 * FileError where the folder is no store of vagent's at all, is of a later version or cannot be read.
 */
export async function checkStore(options: InspectionOptions): Promise<Findings> {
  const { fs, folder } = options;
  for (;;) {
    // Before the root is read: what is written from now on is no leftover.
    const names = storeNames(fs, folder);
    const { root, rootFault } = readSuspectRoot(fs, folder, names);
    const findings = await inspect(options, names, root, rootFault);
    if (root === undefined || readSuspectRoot(fs, folder, names).root?.resets === root.resets) return findings;
  }
}

/** Checks the files in the folder against a root that is not the store's own. */
export function checkAgainst(options: InspectionOptions, root: Root): Promise<Findings> {
  return inspect(options, storeNames(options.fs, options.folder), root, undefined);
}

async function inspect(
  options: InspectionOptions,
  names: StoreNames,
  root: Root | undefined,
  rootFault: string | undefined,
): Promise<Findings> {
  const inspection = new Inspection(options);
  const { problems, leftovers } = inspection;
  if (root === undefined) {
    if (rootFault !== undefined) inspection.problem(ROOT_NAME, null, rootFault);
    const nothing = { segments: [], calls: 0, newest: 0, campaigns: [], missing: 0 };
    return { root, rootFault, ...nothing, problems, problemCount: inspection.problemCount, leftovers };
  }
  const calls = await checkCalls(inspection, root);
  const missing = root.state.next_call_number - 1 - calls.calls;
  if (inspection.problemCount === 0 && missing > 0 && !wasRepaired(names)) {
    inspection.problem(ROOT_NAME, null, `counts ${missing} more calls than the log holds`);
  }
  const campaigns = await checkCampaigns(inspection, root);
  listLeftovers(inspection, names, root);
  return {
    root,
    rootFault,
    ...calls,
    campaigns,
    missing,
    problems,
    problemCount: inspection.problemCount,
    leftovers,
  };
}

/** Calls may be missing from a log without a broken line once a repair has left them out: it kept the root of before. */
function wasRepaired({ top }: StoreNames): boolean {
  return top.some((name) => name.startsWith(ROOT_NAME + SET_ASIDE));
}

/** The names in the store's folders; a folder that is not there has none. */
export interface StoreNames {
  top: string[];
  calls: string[];
  campaigns: string[];
}

export function storeNames(fs: FileSystem, folder: string): StoreNames {
  const names = (name: string) => namesIn(fs, join(folder, name));
  return { top: names('.'), calls: names('calls'), campaigns: names('campaigns') };
}

function namesIn(fs: FileSystem, folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw fileError(error, 'read', folder);
  }
}

/** What a store has at its top, beside what repairs have set aside. */
const TOP_NAMES = new Set([ROOT_NAME, LOCK_NAME, 'calls', 'campaigns']);

export const SEGMENT_NAME = /^\d{6,}\.jsonl$/;
export const CAMPAIGN_NAME = /^[1-9]\d{0,14}$/;

interface SuspectRoot {
  root: Root | undefined;
  rootFault: string | undefined;
}

function readSuspectRoot(fs: FileSystem, folder: string, names: StoreNames): SuspectRoot {
  try {
    const root = readRoot(fs, folder)?.root;
    const rootFault = root === undefined ? undefined : inconsistency(root);
    return rootFault === undefined ? { root, rootFault } : { root: undefined, rootFault };
  } catch (error) {
    if (!(error instanceof FileError && error.code === 'store_damaged')) throw error;
    if (names.top.includes(ROOT_NAME)) return { root: undefined, rootFault: faultIn(error, join(folder, ROOT_NAME)) };
    if (isStoreWithoutRoot(names)) return { root: undefined, rootFault: 'is missing' };
    throw error;
  }
}

/** A folder of other things is never taken for a store. */
function isStoreWithoutRoot({ top, calls, campaigns }: StoreNames): boolean {
  return (
    top.every((name) => TOP_NAMES.has(name) || name.startsWith(ROOT_NAME)) &&
    calls.every((name) => SEGMENT_NAME.test(name) || name.includes(SET_ASIDE)) &&
    campaigns.every((name) => CAMPAIGN_NAME.test(name))
  );
}

/** What an error says of a file, without naming it. */
function faultIn({ message }: FileError, path: string): string {
  const at = message.indexOf(`${path} `);
  return at === -1 ? message : message.slice(at + path.length + 1).replace(/\.$/, '');
}

/** What no schema tells: a root that names a file twice, or a campaign without its files. */
function inconsistency({ segments, queues, state }: Root): string | undefined {
  if (!isRising(segments.map(({ seq }) => seq))) return 'names the segments of the call log out of order';
  const ids = state.campaigns.map(({ campaign_id }) => campaign_id);
  if (!isRising(ids)) return 'names the campaigns out of order';
  const named = queues.map(({ campaign_id }) => campaign_id);
  return named.join() === ids.join() ? undefined : 'does not name the files of every campaign';
}

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));
}

function listLeftovers(inspection: Inspection, { top, calls, campaigns }: StoreNames, root: Root): void {
  const { fs, folder } = inspection.options;
  const folders = root.queues.map(({ campaign_id }) => campaignFolder('', campaign_id));
  const named = new Set([
    ...TOP_NAMES,
    ...root.segments.map(({ seq }) => segmentPath('', seq)),
    ...folders,
    ...folders.flatMap((own) => ['contacts', 'retries'].map((kind) => join(own, `${kind}.jsonl`))),
  ]);
  const present = [
    ...top,
    ...calls.map((name) => join('calls', name)),
    ...campaigns.map((name) => join('campaigns', name)),
    ...folders.flatMap((own) => namesIn(fs, join(folder, own)).map((name) => join(own, name))),
  ];
  for (const file of present.filter((name) => !named.has(name))) {
    const isCopy = file.includes(SET_ASIDE);
    inspection.leftover(file, isCopy ? 'was set aside by a repair' : 'belongs to nothing that was committed');
  }
}
