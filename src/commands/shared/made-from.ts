/** What a file of results must not replace: those that the contacts came from. */
import { resolve } from 'node:path';
import type { Context } from '../../context.ts';

/** Throws UsageError. Where others may write `paths` into rows they are compared as texts alone: nothing looks at the files. */
export async function requireNotMadeFrom(out: string, paths: readonly string[], context: Context): Promise<void> {
  const isOthers = paths.length > 0 && (await context.register.rows()).isShared;
  context.line.requireFree(out, isOthers ? paths.filter((path) => resolve(path) === resolve(out)) : paths);
}
