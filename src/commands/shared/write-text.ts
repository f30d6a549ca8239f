/** Writes a text that comes line by line: to standard output, or to a file that appears when it is complete. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { requireNameFor } from '../../calls/format-by-name.ts';
import type { Context } from '../../context.ts';
import { InterruptedError } from '../../errors.ts';

/** Characters that are gathered before they are written. */
const GATHERED = 1 << 18;

/** `out` is the file's name, or `-`. Returns what the lines return at their end. Throws FileErrors. */
export async function writeText<R>(
  lines: Iterator<string, R> | AsyncIterator<string, R>,
  out: string,
  context: Context,
): Promise<R> {
  const { io, output } = context;
  if (out === '-') return write(lines, (text) => io.data(text), context);
  const { writingFile } = await import('../../files/in-progress.ts');
  return writingFile(out, output, (file) => write(lines, async (text) => file.write(text), context));
}

async function write<R>(
  lines: Iterator<string, R> | AsyncIterator<string, R>,
  put: (text: string) => Promise<void>,
  { signal }: Context,
): Promise<R> {
  let text = '';
  for (let next = await lines.next(); ; next = await lines.next()) {
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
}

/** Throws UsageError if a list of contacts would have a wrong name, or replace what it must not. */
export function requireOwnFile(out: string, { output }: Context): void {
  if (out === '-') return;
  requireNameFor('a CSV', ['csv', 'tsv', 'txt'], out, '--out');
  output.requireFree(out);
}
