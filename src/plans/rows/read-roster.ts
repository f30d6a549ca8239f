/** Reads the contacts of a plan as columns of numbers, many rows at a time: a million, one by one, would take seconds. */
import { LAST_INSTANT } from '../../contract.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { parsed } from '../../text/json.ts';
import type { Plan } from '../rules/plan.ts';
import { NEVER_DUE, RECORD_NUMBERS, ROW_STATES, Roster } from '../rules/roster.ts';
import { dialsOf } from '../rules/rules.ts';
import { damaged, isUpTo, undamaged } from './parse.ts';

/** Rows that are asked for together: so few that what is made of them is collected at once. */
const BLOCK = 1_000;
/** A phone has at most 15 digits. */
const LAST_PHONE = 10 ** 15 - 1;
/** Of state, attempts, wave, recalled and marks. */
const MOST = [ROW_STATES.length - 1, 2 ** 8 - 1, 2 ** 24 - 1, 2 ** 8 - 1, 2 ** 16 - 1];

const PEOPLE = `select string_agg(concat_ws(',', row, phone, place), ',') as numbers
  from plan_people where plan_id = $1 and row >= $2 and row < $3`;
const STATES = `select
  string_agg(concat_ws(',', row, state, attempts, wave, recalled, marks, due, trim(dials, '[]')), ',') as numbers
  from plan_states where plan_id = $1 and row >= $2 and row < $3`;

/** Throws FileError if a contact is missing, or has what no contact can have. */
export async function readRoster(sql: Sql, { plan_id, contacts, places, rules }: Plan): Promise<Roster> {
  const dials = dialsOf(rules);
  const roster = undamaged(plan_id, 'the number of its contacts', () => new Roster(contacts, dials));
  const isRow = (row: number) => isUpTo(row, contacts - 1);
  const stride = 1 + RECORD_NUMBERS + dials;
  for (let from = 0; from < contacts; from += BLOCK) {
    const people = await readNumbers(sql, PEOPLE, { plan_id, from, stride: 3 });
    const found = from + people.length / 3;
    if (found < Math.min(from + BLOCK, contacts)) throw damaged(plan_id, `it has not all of its ${contacts} contacts`);
    for (let at = 0; at < people.length; at += 3) {
      const [row, phone, place] = [people[at], people[at + 1], people[at + 2]] as [number, number, number];
      if (!isRow(row) || !isUpTo(phone, LAST_PHONE) || !isUpTo(place, places.length - 1))
        throw damaged(plan_id, `the number or the place of contact ${row + 1} can be no contact's`);
      roster.put(row, phone, place);
    }
    const states = await readNumbers(sql, STATES, { plan_id, from, stride });
    for (let at = 0; at < states.length; at += stride) {
      const row = states[at] as number;
      if (!isRow(row) || !isRecord(states, at + 1, dials))
        throw damaged(plan_id, `the state of contact ${row + 1} can be no contact's`);
      roster.restore(row, states, at + 1);
    }
  }
  return roster;
}

/** The numbers of the rows of a block, `stride` of each; what else may stand among them is still to be checked. */
async function readNumbers(
  sql: Sql,
  text: string,
  { plan_id, from, stride }: { plan_id: number; from: number; stride: number },
): Promise<number[]> {
  const [row] = await sql.all<{ numbers: string | null }>(text, [plan_id, from, from + BLOCK]);
  const numbers = parsed(`[${row?.numbers ?? ''}]`);
  if (Array.isArray(numbers) && numbers.length % stride === 0) return numbers;
  throw damaged(plan_id, `what is kept of contacts ${from + 1} to ${from + BLOCK} is not what was written`);
}

function isRecord(numbers: readonly number[], from: number, dials: number): boolean {
  if (!MOST.every((most, at) => isUpTo(numbers[from + at] as number, most))) return false;
  const due = numbers[from + MOST.length] as number;
  if (due !== NEVER_DUE && !isUpTo(due, LAST_INSTANT)) return false;
  for (let at = from + RECORD_NUMBERS; at < from + RECORD_NUMBERS + dials; at++) {
    const dial = numbers[at] as number;
    if (typeof dial !== 'number' || !(dial >= 0 && dial <= LAST_INSTANT)) return false;
  }
  return true;
}
