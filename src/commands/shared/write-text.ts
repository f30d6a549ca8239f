/** Writes a text that comes in pieces: to standard output, or to a file that appears when it is complete. */
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { InterruptedError } from '../../errors.ts';

/** Characters that are gathered before they are written. */
const GATHERED = 1 << 18;

type Pieces<R> = Iterator<string, R> | AsyncIterator<string, R>;

/**
 * `out` is the file's name, or `-`. `pieces` is told a path beside the file for what is kept meanwhile; undefined for standard
 * output. Returns what the pieces return at their end. Throws InterruptedError and FileErrors.
 */
export async function writeText<R>(pieces: (beside?: string) => Pieces<R>, out: string, context: Context): Promise<R> {
  if (out === '-') return write(pieces(), (text) => context.io.data(text), context);
  const { writingFile } = await import('../../storage/files/in-progress.ts');
  return writingFile(out, context.line, (file) =>
    write(pieces(file.beside), async (text) => file.write(text), context),
  );
}

async function write<R>(pieces: Pieces<R>, put: (text: string) => Promise<void>, { signal }: Context): Promise<R> {
  let text = '';
  try {
    for (let next = await pieces.next(); ; next = await pieces.next()) {
      if (next.done === true) {
        await put(text);
        return next.value;
      }
      text += next.value;
      if (text.length < GATHERED) continue;
      await put(text);
      text = '';
      // Without this an interrupt would never arrive.
      await nextTurn();
      if (signal.aborted) throw new InterruptedError();
    }
  } finally {
    await pieces.return?.();
  }
}

/** Throws UsageError. Where others may write `paths` into rows they are compared as texts alone: nothing looks at the files. */
export async function requireNotMadeFrom(out: string, paths: readonly string[], context: Context): Promise<void> {
  const isOthers = paths.length > 0 && (await context.register.rows()).isShared;
  context.line.requireFree(out, isOthers ? paths.filter((path) => resolve(path) === resolve(out)) : paths);
}
