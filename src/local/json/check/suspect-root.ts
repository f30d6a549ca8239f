/** The root as far as it can be used, and the names of files in the store's folders: which are its own, and which are leftovers. */
import { join } from 'node:path';
import { FileError } from '../../../errors.ts';
import type { FileSystem } from '../../../storage/files/file-system.ts';
import { segmentPath } from '../call-log.ts';
import { namesIn, ORGANIZATIONS_FOLDER } from '../issued-ids.ts';
import { campaignFolder, queuePath } from '../queues.ts';
import {
  LOCK_NAME,
  orderFlaw,
  ROOT_NAME,
  type Root,
  readSuspectRoot as readUnchecked,
  SET_ASIDE,
  UNFINISHED,
} from '../root.ts';
import type { Inspection } from './inspection.ts';

export interface SuspectRoot {
  /** Undefined if there is no store yet, or its root is damaged. */
  root: Root | undefined;
  /** Why the root cannot be used. */
  rootDamage: string | undefined;
}

/** Throws FileError if the folder is not a store of vagent's, or comes from a later version. */
export function readSuspectRoot(fs: FileSystem, folder: string, names: StoreNames): SuspectRoot {
  try {
    const root = readUnchecked(fs, folder)?.root;
    const rootDamage = root && orderFlaw(root);
    return { root: rootDamage === undefined ? root : undefined, rootDamage };
  } catch (error) {
    if (!(error instanceof FileError && error.code === 'store_damaged')) throw error;
    if (names.top.includes(ROOT_NAME)) return { root: undefined, rootDamage: damageIn(error) };
    if (isStoreWithoutRoot(names)) return { root: undefined, rootDamage: 'is missing' };
    throw error;
  }
}

/** What is wrong with a file, completing a sentence about it. */
export function damageIn({ reason, message }: FileError): string {
  return (reason?.kind === 'store_damaged' && reason.damage) || message;
}

/** The names in the store's folders; a missing folder has none. */
export interface StoreNames {
  top: string[];
  calls: string[];
  campaigns: string[];
}

export function storeNames(fs: FileSystem, folder: string): StoreNames {
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
export function listLeftovers(inspection: Inspection, { top, calls, campaigns }: StoreNames, root: Root): void {
  const { fs, folder } = inspection.options;
  const ids = root.queues.map(({ campaign_id }) => campaign_id);
  const folders = ids.map((id) => campaignFolder('', id));
  const named = new Set([
    ...TOP_NAMES,
    ...root.segments.map(({ seq }) => segmentPath('', seq)),
    ...folders,
    ...ids.flatMap((id) => [queuePath('', id, 'contacts'), queuePath('', id, 'retries'), queuePath('', id, 'rows')]),
  ]);
  const present = [
    ...top,
    ...calls.map((name) => join('calls', name)),
    ...campaigns.map((name) => join('campaigns', name)),
    ...folders.flatMap((own) => namesIn(fs, join(folder, own)).map((name) => join(own, name))),
  ];
  for (const file of present.filter((name) => !named.has(name))) {
    inspection.leftover(file, whyLeft(file));
  }
}

/** Why a file that nothing names is there, completing a sentence about it. */
export function whyLeft(file: string): string {
  if (file === UNFINISHED) return 'is what a copy that was cut off has left';
  return file.includes(SET_ASIDE) ? 'was set aside by a repair' : 'is not part of any committed state';
}
