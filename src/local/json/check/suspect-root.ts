/** The root as far as it can be used, and otherwise its damage. */
import { FileError } from '../../../errors.ts';
import type { FileSystem } from '../../../files/file-system.ts';
import { ROOT_NAME, type Root, readRoot } from '../root.ts';
import { isStoreWithoutRoot, type StoreNames } from './names.ts';
import { rootBesideTimes } from './times.ts';

export interface SuspectRoot {
  /** Undefined if there is no store yet, or its root is damaged. */
  root: Root | undefined;
  /** Why the root cannot be used. */
  rootDamage: string | undefined;
  /** Whether the root has provisional times in place of its own: see `times.ts`. */
  hasNoTimes: boolean;
}

/** Throws FileError if the folder is not a store of vagent's, or comes from a later version. */
export function readSuspectRoot(fs: FileSystem, folder: string, names: StoreNames): SuspectRoot {
  try {
    return suspected(readRoot(fs, folder)?.root, false);
  } catch (error) {
    if (!(error instanceof FileError && error.code === 'store_damaged')) throw error;
    const beside = rootBesideTimes(fs, folder);
    if (beside !== undefined) return suspected(beside, true);
    if (names.top.includes(ROOT_NAME)) return unusable(damageIn(error));
    if (isStoreWithoutRoot(names)) return unusable('is missing');
    throw error;
  }
}

function suspected(root: Root | undefined, hasNoTimes: boolean): SuspectRoot {
  const rootDamage = root === undefined ? undefined : inconsistency(root);
  return rootDamage === undefined ? { root, rootDamage, hasNoTimes } : unusable(rootDamage);
}

function unusable(rootDamage: string): SuspectRoot {
  return { root: undefined, rootDamage, hasNoTimes: false };
}

/** What is wrong with a file, completing a sentence about it. */
export function damageIn({ reason, message }: FileError): string {
  return (reason?.kind === 'store_damaged' && reason.damage) || message;
}

/** What no schema can check: a root that names a file twice, or a campaign without its files. */
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
