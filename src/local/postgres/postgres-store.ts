/** The organizations of a database. Each has a row, and rows in the other tables; ids of agents and campaigns count up over all. */
import { FIRST_ORGANIZATION } from '../../contract.ts';
import type { State } from '../../engine/state.ts';
import type { Client, Limits } from '../../storage/database/connection.ts';
import { Database, type Kept } from '../../storage/database/database.ts';
import { databaseError } from '../../storage/database/database-error.ts';
import { type Organization, Organizations } from '../organizations.ts';
import {
  type DatabaseFacts,
  damaged,
  type IdsReport,
  idsAfter,
  type NextIds,
  type Receive,
  type Store,
} from '../store.ts';
import { EMPTY_ENGINE, type Kept as Rows, readKept } from './kept.ts';
import { PostgresOrganization } from './organization.ts';
import { create, raiseIds, readCommitId } from './rows.ts';
import { MIGRATIONS } from './schema.ts';
import { snapshotOver } from './snapshot.ts';

const STORE: Kept = {
  name: 'store',
  schema: 'vagent',
  versions: 'migrations',
  migrations: MIGRATIONS,
  look: 'look at the call log',
};

interface PostgresStoreOptions {
  url: string;
  /** The most dials that are played in one commit. */
  dialsOfCommit?: number;
  /** The state with which the first organization is created. */
  initial: () => State;
  limits?: Partial<Limits>;
}

/** Enough that a commit costs little, and few enough that it takes a fraction of a second. */
const DIALS_OF_COMMIT = 1_000;

export class PostgresStore extends Organizations implements Store {
  readonly #options: PostgresStoreOptions;
  readonly #database: Database;

  constructor(options: PostgresStoreOptions) {
    super();
    this.#options = options;
    this.#database = new Database(options.url, STORE, options.limits);
  }

  get location(): string {
    return this.#database.location;
  }

  async due(systemNow: number, most: number, except: readonly number[]): Promise<number[]> {
    const due = await this.#database.ask(async (client) => {
      // Locked for no longer than this statement: whoever plays one takes it again, or leaves it to another.
      const { rows } = await client.query<{ id: number }>(
        `select organization_id as id from organizations where due_at <= $1 and organization_id <> all($3)
           order by due_at limit $2 for update skip locked`,
        [systemNow, most, except],
      );
      return rows.map(({ id }) => id);
    });
    return due ?? [];
  }

  async diagnose(systemNow: () => number): Promise<DatabaseFacts> {
    return await this.#database.look((client) => diagnose(client, this.#database.schema, systemNow));
  }

  protected override open(organizationId: number): Organization {
    const { dialsOfCommit = DIALS_OF_COMMIT, ...options } = this.#options;
    const initial = organizationId === FIRST_ORGANIZATION ? options.initial : undefined;
    return new PostgresOrganization({ database: this.#database, organizationId, initial, dialsOfCommit });
  }

  protected override async checkIds(): Promise<IdsReport> {
    const { checkIds } = await import('./check.ts');
    return (await this.#database.read(checkIds)) ?? { problems: [], leftovers: [] };
  }

  override async ids(): Promise<number[]> {
    const ids = await this.#database.ask(async (client) => {
      const { rows } = await client.query<{ id: number }>(
        'select organization_id as id from organizations where organization_id <> $1 order by organization_id',
        [FIRST_ORGANIZATION],
      );
      return rows.map(({ id }) => id);
    });
    return [FIRST_ORGANIZATION, ...(ids ?? [])];
  }

  async add(initial: (organizationId: number, demoAgentId: number) => State): Promise<number> {
    return await this.#database.change(async (client) => {
      // The first one begins to count.
      if ((await readCommitId(client, FIRST_ORGANIZATION)) === undefined) await create(client, this.#options.initial());
      const { rows } = await client.query<{ organization: number; agent: number }>(
        `update engine set next_organization_id = next_organization_id + 1, next_agent_id = next_agent_id + 1
           returning next_organization_id - 1 as organization, next_agent_id - 1 as agent`,
      );
      const [ids] = rows;
      if (ids === undefined) throw damaged(EMPTY_ENGINE);
      await create(client, initial(ids.organization, ids.agent));
      return ids.organization;
    });
  }

  async nextIds(): Promise<NextIds> {
    const { countedIds } = await import('./check.ts');
    return (await this.#database.read(countedIds)) ?? idsAfter(this.#options.initial());
  }

  async receive(body: (receive: Receive) => Promise<NextIds>): Promise<void> {
    const { requireNothing, writeCopy } = await import('./copied.ts');
    await this.#database.change(async (client) => {
      // Nobody waits for what is not there yet, and a large campaign is compared in one go.
      await client.query('set local idle_in_transaction_session_timeout = 0; set local tcp_user_timeout = 30000');
      await requireNothing(client, this.location);
      // What it is copied from may be another database, whose failure it would seem to be.
      const failure = (error: unknown) => databaseError(error, 'write', this.location);
      const ids = await body(async (from, onCopied) => {
        await writeCopy(client, from, onCopied, failure);
        const kept = (await readKept(client, from.state.organization.organization_id)) as Rows;
        return snapshotOver(kept.state, (read) => read(client));
      });
      await raiseIds(client, ids);
    });
  }
}

/** PostgreSQL 13: whether a transaction was committed can be asked since then. */
const OLDEST_VERSION = 130_000;

interface Asked extends Pick<DatabaseFacts, 'version' | 'isSupported' | 'longestTransaction' | 'isReadOnly'> {
  /** Its time in milliseconds since the epoch. */
  at: number;
  hasSchema: boolean;
  mayCreate: boolean;
  forbidden: string[] | null;
}

/** One look, which writes nothing. `systemNow`: this machine's time in milliseconds since the epoch, asked around the answer. */
async function diagnose(client: Client, schema: string, systemNow: () => number): Promise<DatabaseFacts> {
  const before = systemNow();
  const { rows } = await client.query<Asked>(
    `select current_setting('server_version') as version,
            current_setting('server_version_num')::integer >= ${OLDEST_VERSION} as "isSupported",
            date_part('epoch', clock_timestamp()) * 1000 as at,
            coalesce((select max(date_part('epoch', clock_timestamp() - xact_start)) from pg_stat_activity
                        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'), 0)
              as "longestTransaction",
            to_regnamespace($1) is not null as "hasSchema",
            has_database_privilege(current_database(), 'CREATE') as "mayCreate",
            current_setting('transaction_read_only') = 'on' as "isReadOnly",
            (select array_agg(relname::text order by relname) from pg_class
               where relnamespace = to_regnamespace($1) and relkind = 'r' and not (has_table_privilege(oid, 'SELECT')
                 and (relname = 'migrations' or has_table_privilege(oid, 'INSERT') and has_table_privilege(oid, 'UPDATE')
                   and has_table_privilege(oid, 'DELETE')))) as forbidden`,
    [schema],
  );
  const after = systemNow();
  const { at, hasSchema, mayCreate, forbidden, ...facts } = rows[0] as Asked;
  return {
    ...facts,
    // Whatever the way there and back took is no difference of the clocks.
    clockAhead: at < before ? at - before : at > after ? at - after : 0,
    mayWrite: hasSchema ? forbidden === null : mayCreate,
    forbiddenTables: forbidden ?? [],
  };
}
