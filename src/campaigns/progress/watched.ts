/** The campaigns that are watched: one, or all that are not over, and those that are created meanwhile. */
import type { Ports } from '../../register/ports.ts';
import { knownLaunches } from '../known-launches.ts';
import { type Launches, type NamedLaunch, namedLaunches } from '../launches.ts';
import { keepTally } from './kept.ts';
import { type LiveCampaigns, type LiveLook, liveCampaigns } from './live.ts';
import type { Progress } from './progress.ts';

/** Milliseconds between two readings of everything; and how many times as long as the last one took, at least. */
const REOPEN = 5_000;
const REST = 20;

export class WatchedCampaigns {
  readonly #ports: Ports;
  /** Of the campaign that was named; undefined for all. */
  readonly #key: number | undefined;
  #live: LiveCampaigns | undefined;
  /** The same with what was sent since: it takes over once it has read everything. */
  #next: { live: LiveCampaigns; began: number } | undefined;
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
  async look(): Promise<LiveLook> {
    await this.#reopenIfChanged();
    const look = await (this.#next?.live ?? (this.#live as LiveCampaigns)).look();
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
