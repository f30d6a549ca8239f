/** The organizations of a database. Each has a row, and rows in the other tables; ids of agents and campaigns count up over all. */

import { FIRST_ORGANIZATION } from '../../contract.ts';
import { type Client, Database, type Kept, type Limits } from '../../database/database.ts';
import { databaseError } from '../../database/database-error.ts';
import type { State } from '../../engine/state.ts';
import { idsAfter, type NextIds } from '../next-ids.ts';
import {
  type Claims,
  type Copy,
  type DatabaseFacts,
  factsOf,
  type IdsReport,
  type OrganizationFacts,
  type Organizations,
  type Store,
} from '../store.ts';
import { damaged, EMPTY_ENGINE } from './damage.ts';
import { create, raiseIds, readCommitId, readKept } from './organization-rows.ts';
import { PostgresStore } from './postgres-store.ts';
import type { Kept as Rows } from './rows.ts';
import { MIGRATIONS } from './schema.ts';
import { snapshotOver } from './snapshot.ts';

const STORE: Kept = {
  name: 'store',
  schema: 'vagent',
  versions: 'migrations',
  migrations: MIGRATIONS,
  look: 'look at the call log',
};

export interface PostgresOrganizationsOptions {
  url: string;
  /** The most dials that are played in one commit. */
  dialsOfCommit?: number;
  /** The state with which the first organization is created. */
  initial: () => State;
  limits?: Partial<Limits>;
}

/** Enough that a commit costs little, and few enough that it takes a fraction of a second. */
const DIALS_OF_COMMIT = 1_000;

export class PostgresOrganizations implements Organizations {
  readonly #database: Database;
  readonly #initial: () => State;
  readonly #dialsOfCommit: number;

  constructor({ url, initial, limits, dialsOfCommit = DIALS_OF_COMMIT }: PostgresOrganizationsOptions) {
    this.#database = new Database(url, STORE, limits);
    this.#initial = initial;
    this.#dialsOfCommit = dialsOfCommit;
  }

  get location(): string {
    return this.#database.location;
  }

  readonly claims: Claims = {
    due: async (systemNow, most, except) => {
      const due = await this.#database.ask(async (client) => {
        // Locked for no longer than this statement: whoever plays one takes it again, or leaves it to another.
        const { rows } = await client.query<{ id: string }>(
          `select organization_id as id from organizations where due_at <= $1 and organization_id <> all($3)
             order by due_at limit $2 for update skip locked`,
          [systemNow, most, except],
        );
        return rows.map(({ id }) => Number(id));
      });
      return due ?? [];
    },
  };

  async diagnose(systemNow: () => number): Promise<DatabaseFacts> {
    const { diagnose } = await import('./diagnose.ts');
    return await this.#database.look((client) => diagnose(client, this.#database.schema, systemNow));
  }

  first(): Store {
    return this.#storeOf(FIRST_ORGANIZATION, this.#initial);
  }

  async storeOf(organizationId: number): Promise<Store | undefined> {
    if (organizationId === FIRST_ORGANIZATION) return this.first();
    const commitId = await this.#database.ask((client) => readCommitId(client, organizationId));
    return commitId === undefined ? undefined : this.#storeOf(organizationId, undefined);
  }

  async ids(): Promise<number[]> {
    const ids = await this.#database.ask(async (client) => {
      const { rows } = await client.query<{ id: string }>(
        'select organization_id as id from organizations where organization_id <> $1 order by organization_id',
        [FIRST_ORGANIZATION],
      );
      return rows.map(({ id }) => Number(id));
    });
    return [FIRST_ORGANIZATION, ...(ids ?? [])];
  }

  async list(): Promise<OrganizationFacts[]> {
    const found = await this.#database.ask(async (client) => {
      const { rows } = await client.query<Record<keyof OrganizationFacts, string>>(
        `select organization_id, balance, coalesce(a.agents, 0) as agents, coalesce(c.campaigns, 0) as campaigns,
                next_call_number - 1 - calls_before_reset as calls
           from organizations
           left join (select organization_id, count(*) as agents from agents group by 1) a using (organization_id)
           left join (select organization_id, count(*) as campaigns from campaigns group by 1) c using (organization_id)
           order by organization_id`,
      );
      return rows.map(({ organization_id, balance, agents, campaigns, calls }) => ({
        organization_id: Number(organization_id),
        balance: Number(balance),
        agents: Number(agents),
        campaigns: Number(campaigns),
        calls: Number(calls),
      }));
    });
    return found ?? [factsOf(this.#initial())];
  }

  async add(initial: (organizationId: number, demoAgentId: number) => State): Promise<number> {
    return await this.#counting(async (client) => {
      const { rows } = await client.query<{ organization: string; agent: string }>(
        `update engine set next_organization_id = next_organization_id + 1, next_agent_id = next_agent_id + 1
           returning next_organization_id - 1 as organization, next_agent_id - 1 as agent`,
      );
      const [ids] = rows;
      if (ids === undefined) throw damaged(EMPTY_ENGINE);
      await create(client, initial(Number(ids.organization), Number(ids.agent)));
      return Number(ids.organization);
    });
  }

  async nextIds(): Promise<NextIds> {
    const { countedIds } = await import('./ids.ts');
    return (await this.#database.read(countedIds)) ?? idsAfter(this.#initial());
  }

  async receive(body: (copy: Copy) => Promise<void>): Promise<void> {
    const { requireNothing, writeCopy } = await import('./copied.ts');
    await this.#database.change(async (client) => {
      // Nobody waits for what is not there yet, and a large campaign is compared in one go.
      await client.query('set local idle_in_transaction_session_timeout = 0; set local tcp_user_timeout = 30000');
      await requireNothing(client, this.location);
      await body({
        // What it is copied from may be another database, whose failure it would seem to be.
        add: (from, onCopied) =>
          writeCopy(client, from, onCopied, (error) => databaseError(error, 'write', this.location)),
        snapshotOf: async (organizationId) =>
          snapshotOver(((await readKept(client, organizationId)) as Rows).state, (read) => read(client)),
        countIdsFrom: (ids) => raiseIds(client, ids),
      });
    });
  }

  async checkIds(): Promise<IdsReport> {
    const { checkIds } = await import('./ids.ts');
    return (await this.#database.read(checkIds)) ?? { problems: [], leftovers: [] };
  }

  /** With the first organization, which begins to count. */
  #counting<T>(body: (client: Client) => Promise<T>): Promise<T> {
    return this.#database.change(async (client) => {
      if ((await readCommitId(client, FIRST_ORGANIZATION)) === undefined) await create(client, this.#initial());
      return await body(client);
    });
  }

  #storeOf(organizationId: number, initial: (() => State) | undefined): PostgresStore {
    return new PostgresStore({ database: this.#database, organizationId, initial, dialsOfCommit: this.#dialsOfCommit });
  }
}
