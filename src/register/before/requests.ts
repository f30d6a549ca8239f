/** `register.jsonl` and what was kept of each campaign, as rows. */
import type { Sql, Value } from '../../database/sql.ts';
import { fieldsIn } from '../../text/parsed.ts';
import { requestIn } from '../request-rows.ts';
import { serviceKey } from '../service-key.ts';
import { bringContacts, type OldCampaign, requireNoOthers } from './contacts.ts';
import { damagedRegister, type OldFiles } from './old-files.ts';
import { isCount, isTorn, type OldEnded, type OldSent, oldLine } from './old-lines.ts';
import { phoneIn } from './phones.ts';

export const REGISTER = 'register.jsonl';

const COLUMNS = [
  ...['entry', 'operation', 'sent_at', 'sent_by', 'service', 'service_key', 'organization_id', 'request'],
  ...['campaign_name', 'phone', 'contacts', 'numbers_sha256', 'file', 'file_sha256'],
  ...['plan_id', 'wave', 'plan_created_at', 'forgotten_at', 'forgotten_elsewhere'],
  ...['campaign_id', 'outcome', 'reply', 'ended_at', 'clock_ahead'],
];
type Row = Record<string, Value>;
const NOTHING: Row = Object.fromEntries([...COLUMNS, 'summary'].map((column) => [column, null]));
const OUTCOMES = new Set(['accepted', 'refused', 'not_sent']);

export async function bringRequests(old: OldFiles, sql: Sql): Promise<void> {
  const reader = new Reader(old.nameOf(REGISTER));
  // A number that stands there twice is found by the count.
  const add = (rows: readonly Value[][]) => sql.insert('requests', COLUMNS, rows, 'on conflict do nothing');
  if ((await old.names('')).has(REGISTER)) {
    for await (const lines of old.lines(REGISTER)) await add(reader.take(lines));
    await add(reader.unended());
  }
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

  /** The requests that have ended. */
  take(lines: readonly string[]): Value[][] {
    const rows: Value[][] = [];
    for (const text of lines) {
      this.#lines++;
      const line = oldLine(text);
      if (line === undefined && !text.endsWith('\n') && isTorn(text)) break;
      if (line === undefined) throw this.#damaged();
      this.lastEntry = Math.max(this.lastEntry, line.entry);
      if (line.event === 'sent') this.#begin(line);
      else {
        const sent = this.#open.get(line.entry);
        if (sent !== undefined) rows.push(this.#end(sent, line));
      }
    }
    return rows;
  }

  /** Those of which it does not say how they ended. */
  unended(): Value[][] {
    return [...this.#open.values()].map((sent) => this.#end(sent, undefined));
  }

  #begin(sent: OldSent): void {
    if (this.#open.has(sent.entry)) throw this.#damaged();
    this.#open.set(sent.entry, sent);
    this.count++;
  }

  #end(sent: OldSent, ended: OldEnded | undefined): Value[] {
    this.#open.delete(sent.entry);
    const outcome = ended && (OUTCOMES.has(ended.outcome) ? ended.outcome : 'unknown');
    const isRefused = outcome === 'refused' || outcome === 'not_sent';
    if (!sent.isCall && sent.fields.forgotten === undefined && !isRefused) {
      const { entry, contacts } = sent;
      this.campaigns.push({ entry, ...contacts, sentAt: sent.fields.at });
    }
    const row: Row = { ...NOTHING, ...sentRow(sent), ...endedRow(ended), outcome: outcome ?? null };
    if (outcome !== 'accepted') row.campaign_id = null;
    this.#requireRequest(row);
    return COLUMNS.map((column) => row[column] ?? null);
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

function sentRow(sent: OldSent): Row {
  const { entry, operation, at, service, organizationId, request, contacts, fields } = sent;
  const { file, file_sha256 } = fieldsIn(fields.contacts) ?? {};
  const plan = fieldsIn(fields.plan);
  const isWave = isCount(plan?.id) && isCount(plan.wave);
  return {
    ...{ entry, operation, sent_at: at, sent_by: textIn(fields.by) ?? '', service, service_key: serviceKey(service) },
    organization_id: organizationId,
    request: JSON.stringify(request),
    ...(sent.isCall ? { phone: phoneIn(request.called_to) } : { campaign_name: textIn(request.campaign_name) }),
    contacts: contacts.count,
    numbers_sha256: contacts.sha256,
    file: textIn(file),
    file_sha256: textIn(file_sha256),
    ...(isWave && { plan_id: plan.id as number, wave: plan.wave as number, plan_created_at: timeOf(plan.created_at) }),
    forgotten_at: fields.forgotten === undefined ? null : (timeOf(fields.forgotten) ?? at),
    forgotten_elsewhere: fields.forgotten_elsewhere === true ? 1 : null,
  };
}

function endedRow(ended: OldEnded | undefined): Row {
  if (ended === undefined) return {};
  const answer = fieldsIn(ended.fields.answer) ?? {};
  const { campaign_id } = answer;
  const ahead = Math.round(Number(ended.fields.clock_ahead));
  return {
    reply: JSON.stringify(answer),
    ended_at: ended.at,
    clock_ahead: Number.isSafeInteger(ahead) ? ahead : null,
    campaign_id: Number.isSafeInteger(campaign_id) ? (campaign_id as number) : null,
  };
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function timeOf(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
