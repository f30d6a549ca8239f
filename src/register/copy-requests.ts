/**
 * Requests that are not there are added, in the order of sending and with numbers of their own; an outcome that is
 * unknown there and known here is completed, never the other way. What was forgotten there stays forgotten, but for
 * what came there without its people.
 */
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

interface Done extends CopiedRequests {
  /** By the number here, that there. */
  entries: Map<number, number>;
}

/** A request with its row. */
interface Kept {
  row: Row;
  past: Past;
}

/** Gives the number there of the plan of a request; undefined if it has none there. */
type PlanThere = (row: Row) => number | undefined;

export async function copyRequests(from: Sql, to: Sql, planThere: PlanThere): Promise<Done> {
  const copying = new Copying(to, planThere, await lastOf(to, 'requests', 'entry'));
  for await (const page of pagesOf(from, 'requests', ['sent_at', 'entry'])) {
    const there = await copying.alike(page);
    const added: Kept[] = [];
    const restored: Kept[] = [];
    for (const row of page) {
      const kept = { row, past: requestIn(row) };
      const standing = takeSame(there.get(keyOf(kept.past)), kept.past);
      if (standing === undefined) added.push(kept);
      else if (await copying.meet(kept, standing)) restored.push(kept);
    }
    await copying.add(added);
    for (const { past } of [...added, ...restored]) await copying.bringContacts(from, past);
  }
  return copying.done;
}

/** How a request ended. */
const END = ['outcome', 'reply', 'ended_at', 'clock_ahead', 'campaign_id'];

class Copying {
  readonly #to: Sql;
  readonly #planThere: PlanThere;
  /** The last entry there before. */
  readonly #last: number;
  /** Those that stand for one here. */
  readonly #met = new Set<number>();
  readonly done: Done = {
    ...{ added: 0, known: 0, completed: 0, restored: 0, unguarded: { requests: 0, people: 0 } },
    entries: new Map(),
  };

  constructor(to: Sql, planThere: PlanThere, last: number) {
    this.#to = to;
    this.#planThere = planThere;
    this.#last = last;
  }

  /** Requests that were there before and may be the same as some of a page. Each of them stands for one. */
  async alike(page: readonly Row[]): Promise<Map<string, Kept[]>> {
    const asked = 'select * from requests where sent_at in (select value from numbers($1) as list) and entry <= $2';
    const times = JSON.stringify([...new Set(page.map(({ sent_at }) => sent_at))]);
    const found = new Map<string, Kept[]>();
    for (const row of await this.#to.all<Row>(asked, [times, this.#last])) {
      if (this.#met.has(Number(row.entry))) continue;
      const kept = { row, past: requestIn(row) };
      const key = keyOf(kept.past);
      found.set(key, [...(found.get(key) ?? []), kept]);
    }
    return found;
  }

  async add(requests: readonly Kept[]): Promise<void> {
    const rows = requests.map(({ row, past }) => {
      this.done.entries.set(past.sent.entry, this.#last + ++this.done.added);
      if (past.sent.forgotten === undefined) return this.#there(row);
      this.#leaveUnguarded(past, past);
      return { ...this.#there(row), forgotten_elsewhere: 1 };
    });
    await addRows(this.#to, 'requests', rows);
  }

  /** Puts together what both places know of a request. Whether it gets back the people that it called. */
  async meet({ row, past }: Kept, { row: standing, past: known }: Kept): Promise<boolean> {
    const done = this.done;
    const { entry } = known.sent;
    done.known++;
    this.#met.add(entry);
    done.entries.set(past.sent.entry, entry);
    const isWhole = past.sent.forgotten === undefined;
    if (isWhole && standing.forgotten_elsewhere === 1 && !isRefused(known)) {
      done.restored++;
      // Forgetting also took texts from the reply.
      const ended = isKnown(past) || !isKnown(known) ? {} : some(standing, END);
      await this.#to.run('delete from requests where entry = $1', [entry]);
      await addRows(this.#to, 'requests', [{ ...this.#there(row), ...ended }]);
      return true;
    }
    if (known.sent.forgotten !== undefined) this.#leaveUnguarded(past, known);
    else if (isWhole && isKnown(past) && !isKnown(known)) {
      done.completed++;
      await this.#to.run(...changing('requests', { entry }, some(row, [...END, 'summary'])));
      if (isRefused(past)) await deleteContacts(this.#to, [entry]);
    }
    return false;
  }

  async bringContacts(from: Sql, past: Past): Promise<void> {
    if (!isCampaign(past) || past.sent.forgotten !== undefined || isRefused(past)) return;
    const entry = this.#entryOf(past.sent);
    const of = { where: 'entry = $1', values: [past.sent.entry] };
    for await (const page of pagesOf(from, 'request_contacts', ['position'], of)) {
      const rows = page.map((row) => ({ ...row, entry }));
      await addRows(this.#to, 'request_contacts', rows);
    }
  }

  #entryOf({ entry }: { entry?: unknown }): number {
    return this.done.entries.get(Number(entry)) as number;
  }

  /** The row with the numbers that it and its plan have there. */
  #there(row: Row): Row {
    return { ...row, entry: this.#entryOf(row), plan_id: this.#planThere(row) ?? row.plan_id ?? null };
  }

  /** `past`: the request here, of which `known` is known there. */
  #leaveUnguarded(past: Past, known: Past): void {
    if (isCampaign(past) ? isRefused(known) : isKnown(known)) return;
    this.done.unguarded.requests++;
    this.done.unguarded.people += isCampaign(past) ? past.sent.contacts.count : 1;
  }
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
  return sent.operation === 'createCampaign' && outcome === 'accepted' ? answer?.campaign_id : undefined;
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
  const contacts = sent.operation === 'createCampaign' ? [sent.contacts.count, sent.contacts.numbers_sha256] : [];
  return JSON.stringify([fields, contacts]);
}

function isKnown({ outcome }: Past): boolean {
  return outcome === 'accepted' || outcome === 'refused' || outcome === 'not_sent';
}
