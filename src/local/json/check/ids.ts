/** Checks the ids that count up over all organizations: none may be given that any of them has given already. */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { State } from '../../../engine/state.ts';
import type { FileSystem } from '../../../storage/files/file-system.ts';
import { higher, idsAfter, type NextIds, tooLow } from '../../next-ids.ts';
import type { IdsReport } from '../../store.ts';
import {
  IDS_NAME,
  type IssuedIds,
  namesIn,
  ORGANIZATION_NAME,
  ORGANIZATIONS_FOLDER,
  ownFolder,
} from '../issued-ids.ts';
import { LOCK_NAME, ROOT_NAME } from '../root.ts';
import { damageIn, readSuspectRoot, storeNames, whyLeft } from './check-store.ts';

interface CountedIds {
  fs: FileSystem;
  /** The store's. */
  folder: string;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  ids: IssuedIds;
  organizationIds(): Promise<number[]>;
}

const IDS_PATH = join(ORGANIZATIONS_FOLDER, IDS_NAME);

/** Throws FileError if something cannot be read, or comes from a later version. */
export async function checkIds(place: CountedIds): Promise<IdsReport> {
  const { fs, folder, ids } = place;
  if (!ids.isCounting()) return { problems: [], leftovers: [] };
  // First, because ids that are given meanwhile are counted before an organization has them.
  const { least, shared } = await leastLeft(place);
  const { messages, gone } = suspectIds(ids, least);
  const strays = namesIn(fs, join(folder, ORGANIZATIONS_FOLDER)).filter(
    (name) => ![IDS_NAME, LOCK_NAME].includes(name) && !ORGANIZATION_NAME.test(name),
  );
  return {
    problems: [
      ...messages.map((message) => ({ file: IDS_PATH, line: null, message })),
      ...gone.map((id) => ({ file: ownFolder(id), line: null, message: 'is missing' })),
      ...shared,
    ],
    leftovers: strays.map((name) => ({ file: join(ORGANIZATIONS_FOLDER, name), line: null, message: whyLeft(name) })),
  };
}

/** What is wrong with the counted ids, and whose stores are gone by them. */
function suspectIds(ids: IssuedIds, least: NextIds): { messages: string[]; gone: number[] } {
  try {
    return { messages: tooLow(ids.read(), least), gone: ids.gone() };
  } catch (error) {
    return { messages: [damageIn(error)], gone: [] };
  }
}

const NONE: NextIds = { next_organization_id: 1, next_agent_id: 1, next_campaign_id: 1 };

/** The lowest ids that all organizations leave whose roots are not lost. And whoever has an id that another has. */
async function leastLeft({ fs, folder, signal, organizationIds }: CountedIds) {
  let least = NONE;
  const owners = new Map<string, number>();
  const shared: IdsReport['problems'] = [];
  for (const organizationId of await organizationIds()) {
    const own = join(folder, ownFolder(organizationId));
    const { root } = readSuspectRoot(fs, own, storeNames(fs, own));
    least = higher(
      least,
      root === undefined ? { ...NONE, next_organization_id: organizationId + 1 } : idsAfter(root.state),
    );
    for (const name of root === undefined ? [] : namesOf(root.state)) {
      const owner = owners.get(name);
      owners.set(name, organizationId);
      if (owner === undefined) continue;
      const file = join(ownFolder(organizationId), ROOT_NAME);
      shared.push({ file, line: null, message: `has ${name}, which organization ${owner} has` });
    }
    await nextTurn();
    signal.throwIfAborted();
  }
  return { least, shared };
}

/** What only one organization may have. */
function namesOf({ agents, campaigns, organization }: State): Iterable<string> {
  const agentIds = [organization.demo_agent_id, ...agents.map(({ agent_id }) => agent_id)];
  return new Set([
    ...agentIds.map((id) => `agent ${id}`),
    ...campaigns.map(({ campaign_id }) => `campaign ${campaign_id}`),
  ]);
}
