/** The contacts of campaigns as rows. Texts are read in pages: a million need not fit into memory. */
import type { Contact } from '../contract.ts';
import type { Rows, Sql, Value } from '../database/sql.ts';
import { FileError } from '../errors.ts';
import type { KeptRows } from '../text/kept-rows.ts';
import { parsed, textsIn } from '../text/parsed.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import { masked } from '../text/redact.ts';
import type { Called } from './called.ts';

/** The contacts of a campaign, in the order of the request, and in the form that the guards compare. */
export interface CalledContacts {
  contacts: readonly Contact[];
  /** Their original rows, if they came from a file. */
  rows: KeptRows | undefined;
  called: Called;
  /** Masks the key, which somebody may have pasted into a text. */
  redact: (text: string) => string;
}

const COLUMNS = ['entry', 'position', 'phone', 'number', 'first_line', 'instruction', 'identifiers', 'cells'];

export async function insertContacts(sql: Sql, entry: number, callees: CalledContacts): Promise<void> {
  await sql.insert('request_contacts', COLUMNS, rowsOf(entry, callees));
}

function* rowsOf(entry: number, { contacts, rows, redact }: CalledContacts): Generator<Value[], void> {
  const cells = rows?.lines(redact);
  const isKeyIn = (text: string) => redact(text) !== text;
  let position = 0;
  for (const contact of contacts) {
    const {
      phone_number,
      custom_first_line: line,
      custom_instruction: instruction,
      custom_identifiers: identifiers,
    } = contact;
    const texts = [line ?? null, instruction ?? null, identifiers ?? null];
    const shown = isKeyIn(texts.join('\n')) ? masked(texts, redact) : texts;
    yield [entry, position++, phoneKeyOfNumber(phone_number), phone_number, ...shown, cells?.next().value ?? null];
  }
}

/** Contacts that are read together. */
const PAGE = 5_000;

export interface KeptContact {
  contact: Contact;
  /** The cells of its row in the file; undefined if they were not kept. */
  cells: string[] | undefined;
}

interface Row {
  position: unknown;
  number: unknown;
  first_line: unknown;
  instruction: unknown;
  identifiers: unknown;
  cells: unknown;
}

/** In the order in which they were sent. Throws FileError if there are not `count` of them, or one is damaged. */
export async function* readContacts(rows: Rows, entry: number, count: number): AsyncGenerator<KeptContact, void> {
  for (let from = 0; from < count; from += PAGE) {
    const page = await rows.read((sql) =>
      sql.all<Row>(
        `select position, number, first_line, instruction, identifiers, cells from request_contacts
           where entry = $1 and position >= $2 and position < $3 order by position`,
        [entry, from, from + PAGE],
      ),
    );
    if (page.length !== Math.min(PAGE, count - from)) throw missing(entry);
    for (const [at, row] of page.entries()) yield contactIn(row, entry, from + at);
  }
}

function contactIn({ position, number, first_line, instruction, identifiers, cells }: Row, entry: number, at: number) {
  const isText = (value: unknown) => value === null || typeof value === 'string';
  const isSound = position === at && typeof number === 'string' && [first_line, instruction, identifiers].every(isText);
  if (!isSound) throw missing(entry);
  return {
    contact: {
      phone_number: number,
      ...(first_line !== null && { custom_first_line: first_line as string }),
      ...(instruction !== null && { custom_instruction: instruction as string }),
      ...(identifiers !== null && { custom_identifiers: identifiers as string }),
    },
    cells: cells === null ? undefined : cellsIn(cells, entry),
  };
}

function cellsIn(json: unknown, entry: number): string[] {
  const cells = textsIn(parsed(json));
  if (cells === undefined) throw missing(entry);
  return cells;
}

/** Numbers that are read as one text: a row for each would take three times as long. */
const BLOCK = 10_000;

/** The phones that a campaign calls, in the order in which they were sent. Throws FileError. */
export async function readPhones(rows: Rows, entry: number, count: number): Promise<Float64Array> {
  const blocks: number[][] = [];
  for (let from = 0; from < count; from += BLOCK) {
    const [row] = await rows.read((sql) =>
      sql.all<{ phones: unknown }>(
        `select string_agg(cast(phone as text), ',') as phones from
           (select phone from request_contacts where entry = $1 and position >= $2 and position < $3 order by position) as block`,
        [entry, from, from + BLOCK],
      ),
    );
    const block = numbersIn(row?.phones, entry);
    if (block.length !== Math.min(BLOCK, count - from)) throw missing(entry);
    blocks.push(block);
  }
  const phones = new Float64Array(count);
  for (const [at, block] of blocks.entries()) phones.set(block, at * BLOCK);
  return phones;
}

function numbersIn(list: unknown, entry: number): number[] {
  const numbers = parsed(`[${list ?? ''}]`);
  if (Array.isArray(numbers) && numbers.every((number) => Number.isSafeInteger(number))) return numbers;
  throw missing(entry);
}

/** In the order in which they were sent; undefined for a contact without one. A list that has none takes no memory. */
export async function readIdentifiers(rows: Rows, entry: number, count: number): Promise<(string | undefined)[]> {
  const identifiers: (string | undefined)[] = [];
  for (let from = 0; from < count; from += BLOCK) {
    const page = await rows.read((sql) =>
      sql.all<{ position: unknown; identifiers: unknown }>(
        `select position, identifiers from request_contacts
           where entry = $1 and position >= $2 and position < $3 and identifiers <> ''`,
        [entry, from, from + BLOCK],
      ),
    );
    for (const { position, identifiers: text } of page) identifiers[Number(position)] = String(text);
  }
  return identifiers;
}

export async function deleteContacts(sql: Sql, entries: readonly number[]): Promise<void> {
  await sql.run('delete from request_contacts where entry in (select value from numbers($1) as list)', [
    JSON.stringify(entries),
  ]);
}

function missing(entry: number): FileError {
  return new FileError(`The contacts of entry ${entry} of the register are not those that were sent.`, {
    code: 'register_damaged',
    reason: { kind: 'contacts_changed' },
  });
}
