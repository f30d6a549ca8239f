/**
 * Every matching call once, from the pages of a log that may grow, shrink and be in any order.
 *
 * All calls that the service counts when a pass through the log begins must be shown; later ones may be shown or not. If a pass
 * may have missed a call, the log is read once more, one page at a time. How a pass keeps its place is explained in `pass.ts`.
 */
import { MAX_LIMIT, type RequestOf, type Service, totalOf } from '../../contract.ts';
import { UnavailableError } from '../../errors.ts';
import type { Notes } from '../../text/notes.ts';
import { counted } from '../../text/numbers.ts';
import { TextIndex } from '../../text/text-index.ts';
import { Pass, type SeenKeys, type Shown } from './pass.ts';

/** How many pages are requested at a time where nothing else is said. The local engine gains nothing from more than one. */
export const REMOTE_CONCURRENCY = 4;

export function concurrencyOf({ register }: { register: { target(): { isLocal: boolean } } }): number {
  return register.target().isLocal ? 1 : REMOTE_CONCURRENCY;
}

export type CallFilters = Pick<RequestOf<'getCallLogs'>, 'start_date' | 'end_date' | 'agent_id'>;

export interface Page extends Shown {
  /** The offset at which reading would continue, and how many calls the service counted then. */
  next: number;
  total: number | undefined;
}

/** What is known about calls after a log was read to its end. */
export interface PagesSummary {
  /** Entries without a call_id: they are shown, but one of them may have been shown twice. */
  unnamed: number;
  /** Calls that arrived during the reading and were not shown. */
  later: number;
}

interface PagesOptions {
  /** Calls at the beginning of the log that are left out on purpose. */
  skip?: number;
  /** Where an earlier reading stopped, and the keys that it had. */
  offset?: number;
  seen?: SeenKeys;
  /** How many calls the service counted when it stopped. */
  total?: number | undefined;
  concurrency?: number;
}

/** The error code for a service that counts more calls than it shows. */
export const INCOMPLETE = 'incomplete';
/** If a second pass multiplies the calls by this much, newly arrived ones cannot be the reason: their ids have changed. */
const ALL_NEW = 1.5;

/** Throws UnavailableError `incomplete`, after all calls that it could read, if the service counts more calls than it shows. */
export async function* pages(
  service: Service,
  filters: CallFilters,
  { skip = 0, offset = skip, seen = new TextIndex(), total, concurrency = 1 }: PagesOptions = {},
): AsyncGenerator<Page, PagesSummary> {
  const log = {
    ask: (offset: number) => service.getCallLogs({ ...filters, limit: MAX_LIMIT, offset }),
    seen,
    start: skip,
  };
  const first = new Pass({ ...log, position: offset, total, marks: lastOf(seen), concurrency, isAgain: false });
  for await (const page of first.run()) yield { ...page, next: first.position, total: first.total };

  const had = () => seen.size + skip;
  if (first.isOutgrown || !(first.isInDoubt || had() < (first.first ?? 0))) return ended(first, first.unnamed);
  const before = seen.size;
  const again = new Pass({ ...log, position: skip, concurrency: 1, isAgain: true });
  for await (const page of again.run()) {
    yield { ...page, next: first.position, total: first.total };
    // If calls disappeared or the place was lost, more may be missing than the count says.
    const hasShrunk = (first.least ?? 0) < (first.first ?? 0);
    if (!first.isInDoubt && !hasShrunk && had() >= (again.last ?? 0)) break;
  }
  if (!again.hasKnown && seen.size > before && seen.size >= before * ALL_NEW) {
    throw new UnavailableError('The service gives its calls new call_ids at every request: none can be recognised.', {
      code: 'unstable_ids',
      hint: 'The service is at fault: there is no way to tell which calls were shown already.',
    });
  }
  return ended(again, first.unnamed + again.unnamed);

  function ended({ least = 0, last = 0, isInDoubt, isOutgrown }: Pass, unnamed: number): PagesSummary {
    const promised = least - skip;
    const shown = seen.size;
    if (shown >= promised && !isInDoubt && !isOutgrown) return { unnamed, later: Math.max(0, last - had()) };
    throw new UnavailableError(
      shown < promised
        ? `The service counts ${counted(promised, 'call')} but showed ${shown}.`
        : `The service showed ${counted(shown, 'call')}, and others may be missing: the log moves faster than it can be read.`,
      { code: INCOMPLETE, hint: 'Try again; if it happens again, the service is at fault.' },
    );
  }
}

/** The last ones that were added, as many as are in the longest page. */
function lastOf(seen: SeenKeys): string[] {
  const last: string[] = [];
  let left = seen.size;
  for (const key of seen) if (left-- <= MAX_LIMIT) last.push(key);
  return last;
}

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
