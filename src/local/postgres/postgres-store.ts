/**
 * A store over PostgreSQL, of one organization: transactions over its state, snapshots, and pages. Changes that wait at the same
 * time share a commit. Failures are FileErrors; after one, the store is what it was before or what it committed.
 */
import { randomUUID } from 'node:crypto';
import type { Contact } from '../../contract.ts';
import type { Waiting } from '../../engine/campaigns.ts';
import { callsSinceReset, type State, stateAfterReset } from '../../engine/state.ts';
import { FileError, InputError, isAnswer } from '../../errors.ts';
import type { OriginalRows } from '../../files/rows.ts';
import type { CheckOptions, Snapshot, Store, StoreRepair, StoreReport, Transaction } from '../store.ts';
import { callPage } from './call-pages.ts';
import { type Client, Database } from './database.ts';
import {
  type AgentRow,
  type CampaignRow,
  type ContactRow,
  contactOf,
  type EngineRow,
  type Kept,
  keptOf,
  type OrganizationRow,
} from './rows.ts';
import { OpenTransaction } from './transaction.ts';

export interface PostgresStoreOptions {
  url: string;
  /** The most dials that are played in one commit. */
  dialsOfCommit?: number;
  /** The state with which a new store is created. */
  initial: () => State;
}

interface Job {
  change: (transaction: Transaction) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

const ORGANIZATION = 1;
/** Enough that a commit costs little, and few enough that it takes a fraction of a second. */
const DIALS_OF_COMMIT = 1_000;

export class PostgresStore implements Store {
  readonly dialsOfCommit: number;
  readonly #database: Database;
  readonly #initial: () => State;
  #waiting: Job[] = [];
  #isDraining = false;
  #isMigrated = false;

  constructor({ url, initial, dialsOfCommit = DIALS_OF_COMMIT }: PostgresStoreOptions) {
    this.dialsOfCommit = dialsOfCommit;
    this.#database = new Database(url);
    this.#initial = initial;
  }

  get location(): string {
    return this.#database.location;
  }

  transact<T>(change: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      if (!this.#isDraining) void this.#drain();
    });
  }

  async snapshot(): Promise<Snapshot> {
    const kept = await this.#database.read((client) => readKept(client, ORGANIZATION));
    const state = kept?.state ?? this.#initial();
    const last = state.next_call_number - 1;
    const known = { organizationId: ORGANIZATION, first: last - callsSinceReset(state) + 1, last };
    const read = <T>(body: (client: Client) => Promise<T>, none: T) =>
      kept === undefined ? Promise.resolve(none) : this.#database.read(body).then((found) => found ?? none);
    return {
      state,
      callPage: (filter, limit, offset) =>
        read((client) => callPage(client, known, filter, limit, offset), { calls: [], total: 0 }),
      contactsOf: (campaignId) => read((client) => contactsOf(client, campaignId), []),
      rowsOf: (campaignId) => read((client) => rowsOf(client, campaignId), undefined),
      waitingOf: (campaignId) => read((client) => waitingOf(client, campaignId), { numbers: [], retries: [] }),
    };
  }

  async keepRows(campaignId: number, file: Iterable<Buffer>): Promise<void> {
    const lines = Buffer.concat([...file])
      .toString('utf8')
      .trimEnd()
      .split('\n');
    await this.#database.write(async (client) => {
      // It may have been reset meanwhile.
      const { rowCount } = await client.query('select 1 from campaigns where campaign_id = $1 for share', [campaignId]);
      if (rowCount === 0) return;
      const [columns, ...rows] = lines.map((line) => JSON.parse(line));
      const all = [columns.columns, ...rows] as string[][];
      await client.query('delete from original_rows where campaign_id = $1', [campaignId]);
      await client.query(
        `insert into original_rows select campaign_id, contact, cells from json_populate_recordset(null::original_rows, $1)`,
        [JSON.stringify(all.map((cells, at) => ({ campaign_id: campaignId, contact: at - 1, cells })))],
      );
    });
  }

  async reset(fresh: State): Promise<void> {
    await this.#database.write(async (client) => {
      await this.#database.migrate(client);
      const before = await readKept(client, ORGANIZATION, true);
      for (const table of ['calls', 'campaigns', 'agents', 'organizations'])
        await client.query(`delete from ${table} where organization_id = $1`, [ORGANIZATION]);
      await client.query('delete from engine');
      await create(client, before === undefined ? fresh : stateAfterReset(fresh, before.state));
    });
  }

  async glance(): Promise<'new' | 'sound'> {
    const kept = await this.#database.read((client) => readKept(client, ORGANIZATION));
    return kept === undefined ? 'new' : 'sound';
  }

  async check(_options: CheckOptions): Promise<StoreReport> {
    const { checkTables } = await import('./check.ts');
    const report = await this.#database.read((client) => checkTables(client, ORGANIZATION));
    if (report !== undefined) return report;
    throw new FileError(`There is no store at ${this.location} yet.`, { reason: { kind: 'store_unreadable' } });
  }

  async repair(): Promise<StoreRepair> {
    throw new InputError('A store over PostgreSQL cannot be repaired by vagent.', {
      hint: 'Restore the database from a copy.',
    });
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    // Changes requested in this turn of the event loop join the same commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting;
      this.#waiting = [];
      try {
        for (const settle of await this.#commit(jobs)) settle();
      } catch (error) {
        for (const job of jobs) job.reject(error);
      }
    }
    this.#isDraining = false;
  }

  async #commit(jobs: readonly Job[]): Promise<(() => void)[]> {
    const commitId = randomUUID();
    return await this.#database.write(async (client) => {
      if (!this.#isMigrated) await this.#database.migrate(client);
      let kept = await readKept(client, ORGANIZATION, true);
      if (kept === undefined) {
        await create(client, this.#initial());
        kept = (await readKept(client, ORGANIZATION, true)) as Kept;
      }
      const open = new OpenTransaction(client, kept);
      const before = JSON.stringify(kept.state);
      const settled: (() => void)[] = [];
      for (const { change, resolve, reject } of jobs) {
        try {
          const value = await change(open);
          settled.push(() => resolve(value as never));
        } catch (error) {
          if (!(error instanceof InputError || isAnswer(error))) throw error;
          settled.push(() => reject(error));
        }
      }
      if (JSON.stringify(kept.state) !== before) await open.finish(commitId);
      this.#isMigrated = true;
      return settled;
    });
  }
}

/** Undefined if the organization does not exist. With `isLocked`, nobody else changes it until the end of the transaction. */
async function readKept(client: Client, organizationId: number, isLocked = false): Promise<Kept | undefined> {
  const lock = isLocked ? ' for update' : '';
  const engine = await client.query<EngineRow>(`select * from engine${lock}`);
  const organization = await client.query<OrganizationRow>(
    `select * from organizations where organization_id = $1${lock}`,
    [organizationId],
  );
  const [engineRow] = engine.rows;
  const [organizationRow] = organization.rows;
  if (engineRow === undefined || organizationRow === undefined) return undefined;
  const agents = await client.query<AgentRow>(
    `select agent_id, agent_name, agent_description, base_prompt, voice_id, language, greeting, conversation_goal, status,
       created_at, updated_at, calls from agents where organization_id = $1 order by agent_id`,
    [organizationId],
  );
  const campaigns = await client.query<CampaignRow>(
    'select * from campaigns where organization_id = $1 order by campaign_id',
    [organizationId],
  );
  return keptOf(engineRow, organizationRow, agents.rows, campaigns.rows);
}

async function create(client: Client, state: State): Promise<void> {
  const { organization, clock, scenario, given_before_reset } = state;
  await client.query(
    'insert into engine (seed, clock_offset, next_agent_id, next_campaign_id) values ($1, $2, $3, $4)',
    [...[state.seed, clock.offset, state.next_agent_id, state.next_campaign_id]],
  );
  await client.query('insert into organizations values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', [
    ...[organization.organization_id, organization.api_key, organization.balance, organization.numbers, clock.last],
    ...[state.next_call_number, given_before_reset?.calls ?? null, given_before_reset?.campaigns ?? null],
    ...[JSON.stringify(scenario), randomUUID()],
  ]);
  for (const agent of state.agents) {
    const columns = ['organization_id', ...Object.keys(agent)].join(', ');
    await client.query(
      `insert into agents (${columns}) select ${columns} from json_populate_record(null::agents, $1)`,
      [JSON.stringify({ organization_id: organization.organization_id, ...agent })],
    );
  }
}

const CONTACT = 'phone_number, custom_first_line, custom_instruction, custom_identifiers';

async function contactsOf(client: Client, campaignId: number): Promise<Contact[]> {
  const { rows } = await client.query<ContactRow>(
    `select ${CONTACT} from contacts where campaign_id = $1 order by contact`,
    [campaignId],
  );
  return rows.map(contactOf);
}

async function rowsOf(client: Client, campaignId: number): Promise<OriginalRows | undefined> {
  const { rows } = await client.query<{ cells: string[] }>(
    'select cells from original_rows where campaign_id = $1 order by contact',
    [campaignId],
  );
  const [columns, ...cells] = rows.map((row) => row.cells);
  return columns === undefined ? undefined : { columns, rows: cells };
}

async function waitingOf(client: Client, campaignId: number): Promise<Waiting> {
  const numbers = await client.query<{ phone_number: string }>(
    `select c.phone_number from contacts c join campaigns p using (campaign_id)
       where c.campaign_id = $1 and c.contact >= p.next_contact order by c.contact`,
    [campaignId],
  );
  const retries = await client.query<{ contact: string; attempt: string; due: string; phone_number: string }>(
    `select r.contact, r.attempt, r.due, c.phone_number from retries r join campaigns p using (campaign_id)
       join contacts c on c.campaign_id = r.campaign_id and c.contact = r.contact
       where r.campaign_id = $1 and r.number >= p.retries_taken order by r.number`,
    [campaignId],
  );
  return {
    numbers: numbers.rows.map(({ phone_number }) => phone_number),
    retries: retries.rows.map(({ contact, attempt, due, phone_number }) => ({
      index: Number(contact),
      attempt: Number(attempt),
      due: Number(due),
      contact: { phone_number },
    })),
  };
}
