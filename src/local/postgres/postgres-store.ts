/**
 * The store of a database. An organization has a row, and rows in the other tables; ids of agents and campaigns count up over all.
 * Failures are FileErrors; after one, the store is what it was before or what it committed.
 */
import { randomUUID } from 'node:crypto';
import { FIRST_ORGANIZATION } from '../../contract.ts';
import { type State, stateAfterReset } from '../../engine/state.ts';
import { FileError } from '../../errors.ts';
import type { Client, Limits } from '../../storage/database/connection.ts';
import { Database, type Kept as KeptThere } from '../../storage/database/database.ts';
import { databaseError } from '../../storage/database/database-error.ts';
import { Recent } from '../organizations.ts';
import {
  type CheckOptions,
  damaged,
  idsAfter,
  type NextIds,
  type Receive,
  report,
  type Snapshot,
  type Store,
  type StoreReport,
} from '../store.ts';
import { type Change, Transaction } from '../transaction.ts';
import { EMPTY_ENGINE, type Kept, readKept } from './kept.ts';
import { create, deleteRows, insertBeginning, raiseIds, readCommitId, replaceState } from './rows.ts';
import { MIGRATIONS } from './schema.ts';
import { snapshotOver } from './snapshot.ts';
import { type Opening, PostgresWork } from './transaction.ts';

const STORE: KeptThere = {
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

export interface DatabaseFacts {
  version: string;
  isSupported: boolean;
  /** Milliseconds by which its clock is ahead of this machine's. */
  clockAhead: number;
  /** Seconds for which another program's transaction has been open. */
  longestTransaction: number;
  /** Whether nobody can change anything there: a standby, or a database that was made read-only. */
  isReadOnly: boolean;
  /** Whether this user may change the store, or make it if there is none. */
  mayWrite: boolean;
  /** The tables that this user may not write, if there are tables. */
  forbiddenTables: string[];
}

/** What is known of an organization. */
interface Known {
  /** What the last transaction left; whoever has the organization's row, and finds this commit in it, need not read all of it. */
  kept?: Kept | undefined;
  /** The newest state that was shown to anybody; nobody changes it. */
  shown?: { commitId: string; state: State };
  /** Whether anybody has asked for a state since the last commit. */
  isRead: boolean;
}

export class PostgresStore implements Store {
  readonly #options: PostgresStoreOptions;
  readonly #database: Database;
  readonly #known = new Recent<Known>();

  constructor(options: PostgresStoreOptions) {
    this.#options = options;
    this.#database = new Database(options.url, STORE, options.limits);
  }

  get location(): string {
    return this.#database.location;
  }

  #of(organizationId: number): Known {
    return this.#known.get(organizationId, () => ({ isRead: false }));
  }

  /**
   * Organizations in which something is due at a time of the system (milliseconds since the epoch) and at which no other program
   * is, the longest due first, without those of `except`.
   */
  async due(systemNow: number, most: number, except: readonly number[]): Promise<number[]> {
    // Locked for no longer than this statement: whoever plays one takes it again, or leaves it to another.
    return await this.#askIds(
      `select organization_id as id from organizations where due_at <= $1 and organization_id <> all($3)
         order by due_at limit $2 for update skip locked`,
      [systemNow, most, except],
    );
  }

  async #askIds(sql: string, values: unknown[]): Promise<number[]> {
    const asked = await this.#database.ask((client) => client.query<{ id: number }>(sql, values));
    return (asked?.rows ?? []).map(({ id }) => id);
  }

  async diagnose(systemNow: () => number): Promise<DatabaseFacts> {
    return await this.#database.look((client) => diagnose(client, this.#database.schema, systemNow));
  }

  async ids(): Promise<number[]> {
    const others = await this.#askIds(
      'select organization_id as id from organizations where organization_id <> $1 order by organization_id',
      [FIRST_ORGANIZATION],
    );
    return [FIRST_ORGANIZATION, ...others];
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

  async snapshot(organizationId: number): Promise<Snapshot | undefined> {
    const kept = await this.#newest(organizationId);
    const state = kept ?? (organizationId === FIRST_ORGANIZATION ? this.#options.initial() : undefined);
    const read = <T>(body: (client: Client) => Promise<T>, none: T) =>
      kept === undefined ? Promise.resolve(none) : this.#database.read(body).then((found) => found ?? none);
    return state && snapshotOver(state, read);
  }

  /** The newest committed state; undefined if nothing was ever committed. */
  async #newest(organizationId: number): Promise<State | undefined> {
    const known = this.#of(organizationId);
    known.isRead = true;
    const commitId = await this.#database.ask((client) => readCommitId(client, organizationId));
    if (commitId === undefined) return undefined;
    if (commitId !== known.shown?.commitId) {
      const kept = await this.#database.read((client) => readKept(client, organizationId));
      if (kept === undefined) return undefined;
      known.shown = { commitId: kept.commitId, state: kept.state };
    }
    return known.shown.state;
  }

  async reset(fresh: State): Promise<void> {
    const { organization_id: id } = fresh.organization;
    await this.#database.change(async (client) => {
      const before = await readKept(client, id, true);
      if (before === undefined) return await create(client, fresh);
      // There may be millions of rows.
      await client.query('set local statement_timeout = 0');
      await deleteRows(client, id);
      await replaceState(client, stateAfterReset(fresh, before.state));
      await insertBeginning(client, fresh);
    });
  }

  async glance(organizationId: number): Promise<'new' | 'sound'> {
    return (await this.#newest(organizationId)) === undefined ? 'new' : 'sound';
  }

  async check(_options: CheckOptions, organizationId?: number): Promise<StoreReport> {
    const { checkIds, checkTables } = await import('./check.ts');
    const checked = await this.#database.read((client) =>
      organizationId === undefined ? checkIds(client) : checkTables(client, organizationId),
    );
    if (checked !== undefined) return checked;
    if (organizationId === undefined) return report([]);
    throw new FileError(`There is no store at ${this.location} yet.`, { reason: { kind: 'store_unreadable' } });
  }

  /** False where another program is changing it, and that is to be skipped. */
  async transact(organizationId: number, changes: readonly Change[], isToSkip = false): Promise<boolean> {
    const { dialsOfCommit: mayHold = DIALS_OF_COMMIT } = this.#options;
    const known = this.#of(organizationId);
    const isDone = await this.#database.change(async (client, hasMigrated) => {
      // Nobody else changes the organization until the end of the transaction.
      const lock = isToSkip ? 'for update skip locked' : 'for update';
      const commitId = await readCommitId(client, organizationId, lock);
      if (isToSkip && commitId === undefined) return false;
      // Ids are counted aside, unless what counts them is as new as the transaction: nobody else sees it yet.
      const isNew = hasMigrated || commitId === undefined;
      const giveIds: Opening['giveIds'] = (body) => (isNew ? body(client) : this.#database.writeAside(body));
      const kept = await this.#take(known, client, organizationId, commitId);
      const work = new PostgresWork({ client, kept, giveIds });
      await new Transaction(work, { queues: kept.queues, mayHold }).run(changes);
      await work.finish(randomUUID());
      known.kept = kept;
      return true;
    });
    show(known);
    return isDone;
  }

  /** For whoever has the organization's row, in which this commit is named; it is made if there is none. */
  async #take(known: Known, client: Client, organizationId: number, commitId: string | undefined): Promise<Kept> {
    const { kept: last } = known;
    known.kept = undefined;
    if (last !== undefined && last.commitId === commitId) return last;
    const kept = await readKept(client, organizationId);
    if (kept !== undefined) return kept;
    if (organizationId !== FIRST_ORGANIZATION) throw damaged(`organization ${organizationId} is missing`);
    await create(client, this.#options.initial());
    return (await readKept(client, organizationId)) as Kept;
  }

  async receive(body: (receive: Receive) => Promise<NextIds>): Promise<void> {
    const { requireNothing, writeOrganization } = await import('./copied.ts');
    await this.#database.change(async (client) => {
      // Nobody waits for what is not there yet, and a large campaign is compared in one go.
      await client.query('set local idle_in_transaction_session_timeout = 0; set local tcp_user_timeout = 30000');
      await requireNothing(client, this.location);
      // What it is copied from may be another database, whose failure it would seem to be.
      const failure = (error: unknown) => databaseError(error, 'write', this.location);
      const ids = await body(async (from, onCopied) => {
        await writeOrganization(client, from, onCopied, failure);
        const kept = (await readKept(client, from.state.organization.organization_id)) as Kept;
        return snapshotOver(kept.state, (read) => read(client));
      });
      await raiseIds(client, ids);
    });
  }
}

/** After a commit: who reads gets the state that was committed, and not one that the next transaction is changing. */
function show(known: Known): void {
  if (!known.isRead || known.kept === undefined) return;
  known.isRead = false;
  const { commitId, state } = known.kept;
  known.shown = { commitId, state: structuredClone(state) };
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
