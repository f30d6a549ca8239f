/**
 * What a campaign keeps for each contact: read and written some thousand rows at a time, and held in few bytes, because there
 * may be a million.
 */
import type { Contact } from '../../contract.ts';
import type { Waiting } from '../../engine/campaigns.ts';
import type { FileError } from '../../errors.ts';
import type { Client } from '../../storage/database/connection.ts';
import { linesIn } from '../../storage/files/json-lines.ts';
import { damaged, type OriginalRows } from '../store.ts';
import { type ContactRow, contactOf, insertRows, type Row } from './rows.ts';

const ROWS_AT_ONCE = 2_000;
const CONTACT = 'phone_number, custom_first_line, custom_instruction, custom_identifiers';

export async function contactsOf(client: Client, campaignId: number): Promise<Iterable<Contact>> {
  const packed = new PackedRows<Contact>();
  const sql = `select contact as place, ${CONTACT} from contacts where campaign_id = $1 and contact > $2 order by contact limit $3`;
  let count = 0;
  for await (const rows of pagesOf<ContactRow & { place: number }>(client, sql, campaignId)) {
    for (const { place } of rows) if (place !== count++) throw lacks(campaignId);
    packed.add(rows.map(contactOf));
  }
  if (count !== (await countsOf(client, campaignId)).total) throw lacks(campaignId);
  return packed;
}

/** How many contacts it has, how many of them were not dialled yet, and how many retries wait; of one that is not there, none. */
async function countsOf(client: Client, campaignId: number): Promise<Record<'total' | 'left' | 'waiting', number>> {
  const { rows } = await client.query<Record<'total' | 'left' | 'waiting', number>>(
    `select total_contacts as total, total_contacts - next_contact as "left", retries_waiting as waiting
       from campaigns where campaign_id = $1`,
    [campaignId],
  );
  return rows[0] ?? { total: 0, left: 0, waiting: 0 };
}

function lacks(campaignId: number): FileError {
  return damaged(`campaign ${campaignId} lacks contacts that it counts`);
}

/** Undefined if none were kept. */
export async function rowsOf(client: Client, campaignId: number): Promise<OriginalRows | undefined> {
  const packed = new PackedRows<string[]>();
  let columns: string[] | undefined;
  const sql =
    'select contact as place, cells from original_rows where campaign_id = $1 and contact > $2 order by contact limit $3';
  let places = COLUMNS_PLACE;
  for await (const rows of pagesOf<{ place: number; cells: string[] }>(client, sql, campaignId, COLUMNS_PLACE - 1)) {
    for (const { place } of rows) if (place !== places++) throw rowsDamaged(campaignId);
    const cells = rows.map((row) => row.cells);
    columns ??= cells.shift();
    const width = columns?.length;
    if (cells.some((row) => row.length !== width)) throw rowsDamaged(campaignId);
    packed.add(cells);
  }
  if (columns === undefined) return undefined;
  if (places !== (await countsOf(client, campaignId)).total) throw rowsDamaged(campaignId);
  return { columns, rows: packed };
}

function rowsDamaged(campaignId: number): FileError {
  return damaged(`the original rows of campaign ${campaignId} are not those of its contacts`);
}

/** Where the names of the columns stand among the original rows. */
const COLUMNS_PLACE = -1;

/** `file`: its lines, whole ones in each piece. */
export async function keepRows(client: Client, campaignId: number, file: Iterable<Buffer>): Promise<void> {
  await client.query('delete from original_rows where campaign_id = $1', [campaignId]);
  await insertRows(
    client,
    { table: 'original_rows', columns: 'campaign_id, contact, cells' },
    rowsIn(campaignId, file),
  );
}

function* rowsIn(campaign_id: number, pieces: Iterable<Buffer>): Generator<Row> {
  let contact = COLUMNS_PLACE;
  for (const piece of pieces) {
    for (const { text } of linesIn(piece)) {
      const value = JSON.parse(text) as string[] | { columns: string[] };
      yield { campaign_id, contact: contact++, cells: Array.isArray(value) ? value : value.columns };
    }
  }
}

export async function waitingOf(client: Client, campaignId: number): Promise<Waiting> {
  const numbers: string[] = [];
  const waiting = `select c.contact as place, c.phone_number from contacts c
    where c.campaign_id = $1 and c.contact > $2 and c.contact >= (select next_contact from campaigns where campaign_id = $1)
    order by c.contact limit $3`;
  for await (const rows of pagesOf<{ phone_number: string }>(client, waiting, campaignId))
    for (const { phone_number } of rows) numbers.push(phone_number);

  const retries: Waiting['retries'] = [];
  const again = `select r.number as place, r.contact, r.attempt, r.due, c.phone_number from retries r
    join contacts c on c.campaign_id = r.campaign_id and c.contact = r.contact
    where r.campaign_id = $1 and r.number > $2 and r.number >= (select retries_taken from campaigns where campaign_id = $1)
    order by r.number limit $3`;
  type Retry = Record<'contact' | 'attempt' | 'due', number> & { phone_number: string };
  const { left, waiting: count } = await countsOf(client, campaignId);
  if (numbers.length !== left) throw lacks(campaignId);
  for await (const rows of pagesOf<Retry>(client, again, campaignId)) {
    for (const { contact: index, attempt, due, phone_number } of rows)
      retries.push({ index, attempt, due, contact: { phone_number } });
  }
  if (retries.length !== count) throw damaged(`campaign ${campaignId} lacks retries that it counts`);
  return { numbers, retries };
}

/** By their `place`, after `last`. $1 is the campaign, $2 the place after which to go on, $3 how many. */
export async function* pagesOf<Row extends object>(
  client: Client,
  sql: string,
  campaignId: number,
  last = -1,
): AsyncGenerator<Row[]> {
  for (let after = last; ; ) {
    const { rows } = await client.query<Row & { place: number }>(sql, [campaignId, after, ROWS_AT_ONCE]);
    if (rows.length > 0) yield rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < ROWS_AT_ONCE) return;
    after = end.place;
  }
}

/** Rows as JSON: a million objects would take ten times as much memory. */
class PackedRows<Row> implements Iterable<Row> {
  readonly #pieces: Buffer[] = [];

  add(rows: readonly Row[]): void {
    this.#pieces.push(Buffer.from(JSON.stringify(rows)));
  }

  *[Symbol.iterator](): Iterator<Row> {
    for (const piece of this.#pieces) yield* JSON.parse(piece.toString()) as Row[];
  }
}
