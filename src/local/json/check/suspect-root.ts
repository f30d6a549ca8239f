/** The root as far as it can be used, and otherwise its damage. */
import { FileError } from '../../../errors.ts';
import type { FileSystem } from '../../../files/file-system.ts';
import { orderFlaw, ROOT_NAME, type Root, readSuspectRoot as readUnchecked } from '../root.ts';
import { isStoreWithoutRoot, type StoreNames } from './names.ts';

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
    return rootDamage === undefined ? { root, rootDamage } : unusable(rootDamage);
  } catch (error) {
    if (!(error instanceof FileError && error.code === 'store_damaged')) throw error;
    if (names.top.includes(ROOT_NAME)) return unusable(damageIn(error));
    if (isStoreWithoutRoot(names)) return unusable('is missing');
    throw error;
  }
}

function unusable(rootDamage: string): SuspectRoot {
  return { root: undefined, rootDamage };
}

/** What is wrong with a file, completing a sentence about it. */
export function damageIn({ reason, message }: FileError): string {
  return (reason?.kind === 'store_damaged' && reason.damage) || message;
}
