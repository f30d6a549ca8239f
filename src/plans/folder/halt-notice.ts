/** When it was last said that a plan is halted, in a small file of its own. If it is lost, it is said once more. */
import { type FileSystem, quietly } from '../../files/file-system.ts';
import { readText } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import type { PlanPaths } from './paths.ts';

/** Milliseconds: a day, and what a daily run may be too early. */
const SAID_FOR = 23 * 3_600_000;

/** Whether to say it now, in milliseconds since the epoch: another reason was not said yet, and the same is said once a day. */
export function isHaltToBeSaid(fs: FileSystem, { halt }: PlanPaths, reason: string, now: number): boolean {
  try {
    const said = JSON.parse(readText(fs, halt)) as { at?: unknown; reason?: unknown };
    const age = typeof said.at === 'number' ? now - said.at : Number.POSITIVE_INFINITY;
    return said.reason !== reason || !(age >= 0 && age < SAID_FOR);
  } catch {
    return true;
  }
}

/** A failure is not reported: it is said again then. */
export function keepHaltSaid(fs: FileSystem, { halt }: PlanPaths, reason: string, now: number): void {
  quietly(() => replaceFile(fs, halt, JSON.stringify({ at: now, reason })));
}
