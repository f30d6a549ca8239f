/** Reads the contacts of a plan as columns of numbers, many rows at a time: a million, one by one, would take seconds. */
import { LAST_INSTANT } from '../../contract.ts';
import type { Sql } from '../../storage/database/sql.ts';
import type { Plan } from '../rules/plan.ts';
import { CONTACT_STATES, NEVER_DUE, RECORD_NUMBERS, Roster } from '../rules/roster.ts';
import { dialsOf } from '../rules/rules.ts';
import { damaged, undamaged } from './damage.ts';

/** Rows that are asked for together: so few that what is made of them is collected at once. */
const BLOCK = 1_000;
/** Characters of a number and a comma. */
const LONGEST = 24;
/** A phone has at most 15 digits. */
const LAST_PHONE = 10 ** 15 - 1;
/** Of state, attempts, wave, recalled and marks. */
const MOST = [CONTACT_STATES.length - 1, 2 ** 8 - 1, 2 ** 24 - 1, 2 ** 8 - 1, 2 ** 16 - 1];

const PEOPLE = `select string_agg(concat_ws(',', row, phone, place), ',') as numbers
  from plan_people where plan_id = $1 and row >= $2 and row < $3`;
const STATES = `select
  string_agg(concat_ws(',', row, state, attempts, wave, recalled, marks, due, trim(dials, '[]')), ',') as numbers
  from plan_states where plan_id = $1 and row >= $2 and row < $3`;

/** Throws FileError if a contact is missing, or has what no contact can have. */
export async function readRoster(sql: Sql, { plan_id, contacts, places, rules }: Plan): Promise<Roster> {
  const dials = dialsOf(rules);
  const isRow = (row: number) => Number.isInteger(row) && row >= 0 && row < contacts;
  const stride = 1 + RECORD_NUMBERS + dials;
  const { filling, block } = undamaged(plan_id, 'the number of its contacts', () => {
    const most = Math.min(BLOCK, contacts) * stride;
    const block = { plan_id, numbers: new Float64Array(most), bytes: Buffer.allocUnsafe(most * LONGEST) };
    return { filling: new Roster(contacts, dials), block };
  });
  const { numbers } = block;
  for (let from = 0; from < contacts; from += BLOCK) {
    const people = await readNumbers(sql, PEOPLE, from, 3, block);
    const found = from + people / 3;
    if (found < Math.min(from + BLOCK, contacts)) throw damaged(plan_id, `it has not all of its ${contacts} contacts`);
    for (let at = 0; at < people; at += 3) {
      const row = numbers[at] as number;
      const phone = numbers[at + 1] as number;
      const place = numbers[at + 2] as number;
      if (!isRow(row) || !isUpTo(phone, LAST_PHONE) || !isUpTo(place, places.length - 1))
        throw damaged(plan_id, `the number or the place of contact ${row + 1} can be no contact's`);
      filling.put(row, phone, place);
    }
    const states = await readNumbers(sql, STATES, from, stride, block);
    for (let at = 0; at < states; at += stride) {
      const row = numbers[at] as number;
      if (!isRow(row) || !isRecord(numbers, at + 1, dials))
        throw damaged(plan_id, `the state of contact ${row + 1} can be no contact's`);
      filling.restore(row, numbers, at + 1);
    }
  }
  return filling;
}

interface Block {
  plan_id: number;
  numbers: Float64Array;
  bytes: Buffer;
}

/** Puts the numbers of some rows from `from` on into the block, `stride` of each; how many there are. */
async function readNumbers(sql: Sql, text: string, from: number, stride: number, block: Block): Promise<number> {
  const { plan_id, numbers, bytes } = block;
  const [row] = await sql.all<{ numbers: string | null }>(text, [plan_id, from, from + BLOCK]);
  const read = row?.numbers ?? '';
  const count = read.length < bytes.length ? takeNumbers(read, block) : Number.NaN;
  if (count % stride === 0 && count <= numbers.length) return count;
  throw damaged(plan_id, `what is kept of contacts ${from + 1} to ${from + BLOCK} is not what was written`);
}

const [COMMA, ZERO] = [0x2c, 0x30];

/** Numbers between commas; what is none becomes NaN. Nearly all are whole: digit by digit they take a quarter of the time. */
function takeNumbers(text: string, { numbers, bytes }: Pick<Block, 'numbers' | 'bytes'>): number {
  if (text === '') return 0;
  const end = bytes.write(text, 'latin1');
  bytes[end] = COMMA;
  let count = 0;
  let from = 0;
  let value = 0;
  for (let at = 0; at <= end; at++) {
    const code = bytes[at] as number;
    if (code === COMMA) {
      numbers[count++] = Number.isNaN(value) || at === from ? Number(text.slice(from, at) || Number.NaN) : value;
      from = at + 1;
      value = 0;
    } else value = code >= ZERO && code < ZERO + 10 ? value * 10 + (code - ZERO) : Number.NaN;
  }
  return count;
}

function isRecord(numbers: Float64Array, from: number, dials: number): boolean {
  for (let at = 0; at < MOST.length; at++) if (!isUpTo(numbers[from + at] as number, MOST[at] as number)) return false;
  const due = numbers[from + MOST.length] as number;
  if (due !== NEVER_DUE && !isUpTo(due, LAST_INSTANT)) return false;
  for (let rank = 0; rank < dials; rank++) {
    const dial = numbers[from + RECORD_NUMBERS + rank] as number;
    if (!(dial >= 0 && dial <= LAST_INSTANT)) return false;
  }
  return true;
}

function isUpTo(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most;
}
