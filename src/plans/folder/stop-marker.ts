/** A durable wish that a plan stops. Whoever changes the plan next finds it; whoever is about to send a wave looks for it. */
import { systemCode } from '../../errors.ts';
import { type FileSystem, quietly } from '../../files/file-system.ts';
import { syncFolder } from '../../files/folder.ts';
import { createOwn, readText } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import type { PlanPaths } from './paths.ts';

/** Why a plan is stopped, if nothing else is known. */
export const STOPPED = 'It was stopped with plan stop.';

export interface StopWish {
  /** Milliseconds since the epoch. */
  at: number;
  reason: string;
  /** Whether it is to end, and not to go on later. */
  isForGood?: true;
}

/**
 * Durable when it returns. A full disk often still takes a name without content, and that is a wish already: so the name comes
 * first, and what fails after it does not matter. Throws system errors.
 */
export function writeStop(fs: FileSystem, paths: PlanPaths, wish: StopWish): void {
  const { folder, stop } = paths;
  const isNew = !hasStop(fs, paths);
  if (!isNew && !wish.isForGood) return;
  if (isNew) {
    fs.closeSync(createOwn(fs, stop));
    syncFolder(fs, folder);
  }
  quietly(() => replaceFile(fs, stop, `${JSON.stringify(wish)}\n`));
}

/** Undefined if nobody wants it. Without content it is a wish all the same. Throws system errors. */
export function readStop(fs: FileSystem, { stop }: PlanPaths): StopWish | undefined {
  let text: string;
  try {
    text = readText(fs, stop);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { at, reason, isForGood } = JSON.parse(text) as Partial<StopWish>;
    const isSound = typeof at === 'number' && typeof reason === 'string';
    if (isSound) return { at, reason, ...(isForGood === true && { isForGood }) };
  } catch {
    // The disk was full, or somebody wrote it by hand.
  }
  return { at: fs.statSync(stop).mtimeMs, reason: STOPPED };
}

/** Whether somebody wants it, even if it cannot be read. */
export function hasStop(fs: FileSystem, { stop }: PlanPaths): boolean {
  return fs.lstatSync(stop, { throwIfNoEntry: false }) !== undefined;
}

/** After the plan has stopped. */
export function clearStop(fs: FileSystem, { folder, stop }: PlanPaths): void {
  fs.rmSync(stop, { force: true });
  syncFolder(fs, folder);
}
