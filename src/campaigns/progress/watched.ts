/** The campaigns that are watched: one, or all that are not over, and those that are created meanwhile. */
import { Follower } from '../../calls/follow.ts';
import { concurrencyOf } from '../../calls/paging/pages.ts';
import { worstCaseFinish } from '../../engine/pace.ts';
import type { Ports } from '../../register/ports.ts';
import { SECOND } from '../../text/units.ts';
import { knownLaunches, type Launches, type NamedLaunch, namedLaunches } from '../launches.ts';
import { lineOf, linesOf } from '../lines.ts';
import { keepTally } from './listed.ts';
import { type Progress, progressOf } from './progress.ts';

export interface Look {
  campaigns: readonly Progress[];
  /** The error that ended the reading early: what was read until then counts, and the next look goes on from there. */
  failure: unknown;
}

type Live = Awaited<ReturnType<typeof liveCampaigns>>;

/** Milliseconds between two readings of everything; and how many times as long as the last one took, at least. */
const REOPEN = 5_000;
const REST = 20;

export class WatchedCampaigns {
  readonly #ports: Ports;
  /** Of the campaign that was named; undefined for all. */
  readonly #key: number | undefined;
  #live: Live | undefined;
  /** The same with what was sent since: it takes over once it has read everything. */
  #next: { live: Live; began: number } | undefined;
  /** Changes with anything that was sent, and with what matters of it. */
  #stamp = '';
  #content = '';
  #reopenAt = Number.NEGATIVE_INFINITY;
  /** Campaigns that were not over when they were seen first, or were named. */
  readonly #shown = new Set<number>();
  readonly #kept = new Set<number>();
  #campaigns: readonly Progress[] = [];

  constructor(key: number | undefined, ports: Ports) {
    this.#ports = ports;
    this.#key = key;
    if (key !== undefined) this.#shown.add(key);
  }

  /** How many readings a look takes. */
  get readings(): number {
    return this.#live?.readings ?? 1;
  }

  /** Reads what is new. Where that fails, what was known is still shown, and the next look goes on from there. */
  async look(): Promise<Look> {
    await this.#reopenIfChanged();
    const look = await (this.#next?.live ?? (this.#live as Live)).look();
    if (look.failure !== undefined && this.#next !== undefined) return { ...look, campaigns: this.#campaigns };
    this.#takeOver();
    for (const campaign of look.campaigns) await this.#see(campaign);
    this.#campaigns = look.campaigns.filter(({ key }) => this.#shown.has(key));
    return { ...look, campaigns: this.#campaigns };
  }

  #takeOver(): void {
    if (this.#next === undefined) return;
    const now = performance.now();
    this.#reopenAt = now + Math.max(REOPEN, REST * (now - this.#next.began));
    this.#live = this.#next.live;
    this.#next = undefined;
  }

  async #see({ key, phase, tally, at }: Progress): Promise<void> {
    if (phase !== 'over') this.#shown.add(key);
    else if (!this.#kept.has(key)) {
      this.#kept.add(key);
      await keepTally(key, tally, at, this.#ports);
    }
  }

  /** A campaign that was created meanwhile may be one to show, or one that claims calls of another. */
  async #reopenIfChanged(): Promise<void> {
    const began = performance.now();
    if (this.#next !== undefined || began < this.#reopenAt) return;
    const stamp = await stampOf(this.#ports);
    if (stamp === this.#stamp) return;
    const launches = await knownLaunches(this.#ports);
    const wanted = await this.#wanted(launches);
    const content = contentOf(wanted, launches);
    this.#stamp = stamp;
    if (content === this.#content) return;
    this.#content = content;
    this.#next = { live: await liveCampaigns(wanted, launches, this.#ports), began };
  }

  async #wanted(launches: Launches): Promise<NamedLaunch[]> {
    const named = namedLaunches(launches);
    if (this.#key !== undefined) return named.filter(({ key }) => key === this.#key);
    const today = await launches.now();
    return named
      .filter(({ key, isOver, span }) => this.#shown.has(key) || (!isOver && span.until >= today))
      .toReversed();
  }
}

/** Changes whenever something is sent. */
async function stampOf({ register, local }: Ports): Promise<string> {
  if (!register.target().isLocal) return (await register.open()).stamp();
  const { timeline } = await local.engine();
  const { next_campaign_id, campaigns } = (await timeline.stored()).state;
  return `${next_campaign_id} ${campaigns.length}`;
}

/** Of everything that was sent, what could claim a call of the wanted campaigns. */
function contentOf(wanted: readonly NamedLaunch[], { campaigns, calls }: Launches): string {
  const nameOf = ({ agentId, from }: { agentId: number; from: string }) => `${agentId} ${from}`;
  const lines = new Set(wanted.map(nameOf));
  const keysOf = (all: readonly { key: number }[]) => all.map(({ key }) => key);
  return JSON.stringify([wanted, campaigns, calls].map((all) => keysOf(all.filter((one) => lines.has(nameOf(one))))));
}

// What is read of them ------------------------------------------------------------------------------------------------

/** Calls that are shown. */
const SHOWN = 10;

/** The calls of campaigns as they come, with those of all others that could claim one of them. */
async function liveCampaigns(wanted: readonly NamedLaunch[], launches: Launches, ports: Ports) {
  const lines = await linesOf(wanted, launches, ports.notes);
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
        for (const { attribution } of own) attribution.take(call);
      },
    });
  });

  async function look(): Promise<Look> {
    let failure: unknown;
    for (const follower of followers) {
      await follower.look().catch((error: unknown) => {
        failure ??= error;
      });
    }
    const now = await launches.now();
    for (const { attribution } of lines) attribution.resolve(now);
    const pauses = await pausesIn(ports);
    const progress = campaigns.map(({ launch, line: { attribution }, latestFinish }) => {
      const recently = attribution.recentlyOf(launch, SHOWN, now);
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
