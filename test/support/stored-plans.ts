/** Plans that a test has made, and what they hold, to be compared. */

import { join } from 'node:path';
import type { Contact } from '../../src/contract.ts';
import * as history from '../../src/plans/rows/history.ts';
import { type Person, peopleOf } from '../../src/plans/rows/people.ts';
import { createPlan, type PlanContacts } from '../../src/plans/rows/plans.ts';
import { StoredPlan } from '../../src/plans/rows/stored-plan.ts';
import type { PlanEvent } from '../../src/plans/rules/events.ts';
import type { PlanDraft } from '../../src/plans/rules/plan.ts';
import type { Roster } from '../../src/plans/rules/roster.ts';
import { DEFAULTS, type PlanRules } from '../../src/plans/rules/rules.ts';
import { FILE } from '../../src/register/open-rows.ts';
import { SCHEMA } from '../../src/register/schema.ts';
import type { Rows } from '../../src/storage/database/sql.ts';
import { SqliteRows } from '../../src/storage/database/sqlite-rows.ts';
import { EPOCH } from './engine.ts';

const ALL_DAY = [{ from: 0, until: 1440 }];

export function planRules(changes: Partial<PlanRules> = {}): PlanRules {
  return {
    window: Array.from({ length: 7 }, () => ALL_DAY),
    zone: 'UTC',
    skipDates: [],
    start: undefined,
    end: undefined,
    maxPerNumber: undefined,
    budget: undefined,
    pricePerMinute: undefined,
    canary: undefined,
    fromCap: undefined,
    exclude: [],
    ...DEFAULTS,
    ...changes,
  };
}

export function planDraft(changes: Partial<PlanDraft> = {}): PlanDraft {
  return {
    plan_name: 'Spring',
    service: 'https://calls.example',
    isLocal: false,
    organization_id: 1,
    createdAt: EPOCH,
    agent_id: 1,
    from: ['+14155550100'],
    rules: planRules(),
    places: [{ zones: ['UTC'], country: null }],
    ...changes,
  };
}

/** The number of a contact is in its text as well, so that each line is known by both. */
export function somePeople(count: number, changes: Partial<PlanContacts> = {}): PlanContacts {
  const contacts: Contact[] = Array.from({ length: count }, (_, row) => ({
    phone_number: `+1415${String(5_550_200 + row)}`,
    custom_first_line: `Hello ${row}, “über” you`,
  }));
  return { contacts, placeOf: new Uint16Array(count), rows: undefined, redact: (text) => text, ...changes };
}

/** Of a state folder, or those that are open. */
export function rowsOf(place: string | Rows): Rows {
  if (typeof place !== 'string') return place;
  return new SqliteRows({ path: join(place, FILE), schema: SCHEMA, version: 2, name: 'register' });
}

export function planAt(place: string | Rows, planId = 1): StoredPlan {
  return new StoredPlan({ rows: rowsOf(place), planId, command: 'test' });
}

export async function makePlan(
  place: string | Rows,
  people: PlanContacts = somePeople(6),
  draft: PlanDraft = planDraft(),
): Promise<number> {
  return createPlan(rowsOf(place), draft, people);
}

export async function eventsOf(stored: StoredPlan): Promise<PlanEvent[]> {
  return allOf(history.eventsOf(stored.rows, (await stored.load()).plan));
}

/** With their rows of the file. */
export async function peopleIn(stored: StoredPlan): Promise<Person[]> {
  return allOf(peopleOf(stored.rows, (await stored.load()).plan));
}

/** Of every contact. */
export function recordsOf(roster: Roster): string {
  return JSON.stringify(Array.from({ length: roster.size }, (_none, row) => roster.recordOf(row)));
}

/** All that a plan holds, in a form that two of them can be compared by. */
export async function contentOf(stored: StoredPlan): Promise<string> {
  const { plan, position, roster } = await stored.load();
  const records = recordsOf(roster);
  const [events, people] = [await eventsOf(stored), await peopleIn(stored)];
  return JSON.stringify({ plan, position: inOrder(position), counts: roster.counts, records, events, people });
}

export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Fields in the order of their names: what was read from a file has them in another order than what was made. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, inOrder(field)]));
}
