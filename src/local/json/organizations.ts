/**
 * The organizations of a folder. The first is the store in the folder itself; each other one is a store of the same kind in a folder
 * of its own, so that no commit, lock or page of one depends on how many others there are.
 *
 *     <store>/store.json …                        organization 1
 *     <store>/organizations/ids.json, lock        ids that count up over all
 *     <store>/organizations/2/store.json …        organization 2
 */
import { join } from 'node:path';
import { FIRST_ORGANIZATION } from '../../contract.ts';
import type { State } from '../../engine/state.ts';
import { makePrivateFolder } from '../../files/folder.ts';
import { idsAfter, type NextIds } from '../next-ids.ts';
import {
  type CheckOptions,
  type Copy,
  factsOf,
  type IdsReport,
  type OrganizationFacts,
  type Organizations,
  type Store,
} from '../store.ts';
import { IssuedIds, namesIn, ORGANIZATION_NAME, ORGANIZATIONS_FOLDER, ownFolder } from './issued-ids.ts';
import { JsonStore, type JsonStoreOptions } from './json-store.ts';
import { damaged, isNew, newRoot, requireFinished, rootText, writeRoot } from './root.ts';

export type JsonOrganizationsOptions = Omit<JsonStoreOptions, 'ids' | 'organizationId'>;

export class JsonOrganizations implements Organizations {
  readonly #options: JsonOrganizationsOptions;
  readonly #ids: IssuedIds;
  readonly #first: JsonStore;

  constructor(options: JsonOrganizationsOptions) {
    this.#options = options;
    this.#ids = new IssuedIds(options);
    this.#first = new JsonStore({ ...options, ids: this.#ids, organizationId: FIRST_ORGANIZATION });
  }

  get location(): string {
    return this.#options.folder;
  }

  first(): Store {
    return this.#first;
  }

  async storeOf(organizationId: number): Promise<Store | undefined> {
    if (organizationId === FIRST_ORGANIZATION) return this.#first;
    const folder = this.#folderOf(organizationId);
    requireFinished(this.#options.fs, this.#options.folder);
    if (isNew(this.#options.fs, folder)) {
      this.#ids.requireNotGone(organizationId);
      return undefined;
    }
    const initial = () => {
      throw damaged(`${folder} is missing`);
    };
    return new JsonStore({ ...this.#options, folder, initial, ids: this.#ids, organizationId });
  }

  async ids(): Promise<number[]> {
    const { fs, folder } = this.#options;
    const others = namesIn(fs, join(folder, ORGANIZATIONS_FOLDER))
      .filter((name) => ORGANIZATION_NAME.test(name))
      .map(Number)
      .filter((organizationId) => !isNew(fs, this.#folderOf(organizationId)));
    return [FIRST_ORGANIZATION, ...others.sort((a, b) => a - b)];
  }

  async list(): Promise<OrganizationFacts[]> {
    this.#ids.requireNotGone();
    const facts: OrganizationFacts[] = [];
    for (const organizationId of await this.ids()) {
      const store = await this.storeOf(organizationId);
      if (store === undefined) continue;
      facts.push(factsOf((await store.snapshot()).state));
    }
    return facts;
  }

  add(initial: (organizationId: number, demoAgentId: number) => State): Promise<number> {
    // With the first one's lock, so that nobody takes its next ids meanwhile.
    return this.#first.transact(({ state }) =>
      this.#ids.organization(state, (organizationId, demoAgentId) =>
        this.#create(initial(organizationId, demoAgentId)),
      ),
    );
  }

  async nextIds(): Promise<NextIds> {
    this.#ids.requireNotGone();
    return this.#ids.isCounting() ? this.#ids.read() : idsAfter((await this.#first.snapshot()).state);
  }

  async receive(body: (copy: Copy) => Promise<void>): Promise<void> {
    const [{ madeAsAWhole }, { writeCopy }] = await Promise.all([import('./unfinished.ts'), import('./copied.ts')]);
    await madeAsAWhole(this.#options, async (folder) => {
      const made = new JsonOrganizations({ ...this.#options, folder });
      await body({
        add: (from, onCopied) =>
          writeCopy(
            { ...this.#options, folder: made.#folderOf(from.state.organization.organization_id) },
            from,
            onCopied,
          ),
        snapshotOf: async (organizationId) => ((await made.storeOf(organizationId)) as Store).snapshot(),
        countIdsFrom: async (ids) => {
          const isAlone = ids.next_organization_id === FIRST_ORGANIZATION + 1;
          if (!isAlone) await made.#ids.countFrom(ids);
        },
      });
    });
  }

  async checkIds({ signal }: Pick<CheckOptions, 'signal'>): Promise<IdsReport> {
    const { checkIds } = await import('./check/ids.ts');
    const { fs, folder } = this.#options;
    return await checkIds({ fs, folder, signal, ids: this.#ids, organizationIds: () => this.ids() });
  }

  #create(fresh: State): void {
    const { fs } = this.#options;
    const folder = this.#folderOf(fresh.organization.organization_id);
    makePrivateFolder(fs, folder);
    writeRoot(fs, folder, rootText(newRoot(fresh)));
  }

  #folderOf(organizationId: number): string {
    return join(this.#options.folder, ownFolder(organizationId));
  }
}
