/** Reads all pages of the call log with progress, and notes at the end what may be missing or repeated. */
import { totalOf } from '../../contract.ts';
import type { Page, PagesSummary } from '../../paging/pages.ts';
import type { Io } from '../../terminal/io.ts';
import { Progress } from '../../terminal/progress.ts';

/** The same pages, with progress; `before` counts calls that an earlier run has read. */
export async function* withProgress(
  reading: AsyncGenerator<Page, unknown>,
  doing: string,
  io: Io,
  before = 0,
): AsyncGenerator<Page> {
  const progress = new Progress(io, doing);
  let read = before;
  try {
    for await (const page of reading) {
      yield page;
      read += page.calls.length;
      progress.at(read, totalOf(page.response));
    }
  } finally {
    progress.end();
  }
}

/** The same pages, with progress, and notes on calls that may be repeated or missing. */
export function readLog(reading: AsyncGenerator<Page, PagesSummary>, doing: string, io: Io, before = 0) {
  return withProgress(withNotes(reading, io), doing, io, before);
}

async function* withNotes(reading: AsyncGenerator<Page, PagesSummary>, io: Io): AsyncGenerator<Page> {
  const { unnamed, later } = yield* reading;
  if (unnamed > 0) {
    const have = unnamed === 1 ? '1 entry has' : `${unnamed} entries have`;
    io.warn(`${have} no call_id to rely on: the service may have shown some of them twice.`);
  }
  if (later > 0) {
    io.note(`${later === 1 ? '1 call' : `${later} calls`} came in while the log was read and may not be among these.`);
  }
}
