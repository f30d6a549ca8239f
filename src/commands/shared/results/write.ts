/** Writes the results of contacts, some rows at a time: to standard output, or to a file that appears when it is complete. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ContactResult } from '../../../calls/contact-results.ts';
import type { Context } from '../../../context.ts';
import { InterruptedError } from '../../../errors.ts';
import { requireNotMadeFrom } from '../made-from.ts';
import { spareMemory } from '../spare-memory.ts';
import { type ResultsLayout, resultsWriter } from './writer.ts';

/** Contacts that are written at a time. */
const BATCH = 500;

type Sink = (text: string) => Promise<void> | void;
/** Writes the results and returns their number. */
export type WriteAll = (results: AsyncIterable<ContactResult>) => Promise<number>;
/** `beside`: a path beside the file that is written, for what is kept meanwhile; undefined for standard output. */
type Produce = (writeAll: WriteAll, beside: string | undefined) => Promise<number>;

/** Has the results produced and writes them. Returns the number of rows. Throws InterruptedError, FileError. */
export async function writeResults(
  layout: ResultsLayout,
  out: string,
  context: Context,
  produce: Produce,
): Promise<number> {
  spareMemory();
  const writeTo =
    (sink: Sink): WriteAll =>
    async (results) => {
      const writer = resultsWriter(layout);
      let rows = 0;
      for await (const batch of batches(results)) {
        await nextTurn();
        if (context.signal.aborted) throw new InterruptedError();
        await sink(await writer.rows(batch));
        rows += batch.length;
      }
      await sink(await writer.end());
      noteCut(writer.cut, out, context);
      return rows;
    };
  if (out === '-')
    return produce(
      writeTo((text) => context.io.data(text)),
      undefined,
    );
  await requireNotMadeFrom(out, layout.madeFrom, context);
  const { writingFile } = await import('../../../files/in-progress.ts');
  return writingFile(out, context.output, (file) =>
    produce(
      writeTo((text) => file.write(layout.redact(text))),
      file.beside,
    ),
  );
}

function noteCut(cut: number, out: string, { io }: Context): void {
  if (cut === 0) return;
  const texts = cut === 1 ? 'text is' : 'texts are';
  io.warn(`${cut} ${texts} longer than a spreadsheet's cell; ${out === '-' ? 'the CSV' : out} has all of it.`);
}

async function* batches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
