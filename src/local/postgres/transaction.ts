/**
 * A transaction over one organization: the engine changes its state in memory, and all that follows is written in few
 * statements.
 */
import type { Contact, DocumentedCall } from '../../contract.ts';
import { costOf } from '../../engine/calls.ts';
import { nextEvent } from '../../engine/campaigns.ts';
import type { Campaign, State } from '../../engine/state.ts';
import type { Client } from '../../storage/database/connection.ts';
import { damaged, type GivenIds, goOnAfter, type Transaction } from '../store.ts';
import { keepRows } from './campaign-rows.ts';
import { EMPTY_ENGINE, type Kept } from './kept.ts';
import { type Ranges, ReadAheadQueues } from './queues.ts';
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
  storable,
  type WalletChange,
} from './rows.ts';

/**
 * Dials for which contacts are read ahead, of all campaigns together; of one at least and at most so many. Whoever takes an
 * organization over from another program has read none, and soon leaves it to the next.
 */
const READ_AHEAD = 20_000;
const LEAST_READ = 50;
const MOST_READ = 1_000;
/** Dials that are written while the next ones are made. */
const PIECE = 250;
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

interface Missing extends Ranges {
  queue: ReadAheadQueues;
}

export interface Opening {
  client: Client;
  kept: Kept;
  /** The most dials. */
  mayHold: number;
  /** Runs a short transaction in which ids are counted up. */
  giveIds: <T>(body: (client: Client) => Promise<T>) => Promise<T>;
  /** Called when nothing but the commit is left to do: `kept` is then what will be there. */
  onFinished: () => void;
}

export class OpenTransaction implements Transaction {
  readonly #opening: Opening;
  readonly #client: Client;
  readonly #kept: Kept;
  /** How many more dials may be made. */
  #mayHold: number;
  /** Rows that are not in the database yet: of calls, and of the contacts of each new campaign. */
  #calls: Row[] = [];
  #contacts: Iterable<Row>[] = [];
  /** Agents with calls that their rows do not count yet. */
  readonly #callers = new Set<number>();
  #hasWritten = false;
  /** What the wallet holds by all movements that are known, in millionths. */
  #balance: number;
  readonly #walletChanges: WalletChange[] = [];
  /** The statements under way: what happens next is computed meanwhile. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(opening: Opening) {
    this.#opening = opening;
    this.#client = opening.client;
    this.#kept = opening.kept;
    this.#mayHold = opening.mayHold;
    this.#balance = opening.kept.state.organization.balance;
  }

  get state(): State {
    return this.#kept.state;
  }

  /** The last one that the state counts. */
  appendCall({ call_id: _named, timestamp: at, ...entry }: DocumentedCall): void {
    const { organization, scenario, next_call_number } = this.state;
    const { callsOf, nextCall } = this.#kept;
    const charge = costOf(entry.call_status, entry.call_duration, scenario);
    this.#balance -= charge;
    this.#mayHold--;
    const agent_call = (callsOf.get(entry.agent_id) ?? 0) + 1;
    callsOf.set(entry.agent_id, agent_call);
    this.#callers.add(entry.agent_id);
    const places = { organization_id: organization.organization_id, call_number: next_call_number - 1, agent_call };
    this.#calls.push({ ...places, at, ...entry, ...nextCall.of, charge });
    nextCall.of = undefined;
  }

  /** After each change: whatever moved the wallet besides its calls is a movement of its own. */
  bookChange(): void {
    const { organization, clock } = this.state;
    const amount = organization.balance - this.#balance;
    if (amount !== 0) this.#walletChanges.push({ kind: amount > 0 ? 'top_up' : 'correction', at: clock.last, amount });
    this.#balance = organization.balance;
  }

  addContacts(campaignId: number, contacts: readonly Contact[]): void {
    this.#contacts.push(contactRows(campaignId, contacts));
    const { queues, nextCall } = this.#kept;
    const campaign = this.state.campaigns.find(({ campaign_id }) => campaign_id === campaignId) as Campaign;
    queues.set(campaignId, new ReadAheadQueues(campaign, { added: 0, taken: 0 }, nextCall));
  }

  async keepRows(campaignId: number, file: Iterable<Buffer>): Promise<void> {
    await this.#writing;
    await keepRows(this.#client, campaignId, file);
  }

  queuesOf(campaignId: number): ReadAheadQueues {
    const queue = this.#kept.queues.get(campaignId);
    if (queue === undefined) throw new Error(`campaign ${campaignId} is not there`);
    return queue;
  }

  /** Nobody else who gives ids waits for this commit; if it fails, the ids are given to nobody. */
  async issueIds<T>(change: () => T): Promise<T> {
    return await this.#opening.giveIds((client) => this.#issue(client, change));
  }

  async #issue<T>(client: Client, change: () => T): Promise<T> {
    const { rows } = await client.query<GivenIds>('select next_agent_id, next_campaign_id from engine for update');
    const [row] = rows;
    if (row === undefined) throw damaged(EMPTY_ENGINE);
    const { state } = this;
    goOnAfter(state, row);
    const result = change();
    const given = [state.next_agent_id, state.next_campaign_id];
    await client.query('update engine set next_agent_id = $1, next_campaign_id = $2', given);
    return result;
  }

  /** Begins to write what has happened, and reads ahead what may be dialled next. */
  async prepare(): Promise<number> {
    await this.#flush();
    const live = this.state.campaigns.filter((campaign) => nextEvent(campaign) !== undefined);
    const count = Math.min(MOST_READ, Math.max(LEAST_READ, Math.floor(READ_AHEAD / Math.max(1, live.length))));
    const least = Math.min(PIECE, count, this.#mayHold);
    if (least <= 0) return 0;
    const missing = live.flatMap(({ campaign_id }) => {
      const queue = this.queuesOf(campaign_id);
      const ranges = queue.missing(least, count);
      return ranges === undefined ? [] : [{ queue, ...ranges }];
    });
    if (missing.length > 0) await this.#readAhead(missing);
    return least;
  }

  async #readAhead(missing: readonly Missing[]): Promise<void> {
    // What is read may have been written a moment ago.
    await this.#writing;
    const contacts = await this.#rows<ContactRow>('contacts', missing);
    const retries = await this.#rows<RetryRow>('retries', missing);
    for (const { queue, ...ranges } of missing)
      queue.give(ranges, contacts.get(queue.campaignId) ?? [], retries.get(queue.campaignId) ?? []);
  }

  /** By campaign. */
  async #rows<R extends ContactRow>(kind: keyof typeof AHEAD, missing: readonly Missing[]): Promise<Map<number, R[]>> {
    const found = new Map<number, R[]>();
    const ranges = missing.map((one) => one[kind]);
    if (ranges.every(({ count }) => count === 0)) return found;
    const ids = missing.map(({ queue }) => queue.campaignId);
    const values = [ids, ranges.map(({ from }) => from), ranges.map(({ count }) => count)];
    for (const row of (await this.#client.query<R>(AHEAD[kind], values)).rows) {
      const known = found.get(row.campaign_id);
      if (known === undefined) found.set(row.campaign_id, [row]);
      else known.push(row);
    }
    return found;
  }

  /** Begins to write calls, contacts and retries that are not in the database yet, when what was begun before is there. */
  async #flush(): Promise<void> {
    await this.#writing;
    this.#writing = this.#write(this.#contacts, this.#calls, this.#retryRows());
    this.#calls = [];
    this.#contacts = [];
    // Whoever waits for it is told; until then nobody may be waiting.
    this.#writing.catch(() => {});
  }

  async #write(contacts: readonly Iterable<Row>[], calls: readonly Row[], retries: readonly Row[]): Promise<void> {
    for (const rows of contacts) await this.#insert('contacts', CONTACT_COLUMNS, rows);
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
    this.#opening.onFinished();
  }

  async #insert(table: string, columns: string, rows: Iterable<Row>): Promise<void> {
    const inserted = await insertRows(this.#client, { table, columns, name: `insert ${table}` }, rows);
    this.#hasWritten ||= inserted > 0;
  }

  #retryRows(): Row[] {
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
    const rows = unwritten(this.state.campaigns, 'campaign_id', written.campaigns).map((campaign) => {
      const { added, taken } = this.queuesOf(campaign.campaign_id).counts;
      return { organization_id, ...campaignColumns(campaign), retries_added: added, retries_taken: taken };
    });
    await this.#replace('campaigns', 'campaign_id', rows);
  }

  async #writeAgents(): Promise<void> {
    const { organization_id } = this.state.organization;
    const agents = unwritten(this.state.agents, 'agent_id', this.#kept.written.agents);
    const rows = agents.map((agent) => ({ organization_id, ...agent }));
    await this.#replace('agents', 'agent_id', rows);
    const callers = [...this.#callers];
    if (callers.length === 0) return;
    await this.#client.query({
      name: 'count calls of agents',
      text: `update agents a set calls = n.calls from unnest($1::bigint[], $2::bigint[]) as n (id, calls)
               where a.agent_id = n.id`,
      values: [callers, callers.map((agentId) => this.#kept.callsOf.get(agentId))],
    });
  }

  /** Inserts rows, or gives those that are there new values. */
  async #replace(table: string, key: string, rows: readonly Row[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    this.#hasWritten = true;
    const columns = Object.keys(first);
    const set = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
    const { rowCount } = await this.#client.query(
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
