/**
 * The organizations of a folder. The first is the store in the folder itself; each other one is a store of the same kind in a
 * folder of its own, so that no commit, lock or page of one depends on how many others there are.
 *
 *     <store>/store.json …                    organization 1
 *     <store>/organizations/ids.json, lock    ids that count up over all
 *     <store>/organizations/2/store.json …    organization 2
 */
import { join } from 'node:path';
import { FIRST_ORGANIZATION } from '../../contract.ts';
import type { State } from '../../engine/state.ts';
import { makePrivateFolder } from '../../storage/files/durable.ts';
import { type Organization, Organizations } from '../organizations.ts';
import {
  type CheckOptions,
  type IdsReport,
  idsAfter,
  type NextIds,
  type Receive,
  type Snapshot,
  type Store,
} from '../store.ts';
import { IssuedIds, namesIn, ORGANIZATION_NAME, ORGANIZATIONS_FOLDER, ownFolder } from './issued-ids.ts';
import { JsonOrganization, type OrganizationOptions } from './organization.ts';
import { isNew, newRoot, requireFinished, writeRoot } from './root.ts';

interface JsonStoreOptions extends Omit<OrganizationOptions, 'ids' | 'organizationId'> {
  /** The state with which the first organization is created. */
  initial: () => State;
}

export class JsonStore extends Organizations implements Store {
  readonly location: string;
  readonly #options: JsonStoreOptions;
  readonly #ids: IssuedIds;

  constructor(options: JsonStoreOptions) {
    super();
    this.#options = options;
    this.location = options.folder;
    this.#ids = new IssuedIds(options);
  }

  protected override open(organizationId: number): Organization {
    const isFirst = organizationId === FIRST_ORGANIZATION;
    if (!isFirst) requireFinished(this.#options.fs, this.#options.folder);
    const folder = this.#folderOf(organizationId);
    const initial = isFirst ? this.#options.initial : undefined;
    return new JsonOrganization({ ...this.#options, folder, initial, ids: this.#ids, organizationId });
  }

  protected override async checkIds({ signal }: CheckOptions): Promise<IdsReport> {
    if (!this.#ids.isCounting()) return { problems: [], leftovers: [] };
    const { checkIds } = await import('./check/check-store.ts');
    return await checkIds({ ...this.#options, signal }, this.#ids, await this.ids());
  }

  override async ids(): Promise<number[]> {
    const { fs, folder } = this.#options;
    const others = namesIn(fs, join(folder, ORGANIZATIONS_FOLDER))
      .filter((name) => ORGANIZATION_NAME.test(name))
      .map(Number)
      .filter((organizationId) => !isNew(fs, this.#folderOf(organizationId)));
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

  async receive(body: (receive: Receive) => Promise<NextIds>): Promise<void> {
    const { madeAsAWhole, writeCopy } = await import('./copied.ts');
    await madeAsAWhole(this.#options, async (folder) => {
      const made = new JsonStore({ ...this.#options, folder });
      const ids = await body(async (from, onCopied) => {
        const { organization_id: id } = from.state.organization;
        await writeCopy({ ...this.#options, folder: made.#folderOf(id) }, from, onCopied);
        return (await made.snapshot(id)) as Snapshot;
      });
      const isAlone = ids.next_organization_id === FIRST_ORGANIZATION + 1;
      if (!isAlone) await made.#ids.countFrom(ids);
    });
  }

  #folderOf(organizationId: number): string {
    return join(this.#options.folder, ownFolder(organizationId));
  }
}
