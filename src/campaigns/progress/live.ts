/** Campaigns whose calls are read as they come, and how far each is. */
import { Follower } from '../../calls/follow.ts';
import { concurrencyOf } from '../../calls/paging/pages.ts';
import { worstCaseFinish } from '../../engine/pace.ts';
import type { Ports } from '../../register/ports.ts';
import { SECOND } from '../../text/units.ts';
import type { Launches, NamedLaunch } from '../launches.ts';
import { lineOf, linesOf } from '../lines.ts';
import { type Progress, progressOf } from './progress.ts';
import { RecentCalls } from './recent-calls.ts';

export interface LiveCampaigns {
  /** How many readings a look takes. */
  readings: number;
  /** Reads what is new. Where that fails, what was read until then counts, and the next look goes on from there. */
  look(): Promise<LiveLook>;
}

export interface LiveLook {
  campaigns: readonly Progress[];
  /** The error that ended the reading early. */
  failure: unknown;
}

/** Calls that are shown. */
const SHOWN = 10;

/** The calls of campaigns, with those of all others that could claim one of them. */
export async function liveCampaigns(
  wanted: readonly NamedLaunch[],
  launches: Launches,
  ports: Ports,
): Promise<LiveCampaigns> {
  const found = await linesOf(wanted, launches, ports.notes);
  const lines = found.map((line) => ({ ...line, recent: new RecentCalls() }));
  const campaigns = wanted.map((launch) => ({
    launch,
    line: lineOf(launch, lines),
    latestFinish: latestFinish(launch),
  }));
  const service = await ports.services.chosen();
  // One for each agent: by that the service filters.
  const followers = [...new Set(wanted.map(({ agentId }) => agentId))].map((agent_id) => {
    const own = lines.filter(({ filters }) => filters.agent_id === agent_id);
    return new Follower({
      ...{ service, concurrency: concurrencyOf(ports), filters: { agent_id }, select: undefined },
      now: () => launches.now(),
      since: Math.min(...own.map(({ from }) => from)),
      take(call) {
        for (const { attribution, recent } of own) if (attribution.take(call)) recent.take(call);
      },
    });
  });

  async function look(): Promise<LiveLook> {
    let failure: unknown;
    for (const follower of followers) failure ??= (await follower.look()).failure;
    const now = await launches.now();
    for (const { attribution } of lines) attribution.resolve(now);
    const pauses = await pausesIn(ports);
    const progress = campaigns.map(({ launch, line: { attribution, recent }, latestFinish }) => {
      const isOwn = (mark: string) => attribution.ownerOf(mark)?.party === launch;
      const recently = recent.look((mark) => (isOwn(mark) ? attribution.timeOf(mark) : undefined), SHOWN, now);
      const tally = attribution.tallyOf(launch);
      return progressOf(launch, { tally, latestFinish, recently, paused: pauses.get(launch.campaignId) }, now);
    });
    return { campaigns: progress, failure };
  }
  return { readings: followers.length, look };
}

/** When the last call is made if nobody is reached, in milliseconds since the epoch. */
function latestFinish({ start, callsPerHour, attempts, retryDelay, contacts }: NamedLaunch): number {
  return worstCaseFinish({
    ...{ total_contacts: contacts.phones.length, start_time: start, calls_per_hour: callsPerHour },
    ...{ retry_attempts: attempts - 1, retry_delay: retryDelay / SECOND },
  });
}

/** Why campaigns of the local engine are paused, by their ids. */
async function pausesIn({ register, local }: Ports): Promise<ReadonlyMap<number, string>> {
  if (!register.target().isLocal) return new Map();
  const { timeline } = await local.engine();
  const { campaigns } = (await timeline.stored()).state;
  return new Map(campaigns.flatMap(({ campaign_id, reason }) => (reason === null ? [] : [[campaign_id, reason]])));
}
