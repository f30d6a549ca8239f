/**
 * Requests that are not there are added, in the order of sending and with numbers of their own; an outcome that is unknown there and known
 * here is completed, never the other way. What was forgotten there stays forgotten, but for what came there without its people.
 */
import type { Sql } from '../../database/sql.ts';
import { deleteContacts } from '../contact-rows.ts';
import { requestIn } from '../request-rows.ts';
import { isRefused, type Past } from '../requests.ts';
import { serviceKey } from '../service-key.ts';
import { add, lastOf, pagesOf, type Row } from './pages.ts';
import type { PlanMatches } from './plans.ts';

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

export async function copyRequests(from: Sql, to: Sql, plans: PlanMatches): Promise<Done> {
  const copying = new Copying(to, plans, await lastOf(to, 'requests', 'entry'));
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
    for (const { row, past } of [...added, ...restored]) await copyContacts(from, to, past, copying.entryOf(row));
  }
  return copying.done;
}

class Copying {
  readonly #to: Sql;
  readonly #plans: PlanMatches;
  /** The last entry there before. */
  readonly #last: number;
  /** Those that stand for one here. */
  readonly #met = new Set<number>();
  readonly done: Done = {
    ...{ added: 0, known: 0, completed: 0, restored: 0, unguarded: { requests: 0, people: 0 } },
    entries: new Map(),
  };

  constructor(to: Sql, plans: PlanMatches, last: number) {
    this.#to = to;
    this.#plans = plans;
    this.#last = last;
  }

  entryOf({ entry }: Row): number {
    return this.done.entries.get(Number(entry)) as number;
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
    const done = this.done;
    for (const { row, past } of requests) {
      done.entries.set(past.sent.entry, this.#last + ++done.added);
      if (past.sent.forgotten === undefined) continue;
      row.forgotten_elsewhere = 1;
      this.#leaveUnguarded(past, past);
    }
    await add(
      this.#to,
      'requests',
      requests.map(({ row }) => this.#there(row)),
    );
  }

  /** Puts together what both places know of a request. Whether it got back the people that it called. */
  async meet({ row, past }: Kept, { row: standing, past: known }: Kept): Promise<boolean> {
    const done = this.done;
    const entry = known.sent.entry;
    done.known++;
    this.#met.add(entry);
    done.entries.set(past.sent.entry, entry);
    const isWhole = past.sent.forgotten === undefined;
    if (isWhole && standing.forgotten_elsewhere === 1 && !isRefused(known)) {
      done.restored++;
      // Forgetting also took texts from the reply.
      const ended = isKnown(past) || !isKnown(known) ? {} : endOf(standing);
      await this.#to.run('delete from requests where entry = $1', [entry]);
      await add(this.#to, 'requests', [{ ...this.#there(row), ...ended }]);
      return true;
    }
    if (known.sent.forgotten !== undefined) this.#leaveUnguarded(past, known);
    else if (isWhole && isKnown(past) && !isKnown(known)) {
      done.completed++;
      const { outcome, reply, ended_at, clock_ahead, campaign_id, summary } = row;
      await this.#to.run(
        `update requests set outcome = $2, reply = $3, ended_at = $4, clock_ahead = $5, campaign_id = $6, summary = $7
           where entry = $1`,
        [entry, ...[outcome, reply, ended_at, clock_ahead, campaign_id, summary].map((value) => value ?? null)],
      );
      if (isRefused(past)) await deleteContacts(this.#to, [entry]);
    }
    return false;
  }

  /** The row with the numbers that it and its plan have there. */
  #there(row: Row): Row {
    const plan =
      row.plan_id === null ? undefined : this.#plans.numberOf(Number(row.plan_id), Number(row.plan_created_at));
    return { ...row, entry: this.entryOf(row), plan_id: plan ?? row.plan_id ?? null };
  }

  /** `past`: the request here, of which `known` is known there. */
  #leaveUnguarded({ sent }: Past, known: Past): void {
    const isCampaign = sent.operation === 'createCampaign';
    if (isCampaign ? isRefused(known) : isKnown(known)) return;
    this.done.unguarded.requests++;
    this.done.unguarded.people += isCampaign ? sent.contacts.count : 1;
  }
}

async function copyContacts(from: Sql, to: Sql, past: Past, entry: number): Promise<void> {
  if (past.sent.operation === 'triggerCall' || past.sent.forgotten !== undefined || isRefused(past)) return;
  const of = { where: 'entry = $1', values: [past.sent.entry] };
  for await (const page of pagesOf(from, 'request_contacts', ['position'], of))
    await add(
      to,
      'request_contacts',
      page.map((row) => ({ ...row, entry })),
    );
}

function endOf({ outcome, reply, ended_at, clock_ahead, campaign_id }: Row): Row {
  return Object.fromEntries(
    Object.entries({ outcome, reply, ended_at, clock_ahead, campaign_id }).map(([name, value]) => [
      name,
      value ?? null,
    ]),
  );
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
