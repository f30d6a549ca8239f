/** What a transaction over one organization reads and writes, in few statements. */
import type { Contact } from '../../contract.ts';
import type { Retry } from '../../engine/campaigns.ts';
import { callNumber } from '../../engine/policy.ts';
import type { Campaign, State } from '../../engine/state.ts';
import type { Client } from '../../storage/database/connection.ts';
import type { Placed, ReadAheadQueues } from '../queues.ts';
import { damaged, type GivenIds, goOnAfter } from '../store.ts';
import type { Found, Piece, PlacedCall, Wanted, Work } from '../transaction.ts';
import { keepRows } from './campaign-rows.ts';
import { EMPTY_ENGINE, type Kept, type Retries } from './kept.ts';
import {
  type ContactRow,
  campaignColumns,
  contactRows,
  insertRows,
  insertWalletChanges,
  organizationColumns,
  type RetryRow,
  type Row,
  replaceState,
  soundContact,
  storable,
} from './rows.ts';

const CALL_COLUMNS = `organization_id, call_number, agent_id, agent_call, at, called_to, call_from, call_duration, call_status,
  call_outcome, transcript, recording_url, campaign_id, contact, attempt, charge`;
const CONTACT_COLUMNS = 'campaign_id, contact, phone_number, custom_first_line, custom_instruction, custom_identifiers';

/** Reads rows of campaigns ($1), from one on ($2), so many and one more ($3). */
const AHEAD = {
  contacts: `select c.* from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as w (id, first, many)
       join contacts c on c.campaign_id = w.id and c.contact >= w.first and c.contact <= w.first + w.many
     order by c.campaign_id, c.contact`,
  retries: `select c.*, r.number, r.attempt, r.due, b.called_to as called_before, b.call_status = 'completed' as was_reached,
            f.attempt is not null as is_known, m.attempt is not null as is_made from unnest($1::bigint[],
            $2::bigint[], $3::bigint[]) as w (id, first, many)
       join retries r on r.campaign_id = w.id and r.number >= w.first and r.number <= w.first + w.many
       join contacts c on c.campaign_id = r.campaign_id and c.contact = r.contact
       left join calls b on b.campaign_id = r.campaign_id and b.contact = r.contact and b.attempt = r.attempt - 1
       left join calls f on f.campaign_id = r.campaign_id and f.contact = 0 and f.attempt = 1
       left join calls m on m.campaign_id = r.campaign_id and m.contact = r.contact and m.attempt = r.attempt
     order by r.campaign_id, r.number`,
};

export interface Opening {
  client: Client;
  kept: Kept;
  /** Runs a short transaction in which ids are counted up. */
  giveIds: <T>(body: (client: Client) => Promise<T>) => Promise<T>;
}

export class PostgresWork implements Work {
  readonly #of: Opening;
  /** Agents with calls that their rows do not count yet. */
  readonly #callers = new Set<number>();
  #hasWritten = false;

  constructor(of: Opening) {
    this.#of = of;
  }

  get state(): State {
    return this.#of.kept.state;
  }

  /** Nobody else who gives ids waits for this commit; if it fails, the ids are given to nobody. */
  async issueIds<T>(change: () => T): Promise<T> {
    return await this.#of.giveIds(async (client) => {
      const { rows } = await client.query<GivenIds>('select next_agent_id, next_campaign_id from engine for update');
      const [row] = rows;
      if (row === undefined) throw damaged(EMPTY_ENGINE);
      const { state } = this;
      goOnAfter(state, row);
      const result = change();
      const given = [state.next_agent_id, state.next_campaign_id];
      await client.query('update engine set next_agent_id = $1, next_campaign_id = $2', given);
      return result;
    });
  }

  async read(wanted: readonly Wanted[]): Promise<Found[]> {
    const contacts = wanted.map(({ queue, contacts: { from = queue.campaign.next_contact, count } }) => {
      return { queue, from, count };
    });
    const retries = wanted.map(
      ({ queue, retries: { from = this.#retriesOf(queue.campaign).retries_taken, count } }) => {
        return { queue, from, count };
      },
    );
    const contactRows = await this.#rows<ContactRow>('contacts', contacts);
    const retryRows = await this.#rows<RetryRow>('retries', retries);
    return wanted.map(({ queue }, at) => ({
      contacts: soundContacts(contacts[at] as Asked, contactRows.get(queue.campaign.campaign_id) ?? []),
      retries: this.#soundRetries(retries[at] as Asked, retryRows.get(queue.campaign.campaign_id) ?? []),
    }));
  }

  /** By campaign. */
  async #rows<R extends ContactRow>(kind: keyof typeof AHEAD, asked: readonly Asked[]): Promise<Map<number, R[]>> {
    const found = new Map<number, R[]>();
    if (asked.every(({ count }) => count === 0)) return found;
    const ids = asked.map(({ queue }) => queue.campaign.campaign_id);
    const values = [ids, asked.map(({ from }) => from), asked.map(({ count }) => count)];
    for (const row of (await this.#of.client.query<R>(AHEAD[kind], values)).rows) {
      const known = found.get(row.campaign_id);
      if (known === undefined) found.set(row.campaign_id, [row]);
      else known.push(row);
    }
    return found;
  }

  #soundRetries(asked: Asked, rows: readonly RetryRow[]): Placed<Retry>[] {
    const { queue } = asked;
    const end = this.#retriesOf(queue.campaign).retries_added;
    return soundRows(asked, end, rows, ({ number }) => number, 'retry').map((row) => {
      const { number, contact: index, attempt, due, called_before, was_reached, is_known, is_made } = row;
      const contact = soundContact(row);
      const isAfter = called_before === null ? !is_known : called_before === contact.phone_number && !was_reached;
      const retry = { index, attempt, due, contact };
      const flaw = queue.flawOf(retry) ?? (isAfter && !is_made ? undefined : 'does not follow on its calls');
      if (flaw !== undefined) throw damaged(`retry ${number} of campaign ${queue.campaign.campaign_id} ${flaw}`);
      return { value: retry, end: number + 1 };
    });
  }

  #retriesOf({ campaign_id }: Pick<Campaign, 'campaign_id'>): Retries {
    return this.#of.kept.retries.get(campaign_id) ?? { retries_added: 0, retries_taken: 0 };
  }

  async write({ contacts, calls, retries, rows, movements }: Piece): Promise<void> {
    const retryRows = retries.flatMap(([campaignId, placed]) => this.#placed(campaignId, placed));
    for (const [campaignId, added] of contacts)
      await this.#insert('contacts', CONTACT_COLUMNS, contactRows(campaignId, added));
    await this.#insert(
      'calls',
      CALL_COLUMNS,
      calls.map((call) => this.#callRow(call)),
    );
    await this.#insert('retries', 'campaign_id, number, contact, attempt, due', retryRows);
    // They refer to their campaigns.
    if (rows.length > 0) await this.#writeCampaigns();
    for (const [campaignId, file] of rows) await keepRows(this.#of.client, campaignId, file);
    await insertWalletChanges(
      this.#of.client,
      this.state.organization.organization_id,
      movements.map((movement) => ({ kind: movement.amount > 0 ? 'top_up' : 'correction', ...movement })),
    );
  }

  #placed(campaign_id: number, retries: readonly Placed<Retry>[]): Row[] {
    const { retries_added, retries_taken } = this.#retriesOf({ campaign_id });
    this.#of.kept.retries.set(campaign_id, { retries_added: retries_added + retries.length, retries_taken });
    return retries.map((placed, at) => {
      const { index: contact, attempt, due } = placed.value;
      const number = retries_added + at;
      placed.end = number + 1;
      return { campaign_id, number, contact, attempt, due };
    });
  }

  #callRow({ entry, of, charge }: PlacedCall): Row {
    const { callsOf, state } = this.#of.kept;
    const { call_id, timestamp: at, ...call } = entry;
    const agent_call = (callsOf.get(call.agent_id) ?? 0) + 1;
    callsOf.set(call.agent_id, agent_call);
    this.#callers.add(call.agent_id);
    const { organization_id } = state.organization;
    return { organization_id, call_number: callNumber(call_id), agent_call, at, ...call, ...of, charge };
  }

  /** Writes everything else that has changed; `commitId` is another one than before. */
  async finish(commitId: string): Promise<void> {
    const { state, written } = this.#of.kept;
    await this.#writeAgents();
    await this.#writeCampaigns();
    const organization = JSON.stringify(organizationColumns(state));
    if (this.#hasWritten || organization !== written.organization) {
      await replaceState(this.#of.client, state, commitId);
      written.organization = organization;
      this.#of.kept.commitId = commitId;
    }
  }

  async #insert(table: string, columns: string, rows: Iterable<Row>): Promise<void> {
    const inserted = await insertRows(this.#of.client, { table, columns, name: `insert ${table}` }, rows);
    this.#hasWritten ||= inserted > 0;
  }

  async #writeCampaigns(): Promise<void> {
    const { state, written, queues, retries } = this.#of.kept;
    for (const [campaign_id, queue] of queues) {
      const { retries_added, retries_taken } = this.#retriesOf({ campaign_id });
      retries.set(campaign_id, { retries_added, retries_taken: queue.retries.taken ?? retries_taken });
    }
    const { organization_id } = state.organization;
    const rows = unwritten(state.campaigns, 'campaign_id', written.campaigns).map((campaign) => {
      const { retries_added, retries_taken } = this.#retriesOf(campaign);
      return { organization_id, ...campaignColumns(campaign), retries_added, retries_taken };
    });
    await this.#replace('campaigns', 'campaign_id', rows);
  }

  async #writeAgents(): Promise<void> {
    const { organization_id } = this.state.organization;
    const agents = unwritten(this.state.agents, 'agent_id', this.#of.kept.written.agents);
    const rows = agents.map((agent) => ({ organization_id, ...agent }));
    await this.#replace('agents', 'agent_id', rows);
    const callers = [...this.#callers];
    if (callers.length === 0) return;
    await this.#of.client.query({
      name: 'count calls of agents',
      text: `update agents a set calls = n.calls from unnest($1::bigint[], $2::bigint[]) as n (id, calls)
               where a.agent_id = n.id`,
      values: [callers, callers.map((agentId) => this.#of.kept.callsOf.get(agentId))],
    });
  }

  /** Inserts rows, or gives those that are there new values. */
  async #replace(table: string, key: string, rows: readonly Row[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    this.#hasWritten = true;
    const columns = Object.keys(first);
    const set = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
    const { rowCount } = await this.#of.client.query(
      `insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')}
         from json_populate_recordset(null::${table}, $1) on conflict (${key}) do update set ${set.join(', ')}
         where ${table}.organization_id = excluded.organization_id`,
      [storable(rows, table)],
    );
    // An id that was given twice is never taken from whoever has it.
    if (rowCount !== rows.length) throw damaged(`ids of ${table} are given that another organization has`);
  }
}

/** Those whose rows say something else, which they will not then. */
function unwritten<R extends object>(records: readonly R[], key: keyof R, written: Map<unknown, string>): R[] {
  return records.filter((record) => {
    const text = JSON.stringify(record);
    if (written.get(record[key]) === text) return false;
    written.set(record[key], text);
    return true;
  });
}

interface Asked {
  queue: ReadAheadQueues;
  from: number;
  count: number;
}

function soundContacts(asked: Asked, rows: readonly ContactRow[]): Placed<Contact>[] {
  const { total_contacts } = asked.queue.campaign;
  return soundRows(asked, total_contacts, rows, ({ contact }) => contact, 'contact').map((row) => ({
    value: soundContact(row),
    end: row.contact + 1,
  }));
}

/**
 * The rows of a range, after which one more was read, so that it is seen whether there are more than are counted, which is up to
 * `end`. Who follows a row that is gone would be called in its place.
 */
function soundRows<R>(
  { queue, from, count }: Asked,
  end: number,
  rows: readonly R[],
  placeOf: (row: R) => number,
  name: string,
): readonly R[] {
  const at = rows.findIndex((row, place) => placeOf(row) !== from + place);
  const known = at === -1 ? rows.length : at;
  const flawed = (place: number, flaw: string) =>
    damaged(`${name} ${place} of campaign ${queue.campaign.campaign_id} ${flaw}`);
  if (known < count) throw flawed(from + known, 'is missing');
  if (count > 0 && known > count && from + count === end) throw flawed(end, 'is not counted');
  return rows.slice(0, count);
}
