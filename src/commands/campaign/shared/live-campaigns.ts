/** Campaigns whose calls are read as they come, and how far each is. */
import { Follower } from '../../../calls/follow.ts';
import { type Progress, progressOf } from '../../../calls/progress/progress.ts';
import { RecentCalls } from '../../../calls/progress/recent-calls.ts';
import type { Context } from '../../../context.ts';
import type { Service } from '../../../contract.ts';
import { concurrencyOf } from '../../shared/concurrency.ts';
import { type Launch, type Launches, type Line, lineOf, linesOf, tallyOf } from './launch.ts';

interface Watched {
  launch: Launch;
  line: Line;
  /** When the last call is made if nobody is reached, in milliseconds since the epoch. */
  latestFinish: number;
}

interface LiveOptions {
  campaigns: readonly Watched[];
  service: Service;
  /** Why campaigns of the local engine are paused, by their ids. */
  pauses(): Promise<ReadonlyMap<number, string>>;
  /** By the clock of the service, in milliseconds since the epoch. */
  now(): Promise<number>;
  concurrency: number;
}

export interface LiveLook {
  campaigns: readonly Progress[];
  /** The error that ended the reading early. */
  failure: unknown;
}

/** Calls that are shown. */
const SHOWN = 10;

export class LiveCampaigns {
  readonly #options: LiveOptions;
  readonly #recent: ReadonlyMap<Line, RecentCalls>;
  /** One for each agent: by that the service filters. */
  readonly #followers: readonly Follower[];

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#recent = new Map(options.campaigns.map(({ line }) => [line, new RecentCalls()]));
    const agents = new Set([...this.#recent.keys()].map(({ filters }) => filters.agent_id));
    this.#followers = [...agents].map((agent) => this.#follower(agent));
  }

  #follower(agent_id: number | undefined): Follower {
    const lines = [...this.#recent].filter(([{ filters }]) => filters.agent_id === agent_id);
    const { service, now, concurrency } = this.#options;
    return new Follower({
      ...{ service, now, concurrency, filters: { agent_id }, select: undefined },
      since: Math.min(...lines.flatMap(([{ parts }]) => parts.map(({ span }) => span.from))),
      take(call) {
        for (const [{ attribution }, recent] of lines) if (attribution.take(call)) recent.take(call);
      },
    });
  }

  /** How many readings a look takes. */
  get readings(): number {
    return this.#followers.length;
  }

  /** Reads what is new. Where that fails, what was read until then counts, and the next look goes on from there. */
  async look(): Promise<LiveLook> {
    let failure: unknown;
    for (const follower of this.#followers) failure ??= (await follower.look()).failure;
    const now = await this.#options.now();
    for (const { attribution } of this.#recent.keys()) attribution.resolve(now);
    const pauses = await this.#options.pauses();
    return { campaigns: this.#options.campaigns.map((one) => this.#progressOf(one, pauses, now)), failure };
  }

  #progressOf({ launch, line, latestFinish }: Watched, pauses: ReadonlyMap<number, string>, now: number): Progress {
    const { part: launched } = launch;
    const { attribution } = line;
    const timeOf = (mark: string) => {
      const owner = attribution.ownerOf(mark);
      return owner?.kind === 'campaign' && owner.key === launched.key ? attribution.timeOf(mark) : undefined;
    };
    const reason = pauses.get(launch.campaign_id);
    return progressOf(
      {
        ...{ key: launched.key, campaignId: launch.campaign_id, name: launch.campaign_name, latestFinish, launched },
        tally: tallyOf(launch, line),
        recently: (this.#recent.get(line) as RecentCalls).look(timeOf, SHOWN, now),
        paused: reason === undefined ? undefined : { reason },
      },
      now,
    );
  }
}

/** The calls of campaigns, with those of all others that could claim one of them. */
export async function liveCampaigns(
  wanted: readonly Launch[],
  launches: Launches,
  context: Context,
): Promise<LiveCampaigns> {
  const { worstCaseFinish } = await import('../../../engine/pace.ts');
  const lines = await linesOf(wanted, launches, context.io);
  const campaigns = wanted.map((launch): Watched => {
    const { start, callsPerHour, attempts, retryDelay, contacts } = launch.part;
    const latestFinish = worstCaseFinish({
      ...{ total_contacts: contacts.phones.length, start_time: start, calls_per_hour: callsPerHour },
      ...{ retry_attempts: attempts - 1, retry_delay: retryDelay / 1000 },
    });
    return { launch, line: lineOf(launch, lines), latestFinish };
  });
  return new LiveCampaigns({
    campaigns,
    service: await context.service(),
    pauses: () => pausesIn(context),
    now: launches.now,
    concurrency: concurrencyOf(context),
  });
}

async function pausesIn({ settings, local }: Context): Promise<ReadonlyMap<number, string>> {
  if (settings.isRemote()) return new Map();
  const { timeline } = await local();
  const { campaigns } = (await timeline.stored()).state;
  return new Map(campaigns.flatMap(({ campaign_id, reason }) => (reason === null ? [] : [[campaign_id, reason]])));
}
