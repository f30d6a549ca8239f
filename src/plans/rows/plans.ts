/**
 * All plans: making one, listing them. Of a forgotten one its number is left, so that no other ever gets it. Throws FileErrors.
 */
import type { Contact } from '../../contract.ts';
import { FileError, InputError } from '../../errors.ts';
import { contactRow, textsOf } from '../../register/contact-rows.ts';
import { addRows, lastOf, type Row } from '../../register/tables.ts';
import type { Rows, Sql } from '../../storage/database/sql.ts';
import type { KeptRows } from '../../text/kept-rows.ts';
import { newPosition } from '../rules/apply.ts';
import type { Plan, PlanDraft, Position } from '../rules/plan.ts';
import { Roster, type RowState } from '../rules/roster.ts';
import { type HeadRow, parseHead } from './parse.ts';

export interface PlanContacts {
  contacts: readonly Contact[];
  /** For each contact the index of its place in the draft. */
  placeOf: ArrayLike<number>;
  /** The original rows of the contacts, in their order. */
  rows: KeptRows | undefined;
  /** Redacts the key: in the original rows, and to find it in texts, which are sent as they are. */
  redact: (text: string) => string;
}

export interface ListedPlan {
  planId: number;
  /** Undefined if it is damaged. */
  loaded?: { plan: Plan; position: Position; counts: Record<RowState, number> };
  damage?: FileError;
  /** Of a damaged plan, if its row still has it. */
  name?: string;
}

/**
 * Writes a new plan and returns its number; durable when it resolves. `mayCreate` is asked in the same transaction, while nobody
 * else can make a plan, and throws if there must be none.
 */
export async function createPlan(
  rows: Rows,
  draft: PlanDraft,
  people: PlanContacts,
  mayCreate: (sql: Sql) => Promise<void> = async () => {},
): Promise<number> {
  const { contacts, redact } = people;
  requireNoKey(draft, redact);
  return await rows.write(async (sql) => {
    await mayCreate(sql);
    const plan_id = (await lastOf(sql, 'plans', 'plan_id')) + 1;
    const plan: Plan = { ...draft, plan_id, contacts: contacts.length, columns: people.rows?.columns };
    // Nobody is in any other state.
    const counts = { ...new Roster(0, 1).counts, new: plan.contacts };
    await addRows(sql, 'plans', [planRow({ plan, position: newPosition(), counts }, 0)]);
    await addRows(sql, 'plan_people', peopleOf(plan_id, people));
    return plan_id;
  }, 'plans');
}

/** `version`: how many events it has. */
export function planRow({ plan, position, counts }: NonNullable<ListedPlan['loaded']>, version: number) {
  const { plan_id, plan_name, service, organization_id, createdAt } = plan;
  return {
    ...{ plan_id, plan_name, service, organization_id, version },
    created_at: Math.floor(createdAt),
    plan: JSON.stringify(plan),
    state: position.state,
    position: JSON.stringify(position),
    counts: JSON.stringify(counts),
  };
}

/** Throws InputError if a text holds the key, which must be nowhere. */
function* peopleOf(plan_id: number, { contacts, placeOf, rows, redact }: PlanContacts): Generator<Row, void> {
  const cells = rows?.lines(redact);
  const isKeyIn = (text = '') => redact(text) !== text;
  for (const [row, contact] of contacts.entries()) {
    const texts = textsOf(contact);
    if (isKeyIn(contact.phone_number) || texts.some((text) => isKeyIn(text))) throw holdsKey('A text of the contacts');
    const place = placeOf[row] as number;
    yield { plan_id, row, place, ...contactRow(contact, texts), cells: cells?.next().value ?? null };
  }
}

/** Throws InputError if a plan would hold the key. */
export function requireNoKey(draft: Partial<PlanDraft>, redact: PlanContacts['redact']): void {
  const text = JSON.stringify(draft);
  if (redact(text) !== text) throw holdsKey('The name of the plan, or a text of its rules,');
}

/** `what` begins the sentence. */
function holdsKey(what: string): InputError {
  return new InputError(`${what} holds the API key, which must be in no file. Nothing was written.`, {
    code: 'key_in_texts',
    hint: 'Take it out.',
  });
}

/** The numbers of the plans that there are, rising. */
export async function planIds(sql: Sql): Promise<number[]> {
  const text = `select plan_id from plans where state <> 'forgotten' order by plan_id`;
  return (await sql.all<{ plan_id: number }>(text)).map(({ plan_id }) => plan_id);
}

/** The plans with what their rows say of them, without their contacts. */
export async function listPlans(sql: Sql): Promise<ListedPlan[]> {
  const found = await sql.all<HeadRow & { plan_id: number; plan_name: unknown }>(
    `select plan_id, plan_name, plan, position, counts, version, stop_wish, log_position from plans
      where state <> 'forgotten' order by plan_id`,
  );
  return found.map(({ plan_id: planId, plan_name: name, ...row }): ListedPlan => {
    try {
      const { plan, position, counts } = parseHead(planId, row);
      return { planId, loaded: { plan, position, counts } };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return { planId, damage: error, ...(typeof name === 'string' && { name }) };
    }
  });
}

/** All that is kept of a plan beside its own row. */
export async function removeParts(sql: Sql, planId: number): Promise<void> {
  for (const table of ['plan_people', 'plan_states', 'plan_events', 'plan_told'])
    await sql.run(`delete from ${table} where plan_id = $1`, [planId]);
}
