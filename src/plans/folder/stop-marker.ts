/** A durable wish that a plan stops. Whoever changes the plan next finds it; whoever is about to send a wave looks for it. */
import { systemCode } from '../../errors.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { syncFolder } from '../../files/folder.ts';
import { readText } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import type { PlanPaths } from './paths.ts';

export interface StopWish {
  /** Milliseconds since the epoch. */
  at: number;
  reason: string;
}

/** Durable when it returns. Throws system errors, and FileErrors. */
export function writeStop(fs: FileSystem, { stop }: PlanPaths, wish: StopWish): void {
  replaceFile(fs, stop, `${JSON.stringify(wish)}\n`);
}

/** Undefined if nobody wants it. One that cannot be read is a wish all the same. */
export function readStop(fs: FileSystem, { stop }: PlanPaths): StopWish | undefined {
  let text: string;
  try {
    text = readText(fs, stop);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { at, reason } = JSON.parse(text) as Partial<StopWish>;
    if (typeof at === 'number' && typeof reason === 'string') return { at, reason };
  } catch {
    // Somebody wrote it by hand.
  }
  return { at: fs.statSync(stop).mtimeMs, reason: 'stopped by hand' };
}

/** After the plan has stopped. */
export function clearStop(fs: FileSystem, { folder, stop }: PlanPaths): void {
  fs.rmSync(stop, { force: true });
  syncFolder(fs, folder);
}
