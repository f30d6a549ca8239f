/** A call log behind HTTP that grows and heeds dates: in any order, in days of any zone, and out of order when it is told. */
import { createHash } from 'node:crypto';
import { aCall, type LogCall } from './hostile-log.ts';
import { type Answer, sendJson } from './http.ts';
import { type Shop, shopOf } from './shop.ts';

export const HOUR = 3_600_000;

/** How a service may order its log; nobody states it, and by `hash` new calls come in anywhere. */
export const ORDERS = {
  'newest first': (one: LogCall, other: LogCall) => timeOf(other) - timeOf(one),
  'oldest first': (one: LogCall, other: LogCall) => timeOf(one) - timeOf(other),
  'in no order': (one: LogCall, other: LogCall) => (hash(one) < hash(other) ? -1 : 1),
};
export type Order = keyof typeof ORDERS;

export interface DatedLog {
  calls: LogCall[];
  order: Order;
  /** Calls in a page at most. */
  cap?: number;
  /** How far the service's days are ahead of UTC. */
  zoneHours?: number;
  /** Requests that came. */
  requests?: number;
  /** What is answered in place of a page, asked with the number of the request, from 1. */
  instead?: ((number: number) => { status: number; body: object } | undefined) | undefined;
  /** Fields of the answer that are sent in place of the true ones. */
  page?: (honest: { calls: LogCall[]; total: number }) => object;
}

/** Answers from what the log holds at that moment. */
export function datedLog(log: DatedLog): Answer {
  return ({ query }, response) => {
    log.requests = (log.requests ?? 0) + 1;
    const instead = log.instead?.(log.requests);
    if (instead !== undefined) return sendJson(response, instead.status, instead.body);
    const { cap = 1000, order, zoneHours = 0, page } = log;
    const agent = query.get('agent_id');
    const from = Date.parse(query.get('start_date') ?? '') - zoneHours * HOUR;
    const until = Date.parse(query.get('end_date') ?? '') + 24 * HOUR - zoneHours * HOUR;
    const matching = sorted(log.calls, order).filter((call) => {
      const time = timeOf(call);
      // Compared with a date that was not asked for, every time is within.
      const isInTime = time === UNREADABLE || !(time < from || time >= until);
      return isInTime && (!agent || String(call.agent_id) === agent);
    });
    const offset = Number(query.get('offset') ?? 0);
    const calls = matching.slice(offset, offset + Math.min(cap, Number(query.get('limit') ?? 100)));
    const honest = { calls, total: matching.length, limit: calls.length, offset };
    sendJson(response, 200, { success: true, ...honest, ...page?.(honest) });
  };
}

export interface DatedShop extends Shop {
  log: DatedLog;
}

/** Such a log, and an operator who reads it, or gets what `answer` says. */
export async function datedShop(
  given: Partial<DatedLog> & Pick<DatedLog, 'calls'>,
  options: Parameters<typeof shopOf>[1] = {},
  answer?: Answer,
): Promise<DatedShop> {
  const log: DatedLog = { order: 'newest first', ...given };
  return { log, ...(await shopOf(answer ?? datedLog(log), options)) };
}

/** The service shows a call otherwise than before. */
export function change({ log }: { log: DatedLog }, id: string, fields: Partial<LogCall>): void {
  log.calls = log.calls.map((call) => (call.call_id === id ? { ...call, ...fields } : call));
}

/** `count` calls, the first at `from` (milliseconds since the epoch) and each `step` milliseconds after the one before. */
export function callsFrom(from: number, count: number, step: number, prefix = 'call'): LogCall[] {
  return Array.from({ length: count }, (_none, at) => callAt(from + at * step, `${prefix}_${at}`));
}

export function callAt(at: number, call_id: string, fields: Partial<LogCall> = {}): LogCall {
  return aCall({ call_id, timestamp: new Date(at).toISOString(), ...fields });
}

export const idsOf = (calls: readonly LogCall[]) => calls.map(({ call_id }) => call_id);

/** A call of a time that cannot be read belongs to every day. */
const UNREADABLE = 0;

const timeOf = remembered(({ timestamp }) => Date.parse(String(timestamp)) || UNREADABLE);
const hash = remembered(({ call_id }) => createHash('md5').update(call_id).digest('hex'));

/** Logs are sorted for each request: what that goes by is found once. */
function remembered<T>(of: (call: LogCall) => T): (call: LogCall) => T {
  const known = new WeakMap<LogCall, T>();
  return (call) => {
    const value = known.get(call) ?? of(call);
    known.set(call, value);
    return value;
  };
}

const lastSorted = new WeakMap<LogCall[], { order: Order; calls: LogCall[] }>();

/** Calls only ever come to an array: one that is as long as it was is the same. */
function sorted(calls: LogCall[], order: Order): LogCall[] {
  const last = lastSorted.get(calls);
  if (last?.order === order && last.calls.length === calls.length) return last.calls;
  const found = calls.toSorted(ORDERS[order]);
  lastSorted.set(calls, { order, calls: found });
  return found;
}
