/** Finds which phones of a request were sent before, whatever the texts, the order and the file. */
import type { Sql } from '../storage/database/sql.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import { COLUMNS, requestIn, type StoredRequest } from './request-rows.ts';
import { byTime, type Past } from './requests.ts';
import { serviceKey } from './service-key.ts';
import { askAbout, lastOf } from './tables.ts';

/** Phones of a request, with the campaign or the call of unknown outcome in which they were last sent. */
export interface Repeat {
  before: Past;
  count: number;
  /** The first of these phones, as digits, ascending. */
  first: number[];
}

export interface Repeats {
  /** The newest first. */
  repeats: Repeat[];
  /** Where the phone of an E.164 number of the request was last sent. */
  lastOf(e164: string): Repeat | undefined;
}

/** Phones named for each earlier request. */
const NAMED = 3;

/** What was not certainly kept from ringing, and what may have rung; of a request `r`. */
const MAY_HAVE_RUNG = `r.forgotten_at is null and coalesce(r.outcome, '') not in ('refused', 'not_sent')`;
const IS_UNKNOWN = `coalesce(outcome, '') <> 'accepted'`;
/** A call after which nobody doubts any more whether one before it was placed. */
const NO_LATER_ONE = `not exists (select 1 from requests l where l.service_key = r.service_key and l.phone = r.phone
  and l.outcome = 'accepted' and l.forgotten_at is null
  and (l.sent_at > r.sent_at or (l.sent_at = r.sent_at and l.entry > r.entry)))`;
const CAMPAIGNS = `request_contacts c join requests r on r.entry = c.entry`;
const LAST = 'order by r.sent_at desc, r.entry desc limit 1';

/** The last call and the last campaign that may have rung a phone. $1: the service; $2: the phone. */
const LAST_CALL = `select ${COLUMNS} from requests r where service_key = $1 and phone = $2 and ${MAY_HAVE_RUNG} ${LAST}`;
const LAST_CAMPAIGN = `select ${COLUMNS} from requests where entry = (
  select r.entry from ${CAMPAIGNS} where c.phone = $2 and r.service_key = $1 and ${MAY_HAVE_RUNG} ${LAST})`;

/**
 * For each phone the newest of the campaigns of a service that call it, and of the calls to it that may have been
 * placed unless a later one certainly was. $1: phones; $2: the service.
 */
const LAST_SENT = `with sent as (
  select c.phone, r.sent_at, r.entry from ${CAMPAIGNS}
    where c.phone in (select value from numbers($1) as list) and r.service_key = $2 and ${MAY_HAVE_RUNG}
  union all
  select phone, sent_at, entry from requests r
    where phone in (select value from numbers($1) as list)
      and service_key = $2 and ${MAY_HAVE_RUNG} and ${IS_UNKNOWN} and ${NO_LATER_ONE}
  )
  select phone, max(entry) as entry from sent
    where (phone, sent_at) in (select phone, max(sent_at) from sent group by phone) group by phone order by phone`;

/** Where each of `phones`, ascending and without repeats, was last sent to a service. */
export async function findRepeats(sql: Sql, service: string, phones: Float64Array): Promise<Repeats> {
  /** By phones, ascending. */
  const entries = new Map<number, number>();
  const key = serviceKey(service);
  for await (const page of askAbout<{ phone: number; entry: number }>(sql, phones, LAST_SENT, key))
    for (const { phone, entry } of page) entries.set(phone, entry);
  const byEntry = new Map<number, Repeat>();
  const text = `select ${COLUMNS} from requests where entry in (select value from numbers($1) as list)`;
  const rows = await sql.all<StoredRequest>(text, [JSON.stringify([...new Set(entries.values())])]);
  for (const before of rows.map(requestIn)) byEntry.set(before.sent.entry, { before, count: 0, first: [] });
  for (const [phone, entry] of entries) {
    const repeat = byEntry.get(entry);
    if (repeat === undefined) continue;
    repeat.count++;
    if (repeat.first.length < NAMED) repeat.first.push(phone);
  }
  const repeats = [...byEntry.values()].sort((one, other) => byTime(other.before, one.before));
  return { repeats, lastOf: (e164) => byEntry.get(entries.get(phoneKeyOfNumber(e164)) ?? 0) };
}

/** The last call to a phone if its outcome is unknown; else the last campaign that calls it, if that one's is. */
export async function lastUnknown(sql: Sql, service: string, phone: number): Promise<Past | undefined> {
  for (const last of [LAST_CALL, LAST_CAMPAIGN]) {
    const text = `select * from (${last}) as last where ${IS_UNKNOWN}`;
    const [row] = await sql.all<StoredRequest>(text, [serviceKey(service), phone]);
    if (row !== undefined) return requestIn(row);
  }
  return undefined;
}

/** Keys of phones that requests of unknown outcome call, or may have called, for every organization of a service. */
export async function unknownPhones(sql: Sql, service: string): Promise<Set<number>> {
  const found = await sql.all<{ phone: number }>(
    `select c.phone from ${CAMPAIGNS} where r.service_key = $1 and ${MAY_HAVE_RUNG} and ${IS_UNKNOWN}
     union
     select phone from requests r where phone is not null and service_key = $1 and ${MAY_HAVE_RUNG} and ${IS_UNKNOWN}
       and ${NO_LATER_ONE}`,
    [serviceKey(service)],
  );
  return new Set(found.map(({ phone }) => phone));
}

/** Of what was recorded; 0 if nothing was. */
export async function lastEntry(sql: Sql): Promise<number> {
  return await lastOf(sql, 'requests', 'entry');
}

/**
 * In one question, because each takes its time over a network: the last entry, and whether anything can object to a
 * call, because its phone opted out, or the last call or campaign to it is not known to have been carried out.
 */
export async function glanceAt(
  sql: Sql,
  service: string,
  phone: number,
): Promise<{ last: number; isSuspect: boolean }> {
  const unknown = (last: string) => `(select count(*) from (${last}) as last where ${IS_UNKNOWN})`;
  const [row] = await sql.all<{ last: number; objections: number }>(
    `select (select coalesce(max(entry), 0) from requests) as last,
       (select count(*) from opted_out where service_key = $1 and phone = $2) + ${unknown(LAST_CALL)}
       + ${unknown(LAST_CAMPAIGN)} as objections`,
    [serviceKey(service), phone],
  );
  return { last: row?.last ?? 0, isSuspect: row?.objections !== 0 };
}
