/** Roots that are sound except for their times: wallet, agents and campaigns of such a store need not be lost. */
import { join } from 'node:path';
import { LAST_INSTANT } from '../../../contract.ts';
import type { AgentRecord, Campaign, State } from '../../../engine/state.ts';
import type { FileSystem } from '../../../files/file-system.ts';
import { ROOT_NAME, type Root, rootSchema } from '../root.ts';
import { upgraded } from '../upgrade.ts';

/** Takes the place of an invalid time until a repair finds a better one. */
const PROVISIONAL: Record<string, number> = {
  last: LAST_INSTANT,
  offset: 0,
  start_time: LAST_INSTANT,
  anchor: LAST_INSTANT,
  retry_due: LAST_INSTANT,
};

/** The root with provisional times; undefined if anything else is wrong with it. */
export function rootBesideTimes(fs: FileSystem, folder: string): Root | undefined {
  try {
    const { data: value } = upgraded(JSON.parse(fs.readFileSync(join(folder, ROOT_NAME), 'utf8')));
    for (const { path } of rootSchema.safeParse(value).error?.issues ?? []) setProvisional(value, path);
    return rootSchema.safeParse(value).data;
  } catch {
    return undefined;
  }
}

function setProvisional(root: unknown, path: readonly PropertyKey[]): void {
  const field = String(path.at(-1));
  const holder = path.slice(0, -1).reduce((value, key) => (value as Record<PropertyKey, unknown>)[key], root);
  if (Object.hasOwn(PROVISIONAL, field)) (holder as Record<string, unknown>)[field] = PROVISIONAL[field];
}

/** Milliseconds since the epoch: the clock continues from the end of the calls, or from the system's time if that is later. */
export function clockAfterCalls(lastCall: string | undefined, systemNow: number): State['clock'] {
  const last = Math.max(systemNow, Date.parse(lastCall ?? '') || systemNow);
  return { offset: last - systemNow, last };
}

/** An agent with an invalid time counts as created and changed no later than `now`. */
export function knownBefore(now: number, agent: AgentRecord): AgentRecord {
  const latest = new Date(now).toISOString();
  const heldBefore = (time: string) => (Date.parse(time) <= now ? time : latest);
  return { ...agent, created_at: heldBefore(agent.created_at), updated_at: heldBefore(agent.updated_at) };
}

/** A campaign that has begun continues from `now`, whatever its invalid times. */
export function begunBefore(now: number, campaign: Campaign): Campaign {
  const hasBegun = campaign.attempts > 0 || campaign.status === 'running';
  if (!hasBegun) return campaign;
  const { start_time, pace } = campaign;
  return {
    ...campaign,
    start_time: Math.min(start_time, now),
    pace: pace.anchor > now ? { anchor: now, dials: 0 } : pace,
  };
}
