/**
 * Brings the register and the plans of an earlier vagent into rows: `register.jsonl`, and what was kept of each campaign. Its lists
 * of people to call again lasted a day, and are left out: then the guards are as strict as without them.
 */
import type { Sql } from '../../storage/database/sql.ts';
import { fieldsIn } from '../../text/parsed.ts';
import { endRow, requestIn, requestRow } from '../request-rows.ts';
import { addRows, emptyRow, type Row } from '../tables.ts';
import { bringContacts, type OldCampaign, requireNoOthers } from './contacts.ts';
import { damagedRegister, inPages, type OldFiles, phoneIn } from './old-files.ts';
import { isTorn, type OldEnded, type OldSent, oldLine, timeIn } from './old-lines.ts';
import { bringOptedOut } from './opted-out.ts';

export const REGISTER = 'register.jsonl';

const NOTHING = emptyRow('requests');
const OUTCOMES = ['accepted', 'refused', 'not_sent'] as const;

/** What brings something of old files into rows. */
export type Bringing = (old: OldFiles, sql: Sql) => Promise<void>;

/** In the transaction that makes the tables. Throws FileErrors. */
export async function bringOver(old: OldFiles, sql: Sql, bringPlans: Bringing): Promise<void> {
  await bringOptedOut(old, sql);
  await bringRequests(old, sql);
  await bringPlans(old, sql);
}

async function bringRequests(old: OldFiles, sql: Sql): Promise<void> {
  const reader = new Reader(old.nameOf(REGISTER));
  if ((await old.names('')).has(REGISTER))
    // A number that stands there twice is found by the count.
    for await (const page of inPages(reader.requests(old.lines(REGISTER))))
      await addRows(sql, 'requests', page, 'on conflict do nothing');
  const [row] = await sql.all<{ count: number }>('select count(*) as count from requests');
  if (row !== undefined && row.count < reader.count)
    throw damagedRegister(`${old.nameOf(REGISTER)} has the number of an entry twice`);
  await requireNoOthers(old, reader.lastEntry);
  await bringContacts(old, sql, reader.campaigns);
}

class Reader {
  readonly #name: string;
  readonly #open = new Map<number, OldSent>();
  /** Those that somebody may have been called by, and is known. */
  readonly campaigns: OldCampaign[] = [];
  lastEntry = 0;
  count = 0;
  #lines = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** As they ended; and at last those of which it does not say how. */
  async *requests(lines: AsyncIterable<string>): AsyncGenerator<Row, void> {
    for await (const text of lines) {
      this.#lines++;
      const line = oldLine(text);
      if (line === undefined && !text.endsWith('\n') && isTorn(text)) break;
      if (line === undefined) throw this.#damaged();
      this.lastEntry = Math.max(this.lastEntry, line.entry);
      const sent = this.#open.get(line.entry);
      if (line.event === 'sent') this.#begin(line);
      else if (sent !== undefined) yield this.#end(sent, line);
    }
    for (const sent of this.#open.values()) yield this.#end(sent, undefined);
  }

  #begin(sent: OldSent): void {
    if (this.#open.has(sent.entry)) throw this.#damaged();
    this.#open.set(sent.entry, sent);
    this.count++;
  }

  #end(sent: OldSent, ended: OldEnded | undefined): Row {
    this.#open.delete(sent.entry);
    const row: Row = { ...NOTHING, ...sentRow(sent), ...(ended && endedRow(ended)) };
    const { entry, intent, fields } = sent;
    const isRefused = row.outcome === 'refused' || row.outcome === 'not_sent';
    if (intent.operation === 'createCampaign' && fields.forgotten === undefined && !isRefused)
      this.campaigns.push({ entry, ...intent.contacts, sentAt: fields.at });
    this.#requireRequest(row);
    return row;
  }

  /** What a request must have was not looked at by every earlier vagent. */
  #requireRequest(row: Row): void {
    try {
      requestIn(row);
    } catch {
      throw damagedRegister(`${this.#name}: entry ${row.entry} is damaged: it is no request that can be read`);
    }
  }

  #damaged(): Error {
    return damagedRegister(`${this.#name}: line ${this.#lines} is damaged: it is not an entry of the register`);
  }
}

function sentRow({ entry, at, intent, fields }: OldSent): Row {
  return {
    ...requestRow(entry, intent, at),
    ...(intent.operation === 'triggerCall' && { phone: phoneIn(intent.request.called_to) }),
    forgotten_at: fields.forgotten === undefined ? null : (timeIn(fields.forgotten) ?? at),
    forgotten_elsewhere: fields.forgotten_elsewhere === true ? 1 : null,
  };
}

function endedRow({ at, outcome: said, fields }: OldEnded): Row {
  const outcome = OUTCOMES.find((known) => known === said) ?? 'unknown';
  const ahead = Math.round(Number(fields.clock_ahead));
  const clock = Number.isSafeInteger(ahead) ? { clock_ahead: ahead } : {};
  const { campaign_id, ...row } = endRow({ outcome, answer: fieldsIn(fields.answer) ?? {}, ...clock }, at);
  return { ...row, ...(outcome === 'accepted' && { campaign_id }) };
}
