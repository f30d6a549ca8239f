/**
 * Every matching call once, from the pages of a log that may grow, shrink and be in any order.
 *
 * All calls that the service counts when a pass through the log begins must be shown; later ones may be shown or not. If a pass
 * may have missed a call, the log is read once more, one page at a time. How a pass keeps its place is explained in `pass.ts`.
 */
import { type CallLogEntry, MAX_LIMIT, type RequestOf, type ResponseOf, type Service } from '../../contract.ts';
import { UnavailableError } from '../../errors.ts';
import { TextIndex } from '../../text/text-index.ts';
import { PagesAhead } from './ahead.ts';
import { isUnnamed, Keys } from './identity.ts';
import { Pass, type Shown } from './pass.ts';
import { ReadPosition } from './read-position.ts';

export type CallFilters = Pick<RequestOf<'getCallLogs'>, 'start_date' | 'end_date' | 'agent_id'>;

export interface Page {
  /** The calls that no earlier page held. */
  calls: CallLogEntry[];
  /** What identifies each of them: its call_id, if it has one. */
  keys: string[];
  /** The service's whole answer. */
  response: ResponseOf<'getCallLogs'>;
  /** Where it begins. */
  offset: number;
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

/** Keys in the order in which they were added. */
type SeenKeys = Pick<Set<string>, 'size' | 'has'> & Iterable<string> & { add(key: string): unknown };

interface PagesOptions {
  /** Calls at the beginning of the log that are left out on purpose. */
  skip?: number;
  /** Where an earlier reading stopped, and the keys that it had. */
  offset?: number;
  seen?: SeenKeys;
  /** How many calls the service counted when it stopped. */
  total?: number | undefined;
  /** The most calls in a page. */
  limit?: number;
  /** The most requests at the same time. */
  concurrency?: number;
}

/** The error code for a service that counts more calls than it shows. */
export const INCOMPLETE = 'incomplete';

/** Throws UnavailableError `incomplete`, after all calls that it could read, if the service counts more calls than it shows. */
export async function* pages(
  service: Service,
  filters: CallFilters,
  { skip = 0, offset = skip, seen = new TextIndex(), total, limit = MAX_LIMIT, concurrency = 1 }: PagesOptions = {},
): AsyncGenerator<Page, PagesSummary> {
  const ahead = new PagesAhead(service, { ...filters, limit });
  const taking = new Taking(seen);
  const options = { start: skip, taken: () => seen.size, take: (shown: Shown) => taking.take(shown) };

  const reached = new ReadPosition(offset, total, lastOf(seen, limit));
  const first = new Pass(ahead, { ...options, concurrency, isAgain: false, reached });
  for await (const { answer, offset } of first.run()) {
    yield { ...taking.given(), response: answer, offset, next: first.position, total: first.total };
  }

  const had = () => seen.size + skip;
  let last = first;
  const hasShrunk = (first.least ?? 0) < (first.first ?? 0);
  if (!first.isOutgrown && (first.isInDoubt || had() < (first.first ?? 0))) {
    taking.beginAgain();
    last = new Pass(ahead, { ...options, concurrency: 1, isAgain: true, reached: new ReadPosition(skip) });
    for await (const { answer, offset } of last.run()) {
      yield { ...taking.given(), response: answer, offset, next: first.position, total: first.total };
      // If calls disappeared or the place was lost, more may be missing than the count says.
      if (!first.isInDoubt && !hasShrunk && had() >= (last.last ?? 0)) break;
    }
    taking.requireKnownIds();
  }
  requireAll(last, seen.size, skip);
  return { unnamed: taking.unnamed, later: Math.max(0, (last.last ?? 0) - had()) };
}

function requireAll({ least = 0, isInDoubt, isOutgrown }: Pass, shown: number, skip: number): void {
  const promised = least - skip;
  const counts =
    shown < promised
      ? `The service counts ${promised} calls but showed ${shown}.`
      : `The service showed ${shown} calls, and others may be missing: the log moves faster than it can be read.`;
  if (shown >= promised && !isInDoubt && !isOutgrown) return;
  throw new UnavailableError(counts, {
    code: INCOMPLETE,
    hint: 'Try again; if it happens again, the service is at fault.',
  });
}

/** If a second pass multiplies the calls by this much, newly arrived ones cannot be the reason: their ids have changed. */
const ALL_NEW = 1.5;

/** Collects the calls that are shown, each only once. */
class Taking {
  readonly #seen: SeenKeys;
  #keys: Keys;
  #calls: CallLogEntry[] = [];
  #given: string[] = [];
  #hasKnown = true;
  #before = 0;
  unnamed = 0;

  constructor(seen: SeenKeys) {
    this.#seen = seen;
    this.#keys = new Keys(seen);
  }

  beginAgain(): void {
    this.#keys = new Keys();
    this.#hasKnown = false;
    this.#before = this.#seen.size;
  }

  take({ answer, rows }: Shown): boolean {
    const before = this.#calls.length;
    for (const [at, { mark, isRepeated }] of rows.entries()) {
      if (isRepeated && isUnnamed(mark)) continue;
      const key = this.#keys.keyOf(mark);
      if (this.#seen.has(key)) {
        this.#hasKnown = true;
        continue;
      }
      this.#seen.add(key);
      this.#calls.push(answer.calls[at] as CallLogEntry);
      this.#given.push(key);
      if (isUnnamed(key)) this.unnamed += 1;
    }
    return this.#calls.length > before;
  }

  /** What was taken since the last call. */
  given(): Pick<Page, 'calls' | 'keys'> {
    const given = { calls: this.#calls, keys: this.#given };
    this.#calls = [];
    this.#given = [];
    return given;
  }

  /** Throws UnavailableError if a second pass through the log showed as many calls, but none that was known. */
  requireKnownIds(): void {
    const size = this.#seen.size;
    if (this.#hasKnown || size === this.#before || size < this.#before * ALL_NEW) return;
    throw new UnavailableError('The service gives its calls new call_ids at every request: none can be recognised.', {
      code: 'unstable_ids',
      hint: 'The service is at fault: there is no way to tell which calls were shown already.',
    });
  }
}

/** The last ones that were added. */
function lastOf(seen: SeenKeys, count: number): string[] {
  const last: string[] = [];
  let left = seen.size;
  for (const key of seen) if (left-- <= count) last.push(key);
  return last;
}
