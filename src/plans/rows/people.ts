/** The contacts of a plan, as they will be sent, and their rows of the file. Throws FileErrors. */
import type { Contact } from '../../contract.ts';
import { type ContactRow, contactIn } from '../../register/contact-rows.ts';
import type { Rows } from '../../storage/database/sql.ts';
import { parsed, textsIn } from '../../text/json.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';
import type { Plan } from '../rules/plan.ts';
import { damaged } from './parse.ts';

export interface Person {
  contact: Contact;
  /** Its row in the file; undefined if the rows were not kept. */
  cells: readonly string[] | undefined;
}

interface PersonRow extends ContactRow {
  row: number;
  phone: unknown;
}

/** Rows that are read together. */
const PAGE = 2_000;
const NUMBER = /^\+[1-9]\d{1,14}$/;
const ASKED = 'select row, phone, number, first_line, instruction, identifiers, cells from plan_people';

/** Those of rows, in the order of `wanted`. */
export async function contactsOf(rows: Rows, plan: Plan, wanted: readonly number[]): Promise<Contact[]> {
  const text = `${ASKED} where plan_id = $2 and row in (select value from numbers($1) as list)`;
  const found = await rows.read((sql) => sql.all<PersonRow>(text, [JSON.stringify(wanted), plan.plan_id]));
  const byRow = new Map(found.map((person) => [person.row, person]));
  return wanted.map((row) => personIn(plan, row, byRow.get(row)).contact);
}

/** All, in the order of the file. */
export async function* peopleOf(rows: Rows, plan: Plan): AsyncGenerator<Person, void> {
  const text = `${ASKED} where plan_id = $1 and row >= $2 and row < $3 order by row`;
  for (let from = 0; from < plan.contacts; from += PAGE) {
    const until = Math.min(plan.contacts, from + PAGE);
    const found = await rows.read((sql) => sql.all<PersonRow>(text, [plan.plan_id, from, until]));
    for (let row = from; row < until; row++) yield personIn(plan, row, found[row - from]);
  }
}

/** A row that has become another contact's must never be sent in its name. */
function personIn({ columns, plan_id }: Plan, row: number, found: PersonRow | undefined): Person {
  const contact = found?.row === row ? contactIn(found) : undefined;
  const number = contact?.phone_number ?? '';
  const isOne = NUMBER.test(number) && phoneKeyOfNumber(number) === found?.phone;
  const cells = columns && textsIn(parsed(found?.cells));
  if (contact === undefined || !isOne || cells?.length !== columns?.length)
    throw damaged(plan_id, `contact ${row + 1} is not the one that was written`);
  return { contact, cells };
}

/** Those among some phone keys that contacts of a plan have. */
export async function phonesAmong(rows: Rows, planId: number, phones: readonly number[]): Promise<number[]> {
  const text = `select distinct phone from plan_people
    where plan_id = $2 and phone in (select value from numbers($1) as list)`;
  const found = await rows.read((sql) => sql.all<{ phone: number }>(text, [JSON.stringify(phones), planId]));
  return found.map(({ phone }) => phone);
}
