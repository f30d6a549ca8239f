/**
 * The store of a folder. The first organization is in the folder itself; each other one is kept in the same way in a folder of its
 * own, so that no commit, lock or page of one depends on how many others there are.
 *
 *     <store>/store.json …                    organization 1
 *     <store>/organizations/ids.json, lock    ids that count up over all
 *     <store>/organizations/2/store.json …    organization 2
 *
 * A commit writes and syncs the data files, then replaces the root: one rename commits them all, and readers need no lock.
 *
 * Failures are FileErrors; after one, the store on disk is what it was before the transaction or what it committed.
 */
import { join } from 'node:path';
import { FIRST_ORGANIZATION } from '../../contract.ts';
import type { CallFilter, CallPage } from '../../engine/handlers.ts';
import { type State, stateAfterReset } from '../../engine/state.ts';
import { FileError } from '../../errors.ts';
import { makePrivateFolder, requireLasting } from '../../storage/files/durable.ts';
import { type FileSystem, fileError, withFileErrors } from '../../storage/files/file-system.ts';
import { type LockOptions, withLock } from '../../storage/files/lock.ts';
import { Recent } from '../organizations.ts';
import {
  type CheckOptions,
  damaged,
  damagedFile,
  idsAfter,
  type NextIds,
  type Receive,
  type Snapshot,
  type Store,
  type StoreReport,
} from '../store.ts';
import { type Change, Transaction } from '../transaction.ts';
import { callLogWriter, callPage, segmentPath } from './call-log.ts';
import { IssuedIds, namesIn, ORGANIZATION_NAME, ORGANIZATIONS_FOLDER, ownFolder } from './issued-ids.ts';
import { CampaignFiles, type Places, queuePath, readContacts, readRowsOf, readWaiting, writeRowsOf } from './queues.ts';
import {
  copyOf,
  foreignFlaw,
  isNew,
  isUnfinished,
  LOCK_NAME,
  newRoot,
  queueOf,
  type ReadRoot,
  ROOT_NAME,
  type Root,
  readRoot,
  requireFinished,
  writeRoot,
} from './root.ts';

interface JsonStoreOptions extends LockOptions {
  fs: FileSystem;
  folder: string;
  /** The state with which the first organization is created. */
  initial: () => State;
  /** The most calls in one file of the log. */
  segmentEntries?: number | undefined;
}

/** What is known of an organization. */
interface Known {
  id: number;
  folder: string;
  newest: ReadRoot | undefined;
  places: Places;
}

export class JsonStore implements Store {
  readonly location: string;
  readonly #options: JsonStoreOptions;
  readonly #ids: IssuedIds;
  readonly #known = new Recent<Known>();

  constructor(options: JsonStoreOptions) {
    this.#options = options;
    this.location = options.folder;
    this.#ids = new IssuedIds(options);
  }

  #of(id: number): Known {
    return this.#known.get(id, () => {
      if (id !== FIRST_ORGANIZATION) requireFinished(this.#options.fs, this.location);
      return { id, folder: this.#folderOf(id), newest: undefined, places: new Map() };
    });
  }

  #folderOf(id: number): string {
    return join(this.location, ownFolder(id));
  }

  async ids(): Promise<number[]> {
    const { fs } = this.#options;
    const others = namesIn(fs, join(this.location, ORGANIZATIONS_FOLDER))
      .filter((name) => ORGANIZATION_NAME.test(name))
      .map(Number)
      .filter((id) => !isNew(fs, this.#folderOf(id)));
    return [FIRST_ORGANIZATION, ...others.sort((a, b) => a - b)];
  }

  async nextIds(): Promise<NextIds> {
    this.#ids.requireNotGone();
    if (this.#ids.isCounting()) return this.#ids.read();
    return idsAfter(((await this.snapshot(FIRST_ORGANIZATION)) as Snapshot).state);
  }

  async add(initial: (organizationId: number, demoAgentId: number) => State): Promise<number> {
    const { fs } = this.#options;
    let added = 0;
    // With the first one's lock, so that nobody takes its next ids meanwhile.
    await this.transact(FIRST_ORGANIZATION, [
      async ({ state }) => {
        added = await this.#ids.organization(state, (id, demoAgentId) => {
          makePrivateFolder(fs, this.#folderOf(id));
          writeRoot(fs, this.#folderOf(id), newRoot(initial(id, demoAgentId)));
        });
      },
    ]);
    return added;
  }

  /** Needs no lock: one root is one snapshot. */
  async snapshot(organizationId: number): Promise<Snapshot | undefined> {
    const { fs, initial } = this.#options;
    const known = this.#of(organizationId);
    const { folder } = known;
    const isFirst = organizationId === FIRST_ORGANIZATION;
    const root = this.#readNewest(known)?.root ?? (isFirst ? newRoot(initial()) : undefined);
    if (root === undefined) return void this.#ids.requireNotGone(organizationId);
    const extentOf = (campaignId: number) => root.queues.find(({ campaign_id }) => campaign_id === campaignId);
    return {
      state: root.state,
      callPage: async (filter, limit, offset) => this.#callPage(known, root, filter, limit, offset),
      contactsOf: async (campaignId) => {
        const extent = extentOf(campaignId);
        if (extent === undefined) return [];
        return { [Symbol.iterator]: () => readContacts(fs, folder, extent) };
      },
      rowsOf: async (campaignId) =>
        withFileErrors('read', `the rows of campaign ${campaignId}`, () =>
          readRowsOf(fs, folder, campaignId, extentOf(campaignId)?.has_rows),
        ),
      waitingOf: async (campaignId) => readWaiting(fs, folder, queueOf(root, campaignId)),
    };
  }

  /**
   * A page of the log that a root commits. After a reset the segments are missing, or other ones have the same names: then the
   * page is worthless, and is read again from the new log.
   */
  async #callPage(known: Known, root: Root, filter: CallFilter, limit: number, offset: number): Promise<CallPage> {
    const wasReset = () => this.#readNewest(known)?.root.resets !== root.resets && root.segments.length > 0;
    try {
      const page = callPage(this.#options.fs, known.folder, root, filter, limit, offset);
      if (!wasReset()) return page;
    } catch (error) {
      if (!wasReset()) throw error;
    }
    const anew = this.#readNewest(known)?.root;
    return anew === undefined ? { calls: [], total: 0 } : this.#callPage(known, anew, filter, limit, offset);
  }

  async reset(fresh: State): Promise<void> {
    const { fs } = this.#options;
    const known = this.#of(fresh.organization.organization_id);
    const { folder } = known;
    await this.#locked(known, async (before) => {
      const state = before === undefined ? fresh : stateAfterReset(fresh, before.state);
      const root = newRoot(state, (before?.resets ?? 0) + 1);
      writeRoot(fs, folder, root);
      try {
        for (const data of ['calls', 'campaigns']) fs.rmSync(join(folder, data), { recursive: true, force: true });
      } catch (cause) {
        throw new FileError(`The store at ${folder} was reset, but its old files could not all be removed.`, {
          hint: 'Nothing reads them any more: remove them by hand.',
          cause,
        });
      }
    });
  }

  async glance(organizationId: number): Promise<'new' | 'unfinished' | 'sound'> {
    const { fs } = this.#options;
    const known = this.#of(organizationId);
    if (isUnfinished(fs, known.folder) && isNew(fs, known.folder)) return 'unfinished';
    const read = this.#readNewest(known);
    if (read === undefined) return 'new';
    requireExtents(fs, known.folder, read.root);
    return 'sound';
  }

  async check(options: CheckOptions, organizationId?: number): Promise<StoreReport> {
    const { checkIds, checkOrganization } = await import('./check/check-store.ts');
    const place = { fs: this.#options.fs, folder: this.location, ...options };
    if (organizationId !== undefined) return await checkOrganization(place, this.#of(organizationId).id);
    return await checkIds(place, this.#ids, await this.ids());
  }

  /**
   * Takes the lock, creating the store if there is none; `body` gets the root as it was. System errors are thrown as
   * FileErrors.
   */
  async #locked(known: Known, body: (before: Root | undefined) => Promise<void>): Promise<void> {
    const { fs, initial } = this.#options;
    const { folder } = known;
    const isFirst = known.id === FIRST_ORGANIZATION;
    try {
      if (this.#readNewest(known) === undefined) {
        if (!isFirst) throw damaged(`${folder} is missing`);
        makePrivateFolder(fs, folder);
      }
      await withLock(fs, join(folder, LOCK_NAME), this.#options, async () => {
        const before = this.#readNewest(known)?.root;
        if (before === undefined) {
          if (!isFirst) throw damaged(`${folder} has lost its root`);
          const first = newRoot(initial());
          // If it may not last, the store counts as not created, and no change has happened.
          requireLasting(`create the store at ${folder}`, () => writeRoot(fs, folder, first));
        }
        await body(before);
      });
    } catch (error) {
      // What was read meanwhile may be of a state that was never committed.
      known.newest = undefined;
      known.places.clear();
      throw fileError(error, 'write the store at', folder, 'The store is as it was before.');
    }
  }

  /** Of a folder no other program plays what falls due, so nothing is to be skipped. */
  async transact(organizationId: number, changes: readonly Change[]): Promise<true> {
    const { fs, segmentEntries } = this.#options;
    const known = this.#of(organizationId);
    const { folder, places } = known;
    await this.#locked(known, async () => {
      const read = this.#readNewest(known);
      if (read === undefined) throw damaged(`${folder} has lost its root`);
      const root = copyOf(read);
      await carryOut({ fs, folder, segmentEntries, root, ids: this.#ids, places }, changes);
      known.newest = { root, text: writeRoot(fs, folder, root, read.text) };
    });
    return true;
  }

  #readNewest(known: Known): ReadRoot | undefined {
    const { id, folder, newest } = known;
    const read = readRoot(this.#options.fs, folder, newest);
    const flaw = read && foreignFlaw(read.root, id);
    if (flaw !== undefined) throw damagedFile(join(folder, ROOT_NAME), flaw);
    known.newest = read;
    return read;
  }

  async receive(body: (receive: Receive) => Promise<NextIds>): Promise<void> {
    const [{ madeAsAWhole }, { writeCopy }] = await Promise.all([import('./copied.ts'), import('../copy.ts')]);
    await madeAsAWhole(this.#options, async (folder) => {
      const made = new JsonStore({ ...this.#options, folder });
      const ids = await body(async (from, onCopied) => {
        const { organization_id: id } = from.state.organization;
        const { fs, segmentEntries } = this.#options;
        const own = made.#folderOf(id);
        makePrivateFolder(fs, own);
        const root = newRoot(structuredClone(from.state));
        const copy: Change = (transaction) => writeCopy(transaction, from, onCopied);
        await carryOut({ fs, folder: own, segmentEntries, root }, [copy]);
        writeRoot(fs, own, root);
        return (await made.snapshot(id)) as Snapshot;
      });
      const isAlone = ids.next_organization_id === FIRST_ORGANIZATION + 1;
      if (!isAlone) await made.#ids.countFrom(ids);
    });
  }
}

/** Throws FileError with the name of the first file that is missing or shorter than was committed. */
function requireExtents(fs: FileSystem, folder: string, { segments, queues }: Root): void {
  const files = [
    ...segments.map(({ seq, bytes }) => [segmentPath(folder, seq), bytes] as const),
    ...queues.flatMap(({ campaign_id, contacts, retries }) => [
      [queuePath(folder, campaign_id, 'contacts'), contacts.bytes] as const,
      [queuePath(folder, campaign_id, 'retries'), retries.bytes] as const,
    ]),
  ];
  for (const [path, bytes] of files) {
    const size = withFileErrors('read', path, () => fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0);
    if (size < bytes) throw damagedFile(path, 'is missing or cut off');
  }
}

interface Opening {
  fs: FileSystem;
  folder: string;
  root: Root;
  segmentEntries?: number | undefined;
  /** Undefined where nobody is given any. */
  ids?: IssuedIds;
  places?: Places;
}

/** Carries the changes out on a root, which then names everything that was written: all of it is durable. */
export async function carryOut(opening: Opening, changes: readonly Change[]): Promise<void> {
  const { fs, folder, root, segmentEntries, ids } = opening;
  const calls = callLogWriter(fs, folder, root, segmentEntries);
  const files = new CampaignFiles(opening);
  const transaction = new Transaction({
    state: root.state,
    read: async (wanted) => wanted.map((one) => files.read(one)),
    async write(piece) {
      for (const [campaignId, contacts] of piece.contacts) files.add(campaignId, contacts);
      for (const { entry } of piece.calls) calls.append(entry);
      for (const [campaignId, retries] of piece.retries) files.addRetries(campaignId, retries);
      for (const [campaignId, file] of piece.rows) {
        writeRowsOf(fs, folder, campaignId, file);
        queueOf(root, campaignId).has_rows = true;
      }
    },
    issueIds: async (change) => (ids === undefined ? change() : await ids.issue(root.state, change)),
  });
  try {
    await transaction.run(changes);
    calls.finish();
    files.finish(transaction.queues.values());
  } catch (error) {
    calls.abandon();
    files.abandon();
    throw error;
  }
}
