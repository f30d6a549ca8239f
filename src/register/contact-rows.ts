/** The contacts of campaigns as rows. Texts are read in pages: a million need not fit into memory. */
import { createHash } from 'node:crypto';
import type { Contact } from '../contract.ts';
import { FileError } from '../errors.ts';
import type { Rows, Sql } from '../storage/database/sql.ts';
import { parsed, textsIn } from '../text/json.ts';
import type { KeptRows } from '../text/kept-rows.ts';
import { phoneKeyOfDigits, phoneKeyOfNumber } from '../text/phone.ts';
import { masked } from '../text/redact.ts';
import type { SentCampaign } from './requests.ts';
import { addRows, type Row } from './tables.ts';

/** What recognises a contact list sent before: its phone numbers without their texts, in any order. */
export interface Called {
  /** SHA-256 over the numbers as they are dialled, sorted and without repeats. */
  numbersSha256: string;
  /** The phones behind the numbers, as the digits of their keys, ascending and without repeats. */
  phones: Float64Array;
}

/** `numbers` are the digits of E.164 numbers: at most 15, which a double holds exactly. They are sorted in place. */
export function calledBy(numbers: Float64Array): Called {
  const sorted = eachOnce(numbers.sort());
  const hasOldSpellings = sorted.some((number) => phoneKeyOfDigits(number) !== number);
  const phones = hasOldSpellings ? eachOnce(sorted.map(phoneKeyOfDigits).sort()) : sorted;
  const { buffer, byteOffset, byteLength } = sorted;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return { numbersSha256: createHash('sha256').update(bytes).digest('hex'), phones };
}

function eachOnce(sorted: Float64Array): Float64Array {
  let kept = 0;
  for (let at = 0; at < sorted.length; at++) {
    const number = sorted[at] as number;
    if (at === 0 || number !== sorted[kept - 1]) sorted[kept++] = number;
  }
  return sorted.subarray(0, kept);
}

/** The contacts of a campaign, in the order of the request. */
export interface CalledContacts {
  contacts: readonly Contact[];
  /** Their original rows, if they came from a file. */
  rows: KeptRows | undefined;
  /** Masks the key, which somebody may have pasted into a text. */
  redact: (text: string) => string;
}

export async function insertContacts(sql: Sql, entry: number, callees: CalledContacts): Promise<void> {
  const { contacts, rows, redact } = callees;
  const cells = rows?.lines(redact);
  const isKeyIn = (text = '') => redact(text) !== text;
  function* made(): Generator<Row, void> {
    for (const [position, contact] of contacts.entries()) {
      const texts = textsOf(contact);
      const shown = texts.some((text) => isKeyIn(text)) ? masked(texts, redact) : texts;
      yield { entry, position, ...contactRow(contact, shown), cells: cells?.next().value ?? null };
    }
  }
  await addRows(sql, 'request_contacts', made());
}

/** What can be read, and may hold a key. */
export function textsOf(contact: Contact): (string | undefined)[] {
  return [contact.custom_first_line, contact.custom_instruction, contact.custom_identifiers];
}

/** The columns that a contact of a campaign and one of a plan have. */
export function contactRow(contact: Contact, texts = textsOf(contact)): Row {
  const { phone_number: number } = contact;
  const [first_line = null, instruction = null, identifiers = null] = texts;
  return { phone: phoneKeyOfNumber(number), number, first_line, instruction, identifiers };
}

/** Undefined if the row is no contact. */
export function contactIn({ number, first_line, instruction, identifiers }: ContactRow): Contact | undefined {
  const isText = (value: unknown) => value === null || typeof value === 'string';
  if (typeof number !== 'string' || ![first_line, instruction, identifiers].every(isText)) return undefined;
  return {
    phone_number: number,
    ...(first_line !== null && { custom_first_line: first_line as string }),
    ...(instruction !== null && { custom_instruction: instruction as string }),
    ...(identifiers !== null && { custom_identifiers: identifiers as string }),
  };
}

/** Contacts that are read together. */
const PAGE = 5_000;

export interface KeptContact {
  contact: Contact;
  /** The cells of its row in the file; undefined if they were not kept. */
  cells: string[] | undefined;
}

/** What is read of a contact: anything may stand there. */
export type ContactRow = Record<'number' | 'first_line' | 'instruction' | 'identifiers' | 'cells', unknown>;

/** The contacts of a campaign whose number is known. */
type Kept = Pick<SentCampaign, 'entry' | 'contacts'>;

/** What is asked of them, `of` so many positions at a time. */
async function* blocksOf<Found>(rows: Rows, { entry, contacts: { count } }: Kept, of: number, text: string) {
  for (let from = 0; from < count; from += of) {
    const found = await rows.read((sql) => sql.all<Found>(text, [entry, from, from + of]));
    yield { from, size: Math.min(of, count - from), found };
  }
}

const IN_BLOCK = 'entry = $1 and position >= $2 and position < $3';

/** In the order in which they were sent. Throws FileError if there are not as many as were sent, or one is damaged. */
export async function* readContacts(rows: Rows, sent: Kept): AsyncGenerator<KeptContact, void> {
  const text = `select position, number, first_line, instruction, identifiers, cells from request_contacts
    where ${IN_BLOCK} order by position`;
  for await (const { from, size, found } of blocksOf<ContactRow & { position: unknown }>(rows, sent, PAGE, text)) {
    if (found.length !== size) throw missing(sent);
    for (const [at, row] of found.entries()) {
      const contact = contactIn(row);
      const cells = textsIn(parsed(row.cells));
      if (contact === undefined || row.position !== from + at || (row.cells !== null && cells === undefined))
        throw missing(sent);
      yield { contact, cells };
    }
  }
}

/** Numbers that are read as one text: a row for each would take three times as long. */
const BLOCK = 10_000;

/** The phones that a campaign calls, in the order in which they were sent. Throws FileError. */
export async function readPhones(rows: Rows, sent: Kept): Promise<Float64Array> {
  const text = `select string_agg(cast(phone as text), ',') as phones from
    (select phone from request_contacts where ${IN_BLOCK} order by position) as block`;
  const blocks: number[][] = [];
  for await (const { size, found } of blocksOf<{ phones: unknown }>(rows, sent, BLOCK, text)) {
    const block = parsed(`[${found[0]?.phones ?? ''}]`);
    const isWhole = Array.isArray(block) && block.length === size && block.every(Number.isSafeInteger);
    if (!isWhole) throw missing(sent);
    blocks.push(block);
  }
  // Only now is it certain that there are so many.
  const phones = new Float64Array(sent.contacts.count);
  for (const [at, block] of blocks.entries()) phones.set(block, at * BLOCK);
  return phones;
}

/** In the order in which they were sent; undefined for a contact without one. A list that has none takes no memory. */
export async function readIdentifiers(rows: Rows, sent: Kept): Promise<(string | undefined)[]> {
  const identifiers: (string | undefined)[] = [];
  const asked = `select position, identifiers from request_contacts where ${IN_BLOCK} and identifiers <> ''`;
  for await (const { found } of blocksOf<{ position: unknown; identifiers: unknown }>(rows, sent, BLOCK, asked))
    for (const { position, identifiers: text } of found) identifiers[Number(position)] = String(text);
  return identifiers;
}

export async function deleteContacts(sql: Sql, entries: readonly number[]): Promise<void> {
  const text = 'delete from request_contacts where entry in (select value from numbers($1) as list)';
  await sql.run(text, [JSON.stringify(entries)]);
}

function missing({ entry }: Kept): FileError {
  return new FileError(`The contacts of entry ${entry} of the register are not those that were sent.`, {
    code: 'register_damaged',
    reason: { kind: 'contacts_changed' },
  });
}
