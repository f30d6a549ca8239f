/**
 * The contacts of campaigns, as they were kept beside the register: `campaigns/<entry>.jsonl` and `.rows.jsonl`, and
 * what came of them.
 */
import type { Contact } from '../../contract.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { fieldsIn, parsed, textsIn } from '../../text/parsed.ts';
import { calledBy } from '../called.ts';
import { contactRow, textsOf } from '../contact-rows.ts';
import { addRows, changing, type Row } from '../tables.ts';
import { damagedRegister, inPages, type OldFiles, phoneIn, textOf } from './old-files.ts';

export interface OldCampaign {
  entry: number;
  /** How many contacts it has, and the hash of their numbers. */
  count: number;
  numbers_sha256: string;
  /** As it was written. */
  sentAt: unknown;
}

const FOLDER = 'campaigns';

export async function bringContacts(old: OldFiles, sql: Sql, campaigns: readonly OldCampaign[]): Promise<void> {
  const names = await old.names(FOLDER);
  for (const campaign of campaigns) {
    const { entry } = campaign;
    const path = `${FOLDER}/${entry}.jsonl`;
    if (campaign.count > 0 && !names.has(`${entry}.jsonl`)) throw missing(old.nameOf(path), entry);
    const rows = names.has(`${entry}.rows.jsonl`) ? await oldRows(old, `${FOLDER}/${entry}.rows.jsonl`) : undefined;
    if (names.has(`${entry}.jsonl`)) await bringThose(old, sql, campaign, rows);
    await rows?.requireEnd();
    const summary = names.has(`${entry}.summary.json`) ? await summaryOf(old, campaign) : null;
    if (rows === undefined && summary === null) continue;
    const columns = rows === undefined ? null : JSON.stringify(rows.columns);
    await sql.run(...changing('requests', { entry }, { columns, summary }));
  }
}

async function bringThose(
  old: OldFiles,
  sql: Sql,
  { entry, count, numbers_sha256 }: OldCampaign,
  rows: OldRows | undefined,
): Promise<void> {
  const path = `${FOLDER}/${entry}.jsonl`;
  const numbers: number[] = [];
  const take = (row: Row | undefined, position: number): Row => {
    if (row === undefined)
      throw damagedRegister(`${old.nameOf(path)}: line ${position + 1} is damaged: it is not a contact`);
    numbers.push(Number(String(row.number).slice(1)));
    return { ...row, entry, position };
  };
  for await (const page of inPages(oldContacts(old.lines(path), rows, take)))
    await addRows(sql, 'request_contacts', page);
  if (numbers.length !== count || calledBy(Float64Array.from(numbers)).numbersSha256 !== numbers_sha256)
    throw damagedRegister(`${old.nameOf(path)} is damaged: its numbers are not those that were sent`);
}

/** Rows of a table; `take` makes them, and throws for what is not the contact that was written. */
export async function* oldContacts(
  lines: AsyncIterable<string>,
  rows: OldRows | undefined,
  take: (row: Row | undefined, position: number, text: string) => Row,
): AsyncGenerator<Row, void> {
  let position = 0;
  for await (const text of lines) {
    const row = take(contactIn(text), position++, text);
    yield { ...row, cells: (await rows?.next()) ?? null };
  }
}

function contactIn(text: string): Row | undefined {
  const contact = fieldsIn(parsed(text)) as unknown as Contact | undefined;
  if (contact === undefined || phoneIn(contact.phone_number) === null) return undefined;
  const areTexts = textsOf(contact).every((value) => value === undefined || typeof value === 'string');
  return areTexts ? contactRow(contact) : undefined;
}

function missing(name: string, entry: number): Error {
  return damagedRegister(`${name} is missing, with the contacts that entry ${entry} of the register called`);
}

/** The original rows of contacts, in their order. */
interface OldRows {
  columns: readonly string[];
  /** The cells of the next row, as JSON. */
  next(): Promise<string>;
  requireEnd(): Promise<void>;
}

/** The columns stand in the first line. */
export async function oldRows(old: OldFiles, path: string): Promise<OldRows> {
  const lines = old.lines(path);
  const nextLine = async () => (await lines.next()).value ?? undefined;
  const damaged = (why: string) =>
    damagedRegister(
      `${old.nameOf(path)} is damaged: ${why}`,
      'Put it back as it was, or move it away to go on without the original columns. Nobody is called until then.',
    );
  const columns = textsIn(fieldsIn(parsed(await nextLine()))?.columns);
  if (columns === undefined) throw damaged('its first line does not name the columns');
  let line = 1;
  return {
    columns,
    async next() {
      line++;
      const text = await nextLine();
      if (text !== undefined && textsIn(parsed(text))?.length === columns.length) return text.trimEnd();
      throw damaged(`line ${line} is not a row of ${columns.length} cells`);
    },
    async requireEnd() {
      if ((await nextLine()) !== undefined) throw damaged('it holds more rows than contacts');
    },
  };
}

/** What came of one that is over; a summary of another campaign is ignored. */
async function summaryOf(old: OldFiles, { entry, sentAt }: OldCampaign): Promise<string | null> {
  const summary = fieldsIn(parsed(await textOf(old, `${FOLDER}/${entry}.summary.json`)));
  return summary?.sent_at === sentAt ? JSON.stringify(summary) : null;
}

const IMPORT = 'register.import';

/**
 * Throws FileError if contacts are kept for an entry that the register does not have: it has lost lines. Those of the
 * next entry may stand there, for a program may have been killed before it wrote the line; and those that an import has
 * left.
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
