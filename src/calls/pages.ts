/**
 * Every matching call once, over pages of a log that grows and whose order nobody states.
 *
 * The next page starts after the calls *returned*, not after those asked for: services cap pages and report as `limit` what
 * they returned. New calls shift rows to later pages, so a row may come twice; its call_id tells. Nothing ends the reading
 * but pages that bring nothing more.
 */
import { type CallLogEntry, MAX_LIMIT, type RequestOf, type ResponseOf, type Service } from '../contract.ts';
import { UnavailableError } from '../errors.ts';

export type CallFilters = Pick<RequestOf<'getCallLogs'>, 'start_date' | 'end_date' | 'agent_id'>;

export interface Page {
  /** The calls that no earlier page held. */
  calls: CallLogEntry[];
  /** The service's whole answer. */
  response: ResponseOf<'getCallLogs'>;
}

/** Pages in a row that may bring nothing before the service is held to have nothing more. */
const BARREN_PAGES = 3;

/** Throws UnavailableError where the service ends before it has shown as many calls as it counts. */
export async function* pages(
  service: Service,
  filters: CallFilters,
  start: { offset?: number; limit?: number } = {},
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  const first = start.offset ?? 0;
  let offset = first;
  let fullPage = 0;
  let barren = 0;
  let firstTotal: number | undefined;
  let promised = 0;
  for (;;) {
    const response = await service.getCallLogs({ ...filters, limit: start.limit ?? MAX_LIMIT, offset });
    const calls = response.calls.filter(({ call_id }) => !seen.has(call_id) && seen.add(call_id));
    offset += response.calls.length;
    fullPage = Math.max(fullPage, response.calls.length);
    yield { calls, response };

    const total = response.total ?? undefined;
    // Calls that come or go while the log is read are no gap: the smallest count is what must have been there.
    if (total !== undefined) promised = Math.min(firstTotal === undefined ? total : promised, total);
    firstTotal ??= total;

    const isEmpty = response.calls.length === 0;
    if (total !== undefined && isEmpty && offset >= total) break;
    // The last page as everyone would have it. A count that was passed already is no count to end on.
    if (offset === total && (response.calls.length < fullPage || calls.length === 0)) break;
    // Calls that came in since push known ones onto later pages: that many repeats are no sign of the end.
    const repeats = offset - first - seen.size;
    const arrived = (total ?? 0) - (firstTotal ?? 0);
    barren = calls.length === 0 && (isEmpty || repeats > arrived) ? barren + 1 : 0;
    if (barren === BARREN_PAGES) break;
  }
  if (seen.size < promised - first) {
    throw new UnavailableError(`The service counts ${promised - first} calls but showed ${seen.size}.`, {
      code: 'incomplete',
      hint: 'Try again; if it stays so, the service is at fault.',
    });
  }
}
