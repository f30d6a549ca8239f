/** Checks and repairs the ids that count up over all organizations: none may be given that any of them has given already. */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { State } from '../../../engine/state.ts';
import { FileError } from '../../../errors.ts';
import { fileError } from '../../../files/file-error.ts';
import type { FileSystem } from '../../../files/file-system.ts';
import { goingOn, higher, idsAfter, type NextIds, tooLow } from '../../next-ids.ts';
import type { IdsRepair, IdsReport } from '../../store.ts';
import {
  IDS_NAME,
  type IssuedIds,
  namesIn,
  ORGANIZATION_NAME,
  ORGANIZATIONS_FOLDER,
  ownFolder,
} from '../issued-ids.ts';
import { LOCK_NAME, ROOT_NAME } from '../root.ts';
import { checkAgainst } from './check-store.ts';
import { storeNames, whyLeft } from './names.ts';
import { rebuiltRoot, rootOnDisk } from './repaired-root.ts';
import { setAsideCopy } from './set-aside.ts';
import { damageIn, readSuspectRoot } from './suspect-root.ts';

export interface CountedIds {
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
  const { counted, damage } = suspectIds(ids);
  const messages = counted === undefined ? [damage] : tooLow(counted, least);
  const gone = counted === undefined ? [] : ids.gone();
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

/** Makes the damaged file anew, from what the organizations have and what can be read of it. Throws FileError. */
export async function repairIds(place: CountedIds): Promise<IdsRepair> {
  const { fs, folder, ids } = place;
  const setAside: string[] = [];
  const gone: number[] = [];
  try {
    const next = await ids.replace(async () => {
      const { least } = await leastLeft(place);
      const { counted = least } = suspectIds(ids);
      if (suspectIds(ids).counted !== undefined) gone.push(...ids.gone());
      setAside.push(setAsideCopy(fs, folder, IDS_PATH));
      return higher(counted, least);
    });
    const lost = gone.map((id) => `Organization ${id} is gone with all that it had; nobody else gets its id.`);
    return { setAside, sentences: [goingOn(next), ...lost] };
  } catch (error) {
    throw fileError(error, 'repair the store at', folder, 'Nothing is lost: repair it again once that is fixed.');
  }
}

type SuspectIds = { counted: NextIds; damage?: undefined } | { counted?: undefined; damage: string };

function suspectIds(ids: IssuedIds): SuspectIds {
  try {
    return { counted: ids.read() };
  } catch (error) {
    if (!(error instanceof FileError && error.code === 'store_damaged')) throw error;
    return { damage: damageIn(error) };
  }
}

/**
 * The lowest ids that all organizations leave; those of which the root is lost by their calls and campaigns. And whoever has an id that
 * another has.
 */
async function leastLeft({ fs, folder, signal, organizationIds }: CountedIds) {
  let least: NextIds = { next_organization_id: 1, next_agent_id: 1, next_campaign_id: 1 };
  const owners = new Map<string, number>();
  const shared: IdsReport['problems'] = [];
  for (const organizationId of await organizationIds()) {
    const own = join(folder, ownFolder(organizationId));
    const files = { fs, folder: own, organizationId, signal, onCall: () => {} };
    let { root } = readSuspectRoot(fs, own, storeNames(fs, own));
    const names = root === undefined ? [] : namesOf(root.state);
    root ??= rebuiltRoot(files, { systemNow: 0, demoAgentId: undefined }, await checkAgainst(files, rootOnDisk(files)));
    least = higher(least, idsAfter(root.state));
    for (const name of names) {
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
