/** Reads all pages of the call log with progress, and notes at the end what may be missing or repeated. */
import { totalOf } from '../../contract.ts';
import type { Notes } from '../../text/notes.ts';
import { counted } from '../../text/numbers.ts';
import type { Page, PagesSummary } from './pages.ts';

/** The same pages, with progress; `before` counts calls that an earlier run has read. */
export async function* withProgress(
  reading: AsyncGenerator<Page, unknown>,
  doing: string,
  notes: Pick<Notes, 'progress'>,
  before = 0,
): AsyncGenerator<Page> {
  const progress = notes.progress(doing);
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
export function readLog(reading: AsyncGenerator<Page, PagesSummary>, doing: string, notes: Notes, before = 0) {
  return withProgress(withNotes(reading, notes), doing, notes, before);
}

async function* withNotes(reading: AsyncGenerator<Page, PagesSummary>, notes: Notes): AsyncGenerator<Page> {
  const { unnamed, later } = yield* reading;
  if (unnamed > 0) {
    const have = counted(unnamed, 'entry has', 'entries have');
    notes.warn(`${have} no call_id to rely on: the service may have shown some of them twice.`);
  }
  if (later > 0) {
    notes.note(`${counted(later, 'call')} came in while the log was read and may not be among these.`);
  }
}
