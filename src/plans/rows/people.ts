/** The contacts of a plan, as they will be sent, and their rows of the file. Throws FileErrors. */
import type { Contact } from '../../contract.ts';
import { type ContactRow, contactIn } from '../../register/contact-rows.ts';
import type { Rows } from '../../storage/database/sql.ts';
import { parsed, textsIn } from '../../text/parsed.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';
import type { Plan } from '../rules/plan.ts';
import { damaged } from './damage.ts';

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
const COLUMNS = 'row, phone, number, first_line, instruction, identifiers, cells';

export class PlanPeople {
  readonly #rows: Rows;
  readonly #plan: Plan;

  constructor(rows: Rows, plan: Plan) {
    this.#rows = rows;
    this.#plan = plan;
  }

  /** Those of rows, in the order of `wanted`. */
  async of(wanted: readonly number[]): Promise<Contact[]> {
    const text = `select ${COLUMNS} from plan_people
      where plan_id = $2 and row in (select value from numbers($1) as list)`;
    const found = await this.#ask(text, [JSON.stringify(wanted), this.#plan.plan_id]);
    const byRow = new Map(found.map((person) => [person.row, person]));
    return wanted.map((row) => this.#person(row, byRow.get(row)).contact);
  }

  /** All, some at a time, in the order of the file. */
  async *pages(): AsyncGenerator<Person[], void> {
    const { plan_id, contacts } = this.#plan;
    const text = `select ${COLUMNS} from plan_people where plan_id = $1 and row >= $2 and row < $3 order by row`;
    for (let from = 0; from < contacts; from += PAGE) {
      const until = Math.min(contacts, from + PAGE);
      const found = await this.#ask(text, [plan_id, from, until]);
      yield Array.from({ length: until - from }, (_none, at) => this.#person(from + at, found[at]));
    }
  }

  async #ask(text: string, values: (string | number)[]): Promise<PersonRow[]> {
    return await this.#rows.read((sql) => sql.all<PersonRow>(text, values));
  }

  /** A row that has become another contact's must never be sent in its name. */
  #person(row: number, found: PersonRow | undefined): Person {
    const { columns, plan_id } = this.#plan;
    const contact = found?.row === row ? contactIn(found) : undefined;
    const number = contact?.phone_number ?? '';
    const isOne = NUMBER.test(number) && phoneKeyOfNumber(number) === found?.phone;
    const cells = columns && textsIn(parsed(found?.cells));
    if (contact === undefined || !isOne || cells?.length !== columns?.length)
      throw damaged(plan_id, `contact ${row + 1} is not the one that was written`);
    return { contact, cells };
  }
}

/** Those among some phone keys that contacts of a plan have. */
export async function phonesAmong(rows: Rows, planId: number, phones: readonly number[]): Promise<number[]> {
  const text = `select distinct phone from plan_people
    where plan_id = $2 and phone in (select value from numbers($1) as list)`;
  const found = await rows.read((sql) => sql.all<{ phone: number }>(text, [JSON.stringify(phones), planId]));
  return found.map(({ phone }) => phone);
}
