/** Some calls of a log as one response, and how far the log was read for them. */
import { type CallLogEntry, DEFAULT_LIMIT, type ResponseOf, type Service, totalOf } from '../../contract.ts';
import { withFields } from '../../text/json.ts';
import type { Notes } from '../../text/notes.ts';
import { type CallFilters, pages, readLog } from './pages.ts';

interface Wanted {
  asked: CallFilters;
  /** Undefined if every call is wanted. */
  select: ((call: CallLogEntry) => boolean) | undefined;
  limit: number | undefined;
  offset: number | undefined;
  /** However many pages that takes. */
  all: boolean;
}

/**
 * The wanted calls of all pages, or of as many as are needed: the fields beside them are the last page's. Without a filter of one's
 * own, and unless all are wanted, it is the page that the service gives. `next` is the position in the service's log after the last
 * call that was read, and `more` are the calls after that, undefined if the service does not say.
 */
export async function lookThrough(
  service: Service,
  { asked, select, limit, offset, all }: Wanted,
  concurrency: number,
  notes: Notes,
) {
  const start = offset ?? 0;
  if (!all && select === undefined) {
    const response = await service.getCallLogs({ ...asked, limit, offset });
    const looked = response.calls.length;
    const next = start + looked;
    // After an empty page the next one is empty too.
    return { response, next, looked, more: looked === 0 ? 0 : behind(next, response) };
  }
  const calls: CallLogEntry[] = [];
  const most = all ? Number.POSITIVE_INFINITY : (limit ?? DEFAULT_LIMIT);
  let last: ResponseOf<'getCallLogs'> | undefined;
  let looked = 0;
  let next = start;
  const reading = pages(service, asked, { skip: start, concurrency: all ? concurrency : 1 });
  for await (const page of readLog(reading, 'Looking through calls', notes)) {
    last = page.response;
    const unseen = new Set(page.calls);
    for (const [at, call] of last.calls.entries()) {
      if (calls.length === most) break;
      next = Math.max(next, page.offset + at + 1);
      if (!unseen.has(call)) continue;
      looked += 1;
      if (select === undefined || select(call)) calls.push(call);
    }
    if (calls.length === most) break;
  }
  const more = calls.length === most ? behind(next, last) : 0;
  // The total is known only if the whole log was read.
  const total = all || (more === 0 && start === 0) ? calls.length : null;
  const changes = { success: true as const, calls, total, limit: calls.length, offset: start };
  return { response: last === undefined ? changes : withFields(last, changes), next, looked, more };
}

/** How many calls the service has after a position in its log; undefined if it does not say. */
function behind(position: number, response: ResponseOf<'getCallLogs'> | undefined): number | undefined {
  const total = response && totalOf(response);
  return total === undefined ? undefined : Math.max(0, total - position);
}
