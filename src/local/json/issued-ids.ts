/**
 * Ids of agents and campaigns count up over all organizations of a store. While there is one, its root alone counts; as soon as
 * there are more, `organizations/ids.json` counts for all, under a lock of its own.
 */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { FIRST_ORGANIZATION } from '../../contract.ts';
import { MOST_COUNTED } from '../../engine/soundness.ts';
import type { State } from '../../engine/state.ts';
import { systemCode } from '../../errors.ts';
import { makePrivateFolder, replaceFile, requireLasting } from '../../storage/files/durable.ts';
import { type FileSystem, fileError, quietly, withFileErrors } from '../../storage/files/file-system.ts';
import { type LockOptions, withLock } from '../../storage/files/lock.ts';
import { damaged, damagedFile, type GivenIds, goOnAfter, idsAfter, type NextIds } from '../store.ts';
import { isNew, LOCK_NAME, mismatchIn, parseFile, readIfThere } from './root.ts';

const FORMAT = 1;
const id = z.int().check(z.minimum(1), z.maximum(MOST_COUNTED));

const idsSchema = z.object({
  format: z.literal(FORMAT),
  next_organization_id: id,
  next_agent_id: id,
  next_campaign_id: id,
});

export const ORGANIZATIONS_FOLDER = 'organizations';
export const IDS_NAME = 'ids.json';
/** The name of an organization's folder in it: its id. */
export const ORGANIZATION_NAME = /^[1-9]\d{0,14}$/;

/** The folder of an organization inside the store's; empty for the first, which is in the store's own. */
export function ownFolder(organizationId: number = FIRST_ORGANIZATION): string {
  return organizationId === FIRST_ORGANIZATION ? '' : join(ORGANIZATIONS_FOLDER, String(organizationId));
}

/** Of those that are gone so many are told: an id that was changed by hand may be any. */
const MOST_GONE = 100;

export interface IssuedIdsOptions extends LockOptions {
  fs: FileSystem;
  /** The store's folder. */
  folder: string;
}

export class IssuedIds {
  readonly #options: IssuedIdsOptions;
  readonly #folder: string;

  constructor(options: IssuedIdsOptions) {
    this.#options = options;
    this.#folder = join(options.folder, ORGANIZATIONS_FOLDER);
  }

  /**
   * Runs `change`, which may give agents and campaigns the next ids of `state`. What it gave is durable before this resolves; if
   * the state is not committed, nobody gets those ids. Throws FileError.
   */
  async issue<T>(state: GivenIds, change: () => T): Promise<T> {
    if (!this.isCounting()) return change();
    return await this.#locked(async () => {
      const ids = this.read();
      if (ids.next_agent_id < state.next_agent_id || ids.next_campaign_id < state.next_campaign_id)
        throw damagedFile(join(this.#folder, IDS_NAME), 'would give ids that were given already');
      goOnAfter(state, ids);
      const result = change();
      const { next_agent_id, next_campaign_id } = state;
      if (next_agent_id > ids.next_agent_id || next_campaign_id > ids.next_campaign_id)
        this.#write({ ...ids, next_agent_id, next_campaign_id });
      return result;
    });
  }

  /**
   * Makes another organization: `body` is given its id and that of its demo agent, which nobody else gets. `first` is the state of
   * the first organization, which nobody changes meanwhile. Throws FileError.
   */
  async organization(first: State, body: (organizationId: number, agentId: number) => void): Promise<number> {
    makePrivateFolder(this.#options.fs, this.#folder);
    return await this.#locked(async () => {
      const ids = this.isCounting() ? this.read() : idsAfter(first);
      const { next_organization_id: organizationId, next_agent_id: agentId } = ids;
      // Before its id is counted: whoever has an id, and neither a store nor this, has lost the store.
      makePrivateFolder(this.#options.fs, this.#unfinished(organizationId));
      this.#write({ ...ids, next_organization_id: organizationId + 1, next_agent_id: agentId + 1 });
      body(organizationId, agentId);
      quietly(() => this.#options.fs.rmSync(this.#unfinished(organizationId), { recursive: true, force: true }));
      return organizationId;
    });
  }

  /** The first ids of organizations whose stores are gone. Throws FileError. */
  gone(): number[] {
    const { next_organization_id } = this.isCounting() ? this.read() : { next_organization_id: 0 };
    const gone: number[] = [];
    for (let id = FIRST_ORGANIZATION + 1; id < next_organization_id && gone.length < MOST_GONE; id++)
      if (this.#isGone(id)) gone.push(id);
    return gone;
  }

  /** Throws FileError where the store of an organization is gone, or of any. */
  requireNotGone(id?: number): void {
    const [gone] =
      id === undefined
        ? this.gone()
        : id > FIRST_ORGANIZATION && this.isCounting() && id < this.read().next_organization_id && this.#isGone(id)
          ? [id]
          : [];
    if (gone !== undefined) throw damaged(`${join(this.#folder, String(gone))} is missing`);
  }

  #isGone(id: number): boolean {
    const { fs } = this.#options;
    const isThere = fs.statSync(this.#unfinished(id), { throwIfNoEntry: false }) !== undefined;
    return !isThere && isNew(fs, join(this.#folder, String(id)));
  }

  #unfinished(id: number): string {
    return join(this.#folder, `${id}.new`);
  }

  /** Counts on from these; whoever has no store is nobody then. Throws FileError. */
  async countFrom(ids: NextIds): Promise<void> {
    makePrivateFolder(this.#options.fs, this.#folder);
    await this.#locked(async () => {
      this.#write(ids);
      for (const id of this.gone()) makePrivateFolder(this.#options.fs, this.#unfinished(id));
    });
  }

  #locked<T>(body: () => Promise<T>): Promise<T> {
    const { fs } = this.#options;
    return withLock(fs, join(this.#folder, LOCK_NAME), this.#options, body);
  }

  /**
   * Whether there is, or was, more than one organization: then the root of the first counts for itself no more. Throws
   * FileError.
   */
  isCounting(): boolean {
    const { fs } = this.#options;
    return withFileErrors('read', this.#folder, () => {
      if (fs.statSync(join(this.#folder, IDS_NAME), { throwIfNoEntry: false }) !== undefined) return true;
      return namesIn(fs, this.#folder).some(
        (name) => ORGANIZATION_NAME.test(name) && !isNew(fs, join(this.#folder, name)),
      );
    });
  }

  /** Throws FileError. */
  read(): NextIds {
    const path = join(this.#folder, IDS_NAME);
    const text = readIfThere(this.#options.fs, path);
    if (text === undefined) throw damagedFile(path, 'is missing');
    const result = idsSchema.safeParse(parseFile(path, text, FORMAT));
    if (!result.success) throw damagedFile(path, `does not count ids: ${mismatchIn(result.error)}`, result.error);
    const { format: _format, ...ids } = result.data;
    return ids;
  }

  /** If it may not last, nobody gets the ids: they are left out. */
  #write(ids: NextIds): void {
    const path = join(this.#folder, IDS_NAME);
    const text = `${JSON.stringify({ format: FORMAT, ...ids })}\n`;
    requireLasting(`write ${path}`, () => replaceFile(this.#options.fs, path, text));
  }
}

/** Names in a folder; none if there is no such folder. */
export function namesIn(fs: FileSystem, folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw fileError(error, 'read', folder);
  }
}
