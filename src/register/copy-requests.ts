/**
 * Requests that are not there are added, in the order of sending and with numbers of their own; an outcome that is
 * unknown there and known here is completed, never the other way. What was forgotten there stays forgotten, but for
 * what came there without its people.
 */
import { isToContacts } from '../contract.ts';
import type { Sql } from '../storage/database/sql.ts';
import { deleteContacts } from './contact-rows.ts';
import { requestIn } from './request-rows.ts';
import { isCampaign, isRefused, type Past } from './requests.ts';
import { serviceKey } from './service-key.ts';
import { addRows, changing, lastOf, pagesOf, type Row } from './tables.ts';

/** Whoever opted out in one of two places has done so in both. */
export async function copyOptedOut(from: Sql, to: Sql): Promise<void> {
  for await (const page of pagesOf(from, 'opted_out', ['service_key', 'phone']))
    await addRows(to, 'opted_out', page, 'on conflict do nothing');
}

/** How many requests were added, were there, and of these: got an outcome, or the people they called. */
export interface CopiedRequests {
  added: number;
  known: number;
  completed: number;
  restored: number;
  /** Requests whose people no guard knows there, because they were forgotten, and how many people these are. */
  unguarded: { requests: number; people: number };
}

/** A request with its row. */
interface Kept {
  row: Row;
  past: Past;
}

/** How a request ended. */
const END = ['outcome', 'reply', 'ended_at', 'clock_ahead', 'campaign_id'];

/**
 * `planThere` gives the number there of the plan of a request; undefined if it has none there. `entries`: by the number here,
 * that there.
 */
export async function copyRequests(
  from: Sql,
  to: Sql,
  planThere: (row: Row) => number | undefined,
): Promise<CopiedRequests & { entries: Map<number, number> }> {
  const done = { added: 0, known: 0, completed: 0, restored: 0, unguarded: { requests: 0, people: 0 } };
  const entries = new Map<number, number>();
  const last = await lastOf(to, 'requests', 'entry');
  /** Entries there that stand for one here. */
  const met = new Set<number>();
  const entryOf = ({ entry }: { entry?: unknown }) => entries.get(Number(entry)) as number;
  /** The row with the numbers that it and its plan have there. */
  const there = (row: Row) => ({ ...row, entry: entryOf(row), plan_id: planThere(row) ?? row.plan_id ?? null });
  /** `past`: the request here, of which `known` is known there. */
  const leaveUnguarded = (past: Past, known: Past) => {
    if (isCampaign(past) ? isRefused(known) : isKnown(known)) return;
    done.unguarded.requests++;
    done.unguarded.people += isCampaign(past) ? past.sent.contacts.count : 1;
  };
  /** Puts together what both places know of a request. Whether it gets back the people that it called. */
  const meet = async ({ row, past }: Kept, { row: standing, past: known }: Kept): Promise<boolean> => {
    const { entry } = known.sent;
    done.known++;
    met.add(entry);
    entries.set(past.sent.entry, entry);
    const isWhole = past.sent.forgotten === undefined;
    if (isWhole && standing.forgotten_elsewhere === 1 && !isRefused(known)) {
      done.restored++;
      // Forgetting also took texts from the reply.
      const ended = isKnown(past) || !isKnown(known) ? {} : some(standing, END);
      await to.run('delete from requests where entry = $1', [entry]);
      await addRows(to, 'requests', [{ ...there(row), ...ended }]);
      return true;
    }
    if (known.sent.forgotten !== undefined) leaveUnguarded(past, known);
    else if (isWhole && isKnown(past) && !isKnown(known)) {
      done.completed++;
      await to.run(...changing('requests', { entry }, some(row, [...END, 'summary'])));
      if (isRefused(past)) await deleteContacts(to, [entry]);
    }
    return false;
  };
  for await (const page of pagesOf(from, 'requests', ['sent_at', 'entry'])) {
    const standing = await alike(to, page, (entry) => entry <= last && !met.has(entry));
    const whole: Kept[] = [];
    const added: Row[] = [];
    for (const row of page) {
      const kept = { row, past: requestIn(row) };
      const { past } = kept;
      const same = takeSame(standing.get(keyOf(past)), past);
      if (same !== undefined) {
        if (await meet(kept, same)) whole.push(kept);
        continue;
      }
      entries.set(past.sent.entry, last + ++done.added);
      whole.push(kept);
      if (past.sent.forgotten === undefined) added.push(there(row));
      else {
        leaveUnguarded(past, past);
        added.push({ ...there(row), forgotten_elsewhere: 1 });
      }
    }
    await addRows(to, 'requests', added);
    for (const { past } of whole) await copyContacts(from, to, past, entryOf(past.sent));
  }
  return { ...done, entries };
}

/** Requests that were there before and may be the same as some of a page. Each of them stands for one. */
async function alike(to: Sql, page: readonly Row[], isFree: (entry: number) => boolean): Promise<Map<string, Kept[]>> {
  const asked = 'select * from requests where sent_at in (select value from numbers($1) as list)';
  const found = new Map<string, Kept[]>();
  for (const row of await to.all<Row>(asked, [JSON.stringify([...new Set(page.map(({ sent_at }) => sent_at))])])) {
    if (!isFree(Number(row.entry))) continue;
    const kept = { row, past: requestIn(row) };
    const key = keyOf(kept.past);
    found.set(key, [...(found.get(key) ?? []), kept]);
  }
  return found;
}

async function copyContacts(from: Sql, to: Sql, past: Past, entry: number): Promise<void> {
  if (!isCampaign(past) || past.sent.forgotten !== undefined || isRefused(past)) return;
  const of = { where: 'entry = $1', values: [past.sent.entry] };
  for await (const page of pagesOf(from, 'request_contacts', ['position'], of))
    await addRows(
      to,
      'request_contacts',
      page.map((row) => ({ ...row, entry })),
    );
}

function some(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

/** Somebody may have sent the same twice within a millisecond: each stands for one request. */
function takeSame(candidates: Kept[] = [], past: Past): Kept | undefined {
  const alike = candidates.filter((candidate) => isSame(candidate.past, past));
  const id = idOf(past);
  const same =
    alike.find((candidate) => candidate.past.sent.by === past.sent.by) ??
    // The service numbers each campaign once, whoever is said to have sent it.
    alike.find((candidate) => id !== undefined && idOf(candidate.past) === id);
  if (same !== undefined) candidates.splice(candidates.indexOf(same), 1);
  return same;
}

function idOf({ sent, outcome, answer }: Past): unknown {
  return isToContacts(sent) && outcome === 'accepted' ? answer?.campaign_id : undefined;
}

/** Of one that was forgotten, nothing else can be compared. */
function isSame(one: Past, other: Past): boolean {
  if (one.sent.forgotten !== undefined || other.sent.forgotten !== undefined) return true;
  return contentOf(one) === contentOf(other);
}

function keyOf({ sent: { service, organization_id, at, operation } }: Past): string {
  return JSON.stringify([serviceKey(service), organization_id, Date.parse(at), operation]);
}

function contentOf({ sent }: Past): string {
  const fields = Object.entries(sent.request).sort(([one], [other]) => (one < other ? -1 : 1));
  const contacts = isToContacts(sent) ? [sent.contacts.count, sent.contacts.numbers_sha256] : [];
  return JSON.stringify([fields, contacts]);
}

function isKnown(past: Past): boolean {
  return past.outcome === 'accepted' || isRefused(past);
}
