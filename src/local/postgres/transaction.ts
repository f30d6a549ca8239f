/** A transaction over one organization: the engine changes its state in memory, and all that follows is written in few statements. */
import type { Contact, DocumentedCall } from '../../contract.ts';
import type { Client } from '../../database/database.ts';
import { costOf } from '../../engine/calls.ts';
import { type CampaignQueues, nextEvent } from '../../engine/campaigns.ts';
import type { State } from '../../engine/state.ts';
import { FileError } from '../../errors.ts';
import type { Transaction } from '../store.ts';
import { damaged } from './damage.ts';
import { replaceState } from './organization-rows.ts';
import { type Range, ReadAheadQueues, type Taken } from './queues.ts';
import {
  type CampaignRow,
  type ContactRow,
  campaignColumns,
  contactOf,
  type EngineRow,
  type Kept,
  organizationColumns,
} from './rows.ts';
import { insertWalletChanges, type WalletChange } from './wallet.ts';

/**
 * Dials for which contacts are read ahead, of all campaigns together; of one at least and at most so many. Whoever takes an organization
 * over from another program has read none, and soon leaves it to the next.
 */
const READ_AHEAD = 20_000;
const LEAST_READ = 50;
const MOST_READ = 1_000;
/** Rows of one statement. */
const ROWS_AT_ONCE = 2_000;
/** Dials that are written while the next ones are made. */
const PIECE = 250;
const CALL_COLUMNS = `organization_id, call_number, agent_id, agent_call, at, called_to, call_from, call_duration, call_status,
  call_outcome, transcript, recording_url, campaign_id, contact, attempt, charge`;

interface Placed {
  entry: DocumentedCall;
  /** Millionths. */
  charge: number;
  taken: Taken | undefined;
}

export class OpenTransaction implements Transaction {
  readonly #client: Client;
  readonly #kept: Kept;
  readonly #onFinished: () => void;
  #taken: Taken | undefined;
  #placed: Placed[] = [];
  #newContacts: { campaignId: number; contacts: readonly Contact[] }[] = [];
  /** Agents with calls that their rows do not count yet. */
  readonly #callers = new Set<number>();
  #hasWritten = false;
  /** What the wallet holds by all movements that are known, in millionths. */
  #balance: number;
  readonly #walletChanges: WalletChange[] = [];
  /** The statements under way: what happens next is computed meanwhile. */
  #writing: Promise<unknown> = Promise.resolve();

  /** `onFinished` is called when nothing but the commit is left to do: `kept` is then what will be there. */
  constructor(client: Client, kept: Kept, onFinished: () => void) {
    this.#client = client;
    this.#kept = kept;
    this.#onFinished = onFinished;
    this.#balance = kept.state.organization.balance;
    for (const queue of kept.queues.values()) this.#watch(queue);
  }

  get state(): State {
    return this.#kept.state;
  }

  appendCall(entry: DocumentedCall): void {
    const charge = costOf(entry.call_status, entry.call_duration, this.state.scenario);
    this.#balance -= charge;
    this.#placed.push({ entry, charge, taken: this.#taken });
    this.#taken = undefined;
  }

  /** After each change: whatever moved the wallet besides its calls is a movement of its own. */
  bookChange(): void {
    const { organization, clock } = this.state;
    const amount = organization.balance - this.#balance;
    if (amount !== 0) this.#walletChanges.push({ kind: amount > 0 ? 'top_up' : 'correction', at: clock.last, amount });
    this.#balance = organization.balance;
  }

  addContacts(campaignId: number, contacts: readonly Contact[]): void {
    this.#newContacts.push({ campaignId, contacts });
    this.#kept.retriesOf.set(campaignId, { added: 0, taken: 0 });
  }

  queuesOf(campaignId: number): CampaignQueues {
    return this.#queueOf(campaignId);
  }

  /** Others who give ids wait until the commit. */
  async issueIds<T>(change: () => T): Promise<T> {
    const { rows } = await this.#client.query<EngineRow>(
      'select next_agent_id, next_campaign_id from engine for update',
    );
    const [row] = rows;
    if (row === undefined) throw damaged('the table engine is empty');
    const { state } = this;
    state.next_agent_id = Math.max(state.next_agent_id, Number(row.next_agent_id));
    state.next_campaign_id = Math.max(state.next_campaign_id, Number(row.next_campaign_id));
    const result = change();
    // A copy of an organization brings counts of its own, which may be behind.
    await this.#client.query(
      `update engine set next_agent_id = greatest(next_agent_id, $1), next_campaign_id = greatest(next_campaign_id, $2)`,
      [state.next_agent_id, state.next_campaign_id],
    );
    return result;
  }

  /** Begins to write what has happened, and reads ahead what may be dialled next. */
  async prepare(): Promise<number> {
    await this.#flush();
    const live = this.state.campaigns.filter((campaign) => nextEvent(campaign) !== undefined);
    if (live.length === 0) return PIECE;
    const count = Math.min(MOST_READ, Math.max(LEAST_READ, Math.floor(READ_AHEAD / live.length)));
    const least = Math.min(PIECE, count);
    const missing = live.flatMap(({ campaign_id }) => {
      const queue = this.#queueOf(campaign_id);
      const ranges = queue.missing(least, count);
      return ranges === undefined ? [] : [{ queue, ...ranges }];
    });
    if (missing.length > 0) await this.#readAhead(missing);
    return least;
  }

  async #readAhead(missing: readonly { queue: ReadAheadQueues; contacts: Range; retries: Range }[]): Promise<void> {
    // What is read may have been written a moment ago.
    await this.#writing;
    const ids = missing.map(({ queue }) => queue.campaignId);
    const contacts = await this.#contacts(
      ids,
      missing.map((one) => one.contacts),
    );
    const retries = await this.#retries(
      ids,
      missing.map((one) => one.retries),
    );
    for (const { queue } of missing) {
      queue.give(
        (contacts.get(queue.campaignId) ?? []).map(contactOf),
        (retries.get(queue.campaignId) ?? []).map(({ contact, attempt, due, ...texts }) => ({
          index: Number(contact),
          attempt: Number(attempt),
          due: Number(due),
          contact: contactOf(texts),
        })),
      );
    }
  }

  /** Begins to write calls, contacts and retries that are not in the database yet, when what was begun before is there. */
  async #flush(): Promise<void> {
    await this.#writing;
    const [placed, newContacts] = [this.#placed, this.#newContacts];
    this.#placed = [];
    this.#newContacts = [];
    const calls = this.#callRows(placed);
    const retries = this.#retryRows();
    this.#writing = this.#write(newContacts, calls, retries);
    // Whoever waits for it is told; until then nobody may be waiting.
    this.#writing.catch(() => {});
  }

  async #write(
    newContacts: readonly { campaignId: number; contacts: readonly Contact[] }[],
    calls: readonly object[],
    retries: readonly object[],
  ): Promise<void> {
    for (const { campaignId, contacts } of newContacts) await this.#writeContacts(campaignId, contacts);
    await this.#insert('calls', CALL_COLUMNS, calls);
    await this.#insert('retries', 'campaign_id, number, contact, attempt, due', retries);
  }

  /** Writes everything that has changed; `commitId` is another one than before. */
  async finish(commitId: string): Promise<void> {
    await this.#flush();
    await this.#writing;
    await this.#writeAgents();
    await this.#writeCampaigns();
    await insertWalletChanges(this.#client, this.state.organization.organization_id, this.#walletChanges);
    const { state, written } = this.#kept;
    const organization = JSON.stringify(organizationColumns(state));
    if (this.#hasWritten || organization !== written.organization) {
      await replaceState(this.#client, state, commitId);
      written.organization = organization;
      this.#kept.commitId = commitId;
    }
    this.#onFinished();
  }

  #queueOf(campaignId: number): ReadAheadQueues {
    const { queues, retriesOf } = this.#kept;
    let queue = queues.get(campaignId);
    if (queue === undefined) {
      const campaign = this.state.campaigns.find(({ campaign_id }) => campaign_id === campaignId);
      const retries = retriesOf.get(campaignId);
      if (campaign === undefined || retries === undefined) throw new Error(`campaign ${campaignId} is not there`);
      const standing = { nextContact: campaign.next_contact, totalContacts: campaign.total_contacts, ...retries };
      queue = new ReadAheadQueues(campaignId, standing);
      this.#watch(queue);
      queues.set(campaignId, queue);
    }
    return queue;
  }

  #watch(queue: ReadAheadQueues): void {
    queue.onTaken = (taken) => {
      this.#taken = taken;
    };
  }

  // Reading ahead ------------------------------------------------------------------------------------------------------

  async #contacts(ids: readonly number[], ranges: readonly Range[]): Promise<Map<number, ContactRow[]>> {
    if (ranges.every(({ count }) => count === 0)) return new Map();
    const { rows } = await this.#client.query(
      `select c.* from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as w (id, first, many)
         join contacts c on c.campaign_id = w.id and c.contact >= w.first and c.contact < w.first + w.many
       order by c.campaign_id, c.contact`,
      [ids, ranges.map(({ from }) => from), ranges.map(({ count }) => count)],
    );
    return byCampaign(rows);
  }

  async #retries(
    ids: readonly number[],
    ranges: readonly Range[],
  ): Promise<Map<number, (ContactRow & { attempt: string; due: string })[]>> {
    if (ranges.every(({ count }) => count === 0)) return new Map();
    const { rows } = await this.#client.query(
      `select c.*, r.attempt, r.due from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as w (id, first, many)
         join retries r on r.campaign_id = w.id and r.number >= w.first and r.number < w.first + w.many
         join contacts c on c.campaign_id = r.campaign_id and c.contact = r.contact
       order by r.campaign_id, r.number`,
      [ids, ranges.map(({ from }) => from), ranges.map(({ count }) => count)],
    );
    return byCampaign(rows);
  }

  // Writing ------------------------------------------------------------------------------------------------------------

  async #insert(table: string, columns: string, rows: readonly object[]): Promise<void> {
    if (rows.length > 0) this.#hasWritten = true;
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      const json = storable(JSON.stringify(rows.slice(at, at + ROWS_AT_ONCE)), table);
      await this.#client.query({
        name: `insert ${table}`,
        text: `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
        values: [json],
      });
    }
  }

  async #writeContacts(campaign_id: number, contacts: readonly Contact[]): Promise<void> {
    const columns = 'campaign_id, contact, phone_number, custom_first_line, custom_instruction, custom_identifiers';
    for (let first = 0; first < contacts.length; first += ROWS_AT_ONCE) {
      const rows = contacts.slice(first, first + ROWS_AT_ONCE).map((contact, at) => {
        const { phone_number, custom_first_line, custom_instruction, custom_identifiers } = contact;
        return {
          campaign_id,
          contact: first + at,
          phone_number,
          custom_first_line,
          custom_instruction,
          custom_identifiers,
        };
      });
      await this.#insert('contacts', columns, rows);
    }
  }

  /** The last calls of the organization, in the order in which their numbers were given. */
  #callRows(placed: readonly Placed[]): object[] {
    const { organization_id } = this.state.organization;
    const { callsOf } = this.#kept;
    let call_number = this.state.next_call_number - placed.length;
    return placed.map(({ entry: { call_id: _named, timestamp, ...entry }, charge, taken }) => {
      const agent_call = (callsOf.get(entry.agent_id) ?? 0) + 1;
      callsOf.set(entry.agent_id, agent_call);
      this.#callers.add(entry.agent_id);
      const of = taken && { campaign_id: taken.campaignId, contact: taken.contact, attempt: taken.attempt };
      return { organization_id, call_number: call_number++, agent_call, at: timestamp, ...entry, ...of, charge };
    });
  }

  #retryRows(): object[] {
    return [...this.#kept.queues.values()].flatMap((queue) => {
      const { first, retries } = queue.takeUnwritten();
      return retries.map(({ index, attempt, due }, at) => {
        return { campaign_id: queue.campaignId, number: first + at, contact: index, attempt, due };
      });
    });
  }

  async #writeCampaigns(): Promise<void> {
    const { organization_id } = this.state.organization;
    const { written } = this.#kept;
    const changed = this.state.campaigns.flatMap((campaign) => {
      const text = JSON.stringify(campaign);
      const before = written.campaigns.get(campaign.campaign_id);
      if (text === before) return [];
      written.campaigns.set(campaign.campaign_id, text);
      const retries =
        this.#kept.queues.get(campaign.campaign_id)?.counts ?? this.#kept.retriesOf.get(campaign.campaign_id);
      const { added = 0, taken = 0 } = retries ?? {};
      const counts = { retries_added: added, retries_taken: taken };
      return [{ organization_id, ...campaignColumns(campaign), ...counts } as Record<string, unknown>];
    });
    await this.#replace('campaigns', 'campaign_id', changed);
  }

  async #writeAgents(): Promise<void> {
    const { organization_id } = this.state.organization;
    const { agents: written } = this.#kept.written;
    const changed = this.state.agents.flatMap((agent) => {
      const text = JSON.stringify(agent);
      if (text === written.get(agent.agent_id)) return [];
      written.set(agent.agent_id, text);
      return [{ organization_id, ...agent } as Record<string, unknown>];
    });
    await this.#replace('agents', 'agent_id', changed);
    // Only the copy of another store lacks an agent that was there.
    const left = new Set(this.state.agents.map(({ agent_id }) => agent_id));
    const gone = [...written.keys()].filter((agentId) => !left.has(agentId));
    if (gone.length > 0) await this.#client.query('delete from agents where agent_id = any($1)', [gone]);
    for (const agentId of gone) written.delete(agentId);
    const callers = [...this.#callers].filter((agentId) => left.has(agentId));
    if (callers.length === 0) return;
    await this.#client.query({
      name: 'count calls of agents',
      text: 'update agents a set calls = n.calls from unnest($1::bigint[], $2::bigint[]) as n (id, calls) where a.agent_id = n.id',
      values: [callers, callers.map((agentId) => this.#kept.callsOf.get(agentId))],
    });
  }

  /** Inserts rows, or gives those that are there new values. */
  async #replace(table: string, key: string, rows: readonly Record<string, unknown>[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    this.#hasWritten = true;
    const columns = Object.keys(first);
    const set = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
    await this.#client.query(
      `insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')}
         from json_populate_recordset(null::${table}, $1) on conflict (${key}) do update set ${set.join(', ')}`,
      [storable(JSON.stringify(rows), table)],
    );
  }
}

/** A character that is none, or half a one, as JSON writes it: behind an even number of backslashes. */
const NO_TEXT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** Throws FileError where a text is none for the database, which a file would keep. */
function storable(json: string, table: string): string {
  // Most texts have no such character at all, and that is seen much faster.
  if (!json.includes('\\u') || !NO_TEXT.test(json)) return json;
  throw new FileError(`A text of ${table} holds a character that PostgreSQL cannot keep: U+0000, or half of a pair.`, {
    hint: 'Nothing was changed. Take it out.',
  });
}

function byCampaign<Row extends Pick<CampaignRow, 'campaign_id'>>(rows: readonly Row[]): Map<number, Row[]> {
  const found = new Map<number, Row[]>();
  for (const row of rows) {
    const id = Number(row.campaign_id);
    const known = found.get(id);
    if (known === undefined) found.set(id, [row]);
    else known.push(row);
  }
  return found;
}
