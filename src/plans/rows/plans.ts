/**
 * All plans: making one, listing them, forgetting one. Of a forgotten one its number is left, so that no other ever gets it. Throws
 * FileErrors.
 */
import type { Contact } from '../../contract.ts';
import type { Rows, Sql, Value } from '../../database/sql.ts';
import { FileError, InputError } from '../../errors.ts';
import type { KeptRows } from '../../text/kept-rows.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';
import { newPosition } from '../apply.ts';
import type { Plan, PlanDraft, Position } from '../plan.ts';
import { CONTACT_STATES, type ContactState } from '../roster.ts';
import { type HeadRow, parseHead } from './parse.ts';
import { noPlan, type StoredPlan } from './stored-plan.ts';

export interface PlanContacts {
  contacts: readonly Contact[];
  /** For each contact the index of its place in the draft. */
  placeOf: ArrayLike<number>;
  /** The original rows of the contacts, in their order. */
  rows: KeptRows | undefined;
  /** Masks the key: in the original rows, and to find it in texts, which are sent as they are. */
  redact: (text: string) => string;
}

export interface ListedPlan {
  planId: number;
  /** Undefined if it is damaged. */
  loaded?: { plan: Plan; position: Position; counts: Record<ContactState, number> };
  damage?: FileError;
  /** Of a damaged plan, if its row still tells it. */
  name?: string;
}

/** Nobody else makes a plan meanwhile. */
const LOCK = 'plans';
/** Characters in which the key is looked for together, which saves time. */
const TOGETHER = 1 << 14;
const FORGET_TIMEOUT = 10_000;
const PARTS = ['plan_people', 'plan_states', 'plan_events', 'plan_told'];

/**
 * Writes a new plan and returns its number; durable when it resolves. `mayCreate` is asked in the same transaction, while nobody else can
 * make a plan, and throws if there must be none.
 */
export async function createPlan(
  rows: Rows,
  draft: PlanDraft,
  people: PlanContacts,
  mayCreate: (sql: Sql) => Promise<void> = async () => {},
): Promise<number> {
  const { contacts, redact } = people;
  const text = JSON.stringify(draft);
  if (redact(text) !== text) throw holdsKey('The name of the plan, or a text of its rules,');
  return await rows.write(async (sql) => {
    await mayCreate(sql);
    const [last] = await sql.all<{ last: number }>('select coalesce(max(plan_id), 0) as last from plans');
    const plan_id = (last?.last ?? 0) + 1;
    const plan: Plan = { ...draft, plan_id, contacts: contacts.length, columns: people.rows?.columns };
    const position = newPosition();
    const none = Object.fromEntries(CONTACT_STATES.map((state) => [state, 0]));
    await insertPlan(sql, plan, {
      position,
      counts: { ...none, new: contacts.length } as Record<ContactState, number>,
    });
    await sql.insert('plan_people', PEOPLE, peopleOf(plan_id, people));
    return plan_id;
  }, LOCK);
}

async function insertPlan(sql: Sql, plan: Plan, { position, counts }: Omit<Listed, 'plan'>): Promise<void> {
  const { plan_id, plan_name, service, organization_id, createdAt } = plan;
  const columns: Record<string, Value> = {
    ...{ plan_id, plan_name, service, organization_id },
    created_at: Math.floor(createdAt),
    plan: JSON.stringify(plan),
    state: position.state,
    position: JSON.stringify(position),
    counts: JSON.stringify(counts),
    version: 0,
  };
  await sql.insert('plans', Object.keys(columns), [Object.values(columns)]);
}

type Listed = NonNullable<ListedPlan['loaded']>;

const PEOPLE = [...['plan_id', 'row', 'phone', 'place', 'number', 'first_line', 'instruction', 'identifiers', 'cells']];

/** Throws InputError if a text holds the key, which must be nowhere. */
function* peopleOf(planId: number, { contacts, placeOf, rows, redact }: PlanContacts): Generator<Value[], void> {
  const cells = rows?.lines(redact);
  let together = '';
  for (const [row, contact] of contacts.entries()) {
    const { phone_number, custom_first_line = null, custom_instruction = null, custom_identifiers = null } = contact;
    const texts = [phone_number, custom_first_line, custom_instruction, custom_identifiers];
    together += texts.join('\n');
    if (together.length >= TOGETHER || row === contacts.length - 1) {
      if (redact(together) !== together) throw holdsKey('A text of the contacts');
      together = '';
    }
    const phone = phoneKeyOfNumber(phone_number);
    yield [planId, row, phone, placeOf[row] as number, ...texts, cells?.next().value ?? null];
  }
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
  const found = await sql.all<{ plan_id: number }>(
    `select plan_id from plans where state <> 'forgotten' order by plan_id`,
  );
  return found.map(({ plan_id }) => plan_id);
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

const FORGOTTEN = `update plans set state = 'forgotten', plan_name = '', service = '', organization_id = 0, created_at = 0,
  plan = '{}', position = '{}', counts = '{}', log_position = null, stop_wish = null, halt_said = null, ran_at = null
  where plan_id = $1 and state <> 'forgotten'`;

/**
 * Removes everything of a plan but its number. `mayForget` is asked while nobody else can change the plan, and throws if it must stay.
 */
export async function forgetPlan(rows: Rows, stored: StoredPlan, mayForget: () => Promise<void>): Promise<void> {
  const { planId } = stored;
  await stored.holding(FORGET_TIMEOUT, async () => {
    await mayForget();
    await rows.write(async (sql) => {
      if ((await sql.run(FORGOTTEN, [planId])) === 0) throw noPlan(planId);
      for (const table of PARTS) await sql.run(`delete from ${table} where plan_id = $1`, [planId]);
    });
    await rows.purge();
  });
}

/** What a request says of the plan that it is a wave of. */
export interface WaveOf {
  id: number;
  /** ISO 8601, UTC. */
  created_at: string;
}

/**
 * Finds the plan of a wave if it is not over, because its wave is then still needed: to tell whose a call was, and for whoever was called
 * too often. A damaged plan may not be over. Undefined too if it is another register's.
 */
export type UnendedPlans = (wave: WaveOf) => { plan_id: number; state: string } | undefined;

/** Throws FileErrors. */
export async function unendedPlans(rows: Rows): Promise<UnendedPlans> {
  const plans = new Map((await rows.read(listPlans)).map((listed) => [listed.planId, listed.loaded]));
  return ({ id, created_at }) => {
    if (!plans.has(id)) return undefined;
    const loaded = plans.get(id);
    if (loaded === undefined) return { plan_id: id, state: 'damaged' };
    const { plan, position } = loaded;
    const isOver = position.state === 'done' || position.state === 'cancelled';
    return isOver || plan.createdAt !== Date.parse(created_at) ? undefined : { plan_id: id, state: position.state };
  };
}
