/**
 * What a plan has heard of opt-outs: before its first wave it reads what the log says of every request that may have called its phones,
 * however old, and from then on whatever is new.
 */
import type { Roster } from '../roster.ts';

/** A request that was, or may have been, carried out, and whose calls the log may show. */
export interface PastRequest {
  /** Its place in the order in which requests came to be known. */
  entry: number;
  /** When it was sent, in milliseconds since the epoch. */
  at: number;
  /** Keys of the phones that it calls (`phoneKeyOfDigits`); undefined if nobody knows them any more. */
  phones(): Promise<ArrayLike<number> | undefined>;
}

/** How far the log was read for opt-outs: all that it showed of these times, of the requests up to an entry. */
export interface Heard {
  /** Milliseconds since the epoch. */
  from: number;
  until: number;
  entry: number;
}

/**
 * From when on the log must be read, in milliseconds since the epoch, because a request called before what was heard, or before
 * anything was; undefined if there is none. One of which nobody knows whom it called may have called everybody.
 */
export async function unheardSince(
  requests: readonly PastRequest[],
  roster: Pick<Roster, 'rowsOfPhone'>,
  heard: Heard | undefined,
): Promise<number | undefined> {
  const isUnheard = ({ entry, at }: PastRequest) => heard === undefined || (entry > heard.entry && at < heard.from);
  const oldestFirst = requests.filter(isUnheard).sort((one, other) => one.at - other.at);
  for (const request of oldestFirst) if (await callsSomebodyOf(roster, request)) return request.at;
  return undefined;
}

async function callsSomebodyOf(roster: Pick<Roster, 'rowsOfPhone'>, request: PastRequest): Promise<boolean> {
  const phones = await request.phones();
  if (phones === undefined) return true;
  for (let at = 0; at < phones.length; at++) if (roster.rowsOfPhone(phones[at] as number).length > 0) return true;
  return false;
}
