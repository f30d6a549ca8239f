/**
 * Every matching call once, over pages of a log that grows and whose order nobody states.
 *
 * The next page starts after the calls *returned*, not after those asked for: services cap pages and report as `limit` what
 * they returned. New calls shift rows to later pages, so a row may come twice; its call_id tells. Nothing ends the reading
 * but pages that bring nothing more. Where the service then counts more calls than it showed, some came or moved meanwhile:
 * the log is gone through again, only as far as it takes to have them all.
 */
import { type CallLogEntry, MAX_LIMIT, type RequestOf, type ResponseOf, type Service, totalOf } from '../contract.ts';
import { UnavailableError } from '../errors.ts';

export type CallFilters = Pick<RequestOf<'getCallLogs'>, 'start_date' | 'end_date' | 'agent_id'>;

type Response = ResponseOf<'getCallLogs'>;

export interface Page {
  /** The calls that no earlier page held. */
  calls: CallLogEntry[];
  /** The service's whole answer. */
  response: Response;
  /** The offset from which the reading would go on. */
  next: number;
}

export interface PagesOptions {
  /** Calls of the log that are left out on purpose, at its beginning. */
  skip?: number;
  /** Where an earlier reading stopped, and the call_ids that it had. */
  offset?: number;
  seen?: Set<string>;
  /** How many calls the service counted when it stopped. */
  total?: number | undefined;
  /** Calls in a page at most. */
  limit?: number;
  /** Requests under way at a time. */
  concurrency?: number;
}

/** Pages in a row that may bring nothing before the service is held to have nothing more. */
const BARREN_PAGES = 3;
/** Times that the log is gone through again for calls that are missing, and how often without finding any. */
const PASSES = 20;
const BARREN_PASSES = 2;

/** Throws UnavailableError `incomplete` where the service shows fewer calls than it counts, whatever is tried. */
export async function* pages(
  service: Service,
  filters: CallFilters,
  { skip = 0, offset = skip, seen = new Set(), total, limit = MAX_LIMIT, concurrency = 1 }: PagesOptions = {},
): AsyncGenerator<Page> {
  const log = new Log(service, filters, limit, concurrency);
  const counts = new Counts(total);
  let next = offset;
  for await (const response of pass(log, offset, seen, counts, false)) {
    const calls = unseen(response, seen);
    next += response.calls.length;
    yield { calls, response, next };
  }
  let barren = 0;
  for (let again = 0; again < PASSES && barren < BARREN_PASSES && counts.exceed(seen.size + skip); again++) {
    const before = seen.size;
    const isShrunk = counts.hasShrunk;
    counts.begin();
    for await (const response of pass(log, skip, seen, counts, true)) {
      yield { calls: unseen(response, seen), response, next };
      // Where calls went away, others may stand anywhere.
      if (!isShrunk && !counts.exceed(seen.size + skip)) break;
    }
    barren = seen.size === before ? barren + 1 : 0;
  }
  const promised = counts.promised - skip;
  if (seen.size < promised) {
    throw new UnavailableError(`The service counts ${promised} calls but showed ${seen.size}.`, {
      code: 'incomplete',
      hint: 'Try again; if it stays so, the service is at fault.',
    });
  }
}

function unseen({ calls }: Response, seen: Set<string>): CallLogEntry[] {
  return calls.filter(({ call_id }) => !seen.has(call_id) && seen.add(call_id));
}

/** The answers from `start` to the end of the log, whatever they repeat. `isAgain`: most of them were seen before. */
async function* pass(
  log: Log,
  start: number,
  seen: ReadonlySet<string>,
  counts: Counts,
  isAgain: boolean,
): AsyncGenerator<Response> {
  let offset = start;
  let fullPage = 0;
  let barren = 0;
  let firstTotal: number | undefined;
  const seenBefore = seen.size;
  for (;;) {
    const response = await log.page(offset);
    const returned = response.calls.length;
    offset += returned;
    fullPage = Math.max(fullPage, returned);
    const total = totalOf(response);
    firstTotal ??= total;
    counts.heard(total, offset);
    const known = seen.size;
    yield response;

    const isEmpty = returned === 0;
    const isNew = seen.size > known;
    if (total !== undefined && offset >= total && (isEmpty || isAgain)) return;
    // The last page as everyone would have it. A count that was passed already is no count to end on.
    if (offset === total && (returned < fullPage || !isNew)) return;
    // Calls that came in since push known ones onto later pages: that many repeats are no sign of the end.
    const repeats = offset - start - (seen.size - seenBefore);
    const arrived = (total ?? 0) - (firstTotal ?? 0);
    const isBarren = !isNew && (isEmpty || (!isAgain && repeats > arrived));
    barren = isBarren ? barren + 1 : 0;
    if (barren === BARREN_PAGES) return;
  }
}

/** What the service says of how many calls there are, in one pass through its log. */
class Counts {
  #first: number | undefined;
  #last: number | undefined;
  /** The fewest it spoke of: calls that come or go while the log is read are no gap. */
  promised = 0;
  /** Whether calls went away: those behind them moved forward, past the reader. */
  hasShrunk = false;

  /** `before`: what an earlier run heard last. */
  constructor(before: number | undefined) {
    this.#last = before;
  }

  /** A new pass begins. */
  begin(): void {
    this.#first = undefined;
    this.#last = undefined;
    this.hasShrunk = false;
  }

  /** `passed`: how far the log was read when it said so. */
  heard(total: number | undefined, passed: number): void {
    if (total === undefined) return;
    this.promised = this.#first === undefined ? total : Math.min(this.promised, total);
    this.#first ??= total;
    // A count that was passed already is none.
    if (total < passed) return;
    this.hasShrunk ||= total < (this.#last ?? 0);
    this.#last = total;
  }

  /** Whether there must be more calls than the `had` ones. */
  exceed(had: number): boolean {
    return this.hasShrunk || had < (this.#last ?? 0);
  }
}

/** The log by offset. The next pages are asked for while one is being used, as far as the service says there are any. */
class Log {
  readonly #service: Service;
  readonly #request: RequestOf<'getCallLogs'>;
  readonly #concurrency: number;
  readonly #ahead = new Map<number, Promise<Response>>();
  #pageSize: number | undefined;

  constructor(service: Service, filters: CallFilters, limit: number, concurrency: number) {
    this.#service = service;
    this.#request = { ...filters, limit };
    this.#concurrency = concurrency;
  }

  async page(offset: number): Promise<Response> {
    const asked = this.#ahead.get(offset);
    // Pages turned out otherwise than foreseen: what was asked for ahead is of no use.
    if (asked === undefined) this.#ahead.clear();
    this.#ahead.delete(offset);
    const response = await (asked ?? this.#fetch(offset));
    this.#fetchAhead(offset, response);
    return response;
  }

  #fetchAhead(offset: number, response: Response): void {
    const { calls } = response;
    const isForeseen = this.#pageSize === undefined || this.#pageSize === calls.length;
    this.#pageSize = calls.length;
    if (this.#concurrency === 1 || calls.length === 0 || !isForeseen) return;
    const end = Math.min(totalOf(response) ?? 0, offset + calls.length * (this.#concurrency + 1));
    for (let next = offset + calls.length; next < end; next += calls.length) {
      if (this.#ahead.has(next)) continue;
      const page = this.#fetch(next);
      // A failure is told to whoever takes the page, if anybody does.
      page.catch(() => {});
      this.#ahead.set(next, page);
    }
  }

  #fetch(offset: number): Promise<Response> {
    return this.#service.getCallLogs({ ...this.#request, offset });
  }
}
