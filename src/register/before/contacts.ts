/** The contacts of campaigns, as they were kept beside the register: `campaigns/<entry>.jsonl` and `.rows.jsonl`, and what came of them. */
import type { Contact } from '../../contract.ts';
import type { Sql, Value } from '../../database/sql.ts';
import { fieldsIn, parsed, textsIn } from '../../text/parsed.ts';
import { calledBy } from '../called.ts';
import { damagedRegister, LineCursor, type OldFiles, textOf } from './old-files.ts';
import { phoneIn } from './phones.ts';

export interface OldCampaign {
  entry: number;
  /** How many contacts it has, and the hash of their numbers. */
  count: number;
  sha256: string;
  /** As it was written. */
  sentAt: unknown;
}

const FOLDER = 'campaigns';
const COLUMNS = ['entry', 'position', 'phone', 'number', 'first_line', 'instruction', 'identifiers', 'cells'];

export async function bringContacts(old: OldFiles, sql: Sql, campaigns: readonly OldCampaign[]): Promise<void> {
  const names = await old.names(FOLDER);
  for (const campaign of campaigns) {
    const { entry } = campaign;
    const path = `${FOLDER}/${entry}.jsonl`;
    if (campaign.count > 0 && !names.has(`${entry}.jsonl`)) throw missing(old.nameOf(path), entry);
    const rows = names.has(`${entry}.rows.jsonl`)
      ? await OldRows.open(old, `${FOLDER}/${entry}.rows.jsonl`)
      : undefined;
    if (names.has(`${entry}.jsonl`)) await bringThose(old, sql, campaign, rows);
    await rows?.requireEnd();
    const summary = names.has(`${entry}.summary.json`) ? await summaryOf(old, campaign) : null;
    if (rows === undefined && summary === null) continue;
    const columns = rows === undefined ? null : JSON.stringify(rows.columns);
    await sql.run('update requests set columns = $1, summary = $2 where entry = $3', [columns, summary, entry]);
  }
}

async function bringThose(
  old: OldFiles,
  sql: Sql,
  { entry, count, sha256 }: OldCampaign,
  rows: OldRows | undefined,
): Promise<void> {
  const path = `${FOLDER}/${entry}.jsonl`;
  const numbers: number[] = [];
  for await (const lines of old.lines(path)) {
    const page: Value[][] = [];
    for (const text of lines) {
      const position = numbers.length;
      const contact = contactIn(text);
      if (contact === undefined)
        throw damagedRegister(`${old.nameOf(path)}: line ${position + 1} is damaged: it is not a contact`);
      numbers.push(Number(contact.phone_number.slice(1)));
      page.push([entry, position, ...contactRow(contact), (await rows?.next()) ?? null]);
    }
    await sql.insert('request_contacts', COLUMNS, page);
  }
  if (numbers.length !== count || calledBy(Float64Array.from(numbers)).numbersSha256 !== sha256)
    throw damagedRegister(`${old.nameOf(path)} is damaged: its numbers are not those that were sent`);
}

function missing(name: string, entry: number): Error {
  return damagedRegister(`${name} is missing, with the contacts that entry ${entry} of the register called`);
}

/** Undefined if the line is no contact. */
export function contactIn(text: string): Contact | undefined {
  const contact = fieldsIn(parsed(text)) as Partial<Record<keyof Contact, unknown>> | undefined;
  if (contact === undefined || phoneIn(contact.phone_number) === null) return undefined;
  const { custom_first_line, custom_instruction, custom_identifiers } = contact;
  const areTexts = [custom_first_line, custom_instruction, custom_identifiers].every(
    (value) => value === undefined || typeof value === 'string',
  );
  return areTexts ? (contact as Contact) : undefined;
}

/** From `phone` to `identifiers`, without a place. */
export function contactRow(contact: Contact): Value[] {
  const { phone_number, custom_first_line, custom_instruction, custom_identifiers } = contact;
  const texts = [custom_first_line, custom_instruction, custom_identifiers].map((text) => text ?? null);
  return [phoneIn(phone_number), phone_number, ...texts];
}

/** The original rows of contacts, in their order: the columns stand in the first line. */
export class OldRows {
  readonly columns: readonly string[];
  readonly #lines: LineCursor;
  readonly #name: string;
  #line = 1;

  constructor(columns: readonly string[], lines: LineCursor, name: string) {
    this.columns = columns;
    this.#lines = lines;
    this.#name = name;
  }

  static async open(old: OldFiles, path: string): Promise<OldRows> {
    const lines = new LineCursor(old.lines(path));
    const columns = textsIn(fieldsIn(parsed(await lines.next()))?.columns);
    if (columns === undefined) throw damagedRows(old.nameOf(path), 'its first line does not name the columns');
    return new OldRows(columns, lines, old.nameOf(path));
  }

  /** The cells of the next row, as JSON. */
  async next(): Promise<string> {
    this.#line++;
    const text = await this.#lines.next();
    const cells = textsIn(parsed(text));
    if (text !== undefined && cells?.length === this.columns.length) return text.trimEnd();
    throw damagedRows(this.#name, `line ${this.#line} is not a row of ${this.columns.length} cells`);
  }

  async requireEnd(): Promise<void> {
    if ((await this.#lines.next()) !== undefined) throw damagedRows(this.#name, 'it holds more rows than contacts');
  }
}

function damagedRows(name: string, why: string): Error {
  return damagedRegister(
    `${name} is damaged: ${why}`,
    'Put it back as it was, or move it away to go on without the original columns. Nobody is called until then.',
  );
}

/** What came of one that is over; a summary of another campaign is ignored. */
async function summaryOf(old: OldFiles, { entry, sentAt }: OldCampaign): Promise<string | null> {
  const summary = fieldsIn(parsed(await textOf(old, `${FOLDER}/${entry}.summary.json`)));
  return summary?.sent_at === sentAt ? JSON.stringify(summary) : null;
}

const IMPORT = 'register.import';

/**
 * Throws FileError if contacts are kept for an entry that the register does not have: it has lost lines. Those of the next entry may stand
 * there, for a program may have been killed before it wrote the line; and those that an import has left.
 */
export async function requireNoOthers(old: OldFiles, lastEntry: number): Promise<void> {
  const { first, last } = await importLeft(old);
  const isLeft = (entry: number) => lastEntry < last && entry >= first && entry <= last;
  for (const name of await old.names(FOLDER)) {
    const [, digits = '', ending = ''] = /^([1-9]\d{0,14})\.(jsonl|phones)$/.exec(name) ?? [];
    const entry = Number(digits);
    if (entry <= lastEntry + (ending === 'jsonl' ? 1 : 0) || isLeft(entry)) continue;
    const end = lastEntry === 0 ? 'records no request' : `ends with entry ${lastEntry}`;
    throw damagedRegister(
      `${old.nameOf('register.jsonl')} ${end}, but the contacts of entry ${entry} are kept in ${old.nameOf(`${FOLDER}/${name}`)}`,
    );
  }
}

/** The entries that an import was taking over when it was killed. */
async function importLeft(old: OldFiles): Promise<{ first: number; last: number }> {
  if (!(await old.names('')).has(IMPORT)) return { first: 0, last: 0 };
  const [, first, last] = /^\{"first":(\d{1,15}),"last":(\d{1,15})\}\n$/.exec(await textOf(old, IMPORT)) ?? [];
  if (first !== undefined && last !== undefined) return { first: Number(first), last: Number(last) };
  throw damagedRegister(
    `${old.nameOf(IMPORT)} is damaged: it does not name the entries of an import that was stopped`,
    `Remove it, and the files in ${old.nameOf(FOLDER)} with numbers above the last entry of the register. Then import again.`,
  );
}
