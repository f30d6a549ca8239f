/** Finds which phones of a request were sent before, whatever the texts, the order and the file. */
import type { Sql } from '../database/sql.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import { TOGETHER } from './opted-out.ts';
import { COLUMNS, type Row, requestIn } from './request-rows.ts';
import { byTime, type Past } from './requests.ts';
import { serviceKey } from './service-key.ts';

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

/** What was not certainly kept from ringing, and what may have rung. */
const MAY_HAVE_RUNG = `forgotten_at is null and coalesce(outcome, '') not in ('refused', 'not_sent')`;
const IS_UNKNOWN = `coalesce(outcome, '') <> 'accepted'`;

/** The last call and the last campaign that may have rung a phone. $1: the service; $2: the phone. */
const LAST_CALL = `select ${COLUMNS} from requests where service_key = $1 and phone = $2 and ${MAY_HAVE_RUNG}
  order by sent_at desc, entry desc limit 1`;
const LAST_CAMPAIGN = `select ${COLUMNS} from requests where entry = (
  select r.entry from request_contacts c join requests r on r.entry = c.entry
  where c.phone = $2 and r.service_key = $1 and r.forgotten_at is null
    and coalesce(r.outcome, '') not in ('refused', 'not_sent')
  order by r.sent_at desc, r.entry desc limit 1)`;

/**
 * For each phone the newest of the campaigns of a service that call it, and of the calls to it that may have been placed unless a later
 * one certainly was. $1: phones; $2: the service.
 */
const LAST_SENT = `with sent as (
  select c.phone, r.sent_at, r.entry from request_contacts c join requests r on r.entry = c.entry
    where c.phone in (select value from numbers($1) as list)
      and r.service_key = $2 and r.forgotten_at is null and coalesce(r.outcome, '') not in ('refused', 'not_sent')
  union all
  select phone, sent_at, entry from requests r
    where phone in (select value from numbers($1) as list)
      and service_key = $2 and ${MAY_HAVE_RUNG} and ${IS_UNKNOWN}
      and not exists (select 1 from requests l where l.service_key = r.service_key and l.phone = r.phone
        and l.outcome = 'accepted' and l.forgotten_at is null
        and (l.sent_at > r.sent_at or (l.sent_at = r.sent_at and l.entry > r.entry)))
  )
  select phone, max(entry) as entry from sent
    where (phone, sent_at) in (select phone, max(sent_at) from sent group by phone) group by phone`;

/** Where each of `phones`, ascending and without repeats, was last sent to a service. */
export async function findRepeats(sql: Sql, service: string, phones: Float64Array): Promise<Repeats> {
  /** For each phone its last request; 0 if there is none. */
  const entries = new Float64Array(phones.length);
  for (let from = 0; from < phones.length; from += TOGETHER) {
    const some = JSON.stringify([...phones.subarray(from, from + TOGETHER)]);
    const found = await sql.all<{ phone: number; entry: number }>(LAST_SENT, [some, serviceKey(service)]);
    found.sort((one, other) => one.phone - other.phone);
    let at = from;
    for (const { phone, entry } of found) {
      while (at < phones.length && (phones[at] as number) < phone) at++;
      if (phones[at] === phone) entries[at] = entry;
    }
  }
  const byEntry = new Map<number, Repeat>();
  for (const before of await requestsOf(sql, entries)) byEntry.set(before.sent.entry, { before, count: 0, first: [] });
  for (const [at, entry] of entries.entries()) {
    const repeat = byEntry.get(entry);
    if (repeat === undefined) continue;
    repeat.count++;
    if (repeat.first.length < NAMED) repeat.first.push(phones[at] as number);
  }
  const repeats = [...byEntry.values()].sort((one, other) => byTime(other.before, one.before));
  const lastOf = (e164: string) => byEntry.get(entries[positionOf(phones, phoneKeyOfNumber(e164))] ?? 0);
  return { repeats, lastOf };
}

async function requestsOf(sql: Sql, entries: Float64Array): Promise<Past[]> {
  const wanted = [...new Set(entries)].filter((entry) => entry !== 0);
  if (wanted.length === 0) return [];
  const rows = await sql.all<Row>(
    `select ${COLUMNS} from requests where entry in (select value from numbers($1) as list)`,
    [JSON.stringify(wanted)],
  );
  return rows.map(requestIn);
}

/** The last call to a phone, if it may have been placed and no later one certainly was. */
export async function lastUnknownCall(sql: Sql, service: string, phone: number): Promise<Past | undefined> {
  return await unknownIn(sql, LAST_CALL, service, phone);
}

/** The last campaign that calls a phone, if its outcome is unknown. */
export async function lastUnknownCampaign(sql: Sql, service: string, phone: number): Promise<Past | undefined> {
  return await unknownIn(sql, LAST_CAMPAIGN, service, phone);
}

async function unknownIn(sql: Sql, last: string, service: string, phone: number): Promise<Past | undefined> {
  const [row] = await sql.all<Row>(`select * from (${last}) as last where ${IS_UNKNOWN}`, [serviceKey(service), phone]);
  return row && requestIn(row);
}

/** Keys of phones that requests of unknown outcome call, or may have called, for every organization of a service. */
export async function unknownPhones(sql: Sql, service: string): Promise<Set<number>> {
  const found = await sql.all<{ phone: number }>(
    `select c.phone from request_contacts c join requests r on r.entry = c.entry
       where r.service_key = $1 and r.forgotten_at is null and coalesce(r.outcome, '') not in ('accepted', 'refused', 'not_sent')
     union
     select phone from requests r where phone is not null and service_key = $1 and ${MAY_HAVE_RUNG} and ${IS_UNKNOWN}
       and not exists (select 1 from requests l where l.service_key = r.service_key and l.phone = r.phone
        and l.outcome = 'accepted' and l.forgotten_at is null
        and (l.sent_at > r.sent_at or (l.sent_at = r.sent_at and l.entry > r.entry)))`,
    [serviceKey(service)],
  );
  return new Set(found.map(({ phone }) => phone));
}

/** Of what was recorded; 0 if nothing was. */
export async function lastEntry(sql: Sql): Promise<number> {
  const [row] = await sql.all<{ last: number }>('select coalesce(max(entry), 0) as last from requests');
  return row?.last ?? 0;
}

/**
 * In one question, because each takes its time over a network: the last entry, and whether anything can object to a call, because its
 * phone opted out, or the last call or campaign to it is not known to have been carried out.
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
  return { last: row?.last ?? 0, isSuspect: row === undefined || row.objections > 0 };
}

/** The index of a value in an ascending array, or -1. */
function positionOf(values: Float64Array, value: number): number {
  let from = 0;
  let to = values.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((values[middle] as number) < value) from = middle + 1;
    else to = middle;
  }
  return values[from] === value ? from : -1;
}
