/**
 * What the log says by now of old calls: that somebody opted out may come to stand there days later. Each day all of it is read
 * again: a short log at once, of a long one at each reconciliation as much as is due by then, from its end on. So whoever
 * reconciles often never waits for long.
 */
import * as z from 'zod/mini';
import { type Page, pages } from '../../calls/paging/pages.ts';
import { MAX_LIMIT, type Service, totalOf } from '../../contract.ts';
import { plainText } from '../../text/csv.ts';
import { firstDaySince } from '../../text/iso.ts';
import { DAY } from '../../text/units.ts';
import type { Roster } from '../rules/roster.ts';
import { count, instant, maybe } from '../rules/shapes.ts';
import { phoneIn } from './kept-entry.ts';
import { type LogPlace, logPlace, logPosition, placeMarkOf } from './new-entries.ts';

/** How far the log was read for opt-outs: all that it showed of these times, of the requests up to an entry. */
const heard = z.object({ from: instant, until: instant, entry: count });

/** How far the log was read again for opt-outs (`hearAgain`). */
const heardAgain = z.object({
  /** When that was, and when the day began in which all is read once, by the service's clock. */
  at: instant,
  began: instant,
  /** How many entries there were. */
  total: count,
  /** The entry up to which it was read, and the day from which its place is counted; undefined before the first. */
  to: maybe(z.object({ ...logPlace.shape, day: z.iso.date() })),
  /** Whether entries change places. */
  isMoving: maybe(z.boolean()),
});

/** What is known of a log that was read before. */
export const keptReading = z.object({
  heard,
  /** Absent where an earlier version kept it. */
  again: maybe(heardAgain),
  /** Milliseconds by which the service's clock was ahead of this machine's. */
  ahead: maybe(instant),
  /** Undefined if no place in the log is known: it may have been empty. */
  position: maybe(logPosition),
});

export type HeardAgain = z.infer<typeof heardAgain>;
export type KeptReading = z.infer<typeof keptReading>;

export interface HearAgainOptions {
  service: Service;
  /** What was read again before; undefined if nothing was. */
  kept: HeardAgain | undefined;
  /** Whether all of it is wanted now. */
  isWhole: boolean;
  /** At least so many entries there are. */
  known: number;
  /** By the service's clock, in milliseconds since the epoch. */
  now: number;
  /** What was sent to whom: from the first request to a phone of the roster on. */
  past: readonly PastRequest[];
  roster: Pick<Roster, 'rowsOfPhone'>;
  /** Gets what is said of phones of the roster. */
  hear(phone: number, outcome: string): void;
  watch(reading: AsyncGenerator<Page, unknown>): AsyncGenerator<Page, unknown>;
  concurrency: number;
}

/** What has been read again then. Throws what the service throws. */
export async function hearAgain(options: HearAgainOptions): Promise<HeardAgain> {
  const { kept, isWhole, known, now } = options;
  const anew = { at: now, began: now, total: 0 };
  if (isWhole || kept === undefined || now - kept.at >= DAY) return await hearPart(options, anew, 1);
  const { at, began, total, to, isMoving } = kept;
  const end = began + DAY;
  const share = Math.min(1, (now - at) / (end - at));
  const left = Math.max(total, known) - (to?.below ?? 0);
  if (share < 1 && (isMoving || share * left < MAX_LIMIT)) return kept;
  const heard = isMoving ? kept : await hearPart(options, kept, share);
  if (share < 1) return heard;
  // In a log whose entries change places some can be missed: such a one is read at once, when the day is over.
  if (heard.isMoving) return await hearPart(options, anew, 1);
  // And what is due by now of the next day.
  return await hearAgain({ ...options, kept: { at: end, began: end, total: heard.total } });
}

/** Reads a share of what is left. */
async function hearPart(options: HearAgainOptions, kept: HeardAgain, share: number): Promise<HeardAgain> {
  const { service, past, roster, now } = options;
  const { began, to } = kept;
  const since = to === undefined ? await unheardSince(past, roster, undefined) : 0;
  if (since === undefined) return { at: now, began, total: 0 };
  const day = to?.day ?? firstDaySince(since);
  const total = totalOf(await service.getCallLogs({ start_date: day, offset: 0, limit: 1 })) ?? 0;
  const below = to?.below ?? 0;
  const until = share === 1 ? total : below + Math.ceil(share * (total - below));
  const first = await readPart(options, day, { skip: Math.max(0, total - until), last: to, until });
  if (until > 0 && first === undefined) return { ...kept, isMoving: true };
  return { at: now, began, total, ...(share < 1 && first !== undefined && { to: { day, ...first } }) };
}

/** The entry at the place `until`, the first that is read; undefined if it, or the `last` one of before, is not where it was. */
async function readPart(
  { service, roster, hear, watch, concurrency }: HearAgainOptions,
  day: string,
  { skip, last, until }: { skip: number; last: LogPlace | undefined; until: number },
): Promise<LogPlace | undefined> {
  let first: LogPlace | undefined;
  let isThere = last === undefined;
  const behind = last?.below ?? 0;
  const asking = { skip, concurrency: Math.min(concurrency, Math.ceil((until - behind) / MAX_LIMIT) || 1) };
  for await (const { response, offset } of watch(pages(service, { start_date: day }, asking))) {
    const before = (totalOf(response) ?? Number.POSITIVE_INFINITY) - offset;
    for (const [at, call] of response.calls.entries()) {
      const phone = phoneIn(call);
      if (roster.rowsOfPhone(phone).length > 0) hear(phone, plainText(call.call_outcome));
      const below = before - at;
      if (below === until) first = { mark: placeMarkOf(call), below };
      if (below === behind) isThere ||= placeMarkOf(call) === last?.mark;
    }
    if (before - response.calls.length < behind) break;
  }
  return isThere ? first : undefined;
}

/** A request that was, or may have been, carried out, and whose calls the log may show. */
export interface PastRequest {
  /** Its place in the order in which requests came to be known. */
  entry: number;
  /** When it was sent, in milliseconds since the epoch. */
  at: number;
  /** Keys of the phones that it calls (`phoneKeyOfDigits`); undefined if nobody knows them any more. */
  phones(): Promise<ArrayLike<number> | undefined>;
}

/**
 * From when on the log must be read, in milliseconds since the epoch, because a request called before what was heard, or before
 * anything was; undefined if there is none. One of which nobody knows whom it called may have called everybody.
 */
export async function unheardSince(
  requests: readonly PastRequest[],
  roster: Pick<Roster, 'rowsOfPhone'>,
  known: KeptReading['heard'] | undefined,
): Promise<number | undefined> {
  const isUnheard = ({ entry, at }: PastRequest) => known === undefined || (entry > known.entry && at < known.from);
  const oldestFirst = requests.filter(isUnheard).sort((one, other) => one.at - other.at);
  for (const request of oldestFirst) {
    const phones = await request.phones();
    if (phones === undefined) return request.at;
    for (let at = 0; at < phones.length; at++)
      if (roster.rowsOfPhone(phones[at] as number).length > 0) return request.at;
  }
  return undefined;
}
