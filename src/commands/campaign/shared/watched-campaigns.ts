/** The campaigns that are watched: one, or all that are not over, and those that are created meanwhile. */
import type { Progress } from '../../../calls/progress/progress.ts';
import type { Context } from '../../../context.ts';
import type { CampaignWord } from '../../shared/pick-campaign.ts';
import { keepTally } from './kept-progress.ts';
import { findLaunch, knownLaunches, type Launch, type Launches } from './launch.ts';
import { type LiveCampaigns, type LiveLook, liveCampaigns } from './live-campaigns.ts';

/** Milliseconds between two readings of everything; and how many times as long as the last one took, at least. */
const REOPEN = 5_000;
const REST = 20;

export class WatchedCampaigns {
  readonly #context: Context;
  /** Of the campaign that was named; undefined for all. */
  readonly #key: number | undefined;
  #live: LiveCampaigns | undefined;
  /** The same with what was sent since: it takes over once it has read everything. */
  #next: { live: LiveCampaigns; began: number } | undefined;
  #launches: Launches | undefined;
  /** Changes with anything that was sent, and with what matters of it. */
  #stamp = '';
  #content = '';
  #reopenAt = Number.NEGATIVE_INFINITY;
  /** Campaigns that were not over when they were seen first, or were named. */
  readonly #shown = new Set<number>();
  readonly #kept = new Set<number>();
  #campaigns: readonly Progress[] = [];

  private constructor(context: Context, key: number | undefined) {
    this.#context = context;
    this.#key = key;
    if (key !== undefined) this.#shown.add(key);
  }

  /** Throws as `findLaunch` does. */
  static async open(word: CampaignWord | undefined, context: Context): Promise<WatchedCampaigns> {
    if (word === undefined) return new WatchedCampaigns(context, undefined);
    const { part } = await findLaunch(word, await knownLaunches(context), context);
    return new WatchedCampaigns(context, part.key);
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

  async #see(campaign: Progress): Promise<void> {
    const { key, phase } = campaign;
    if (phase !== 'over') this.#shown.add(key);
    else if (!this.#kept.has(key)) {
      this.#kept.add(key);
      const launch = this.#launches?.campaigns.find(({ part }) => part.key === key);
      if (launch !== undefined) await keepTally(launch, campaign.tally, campaign.at, this.#context);
    }
  }

  /** A campaign that was created meanwhile may be one to show, or one that claims calls of another. */
  async #reopenIfChanged(): Promise<void> {
    const began = performance.now();
    if (this.#next !== undefined || began < this.#reopenAt) return;
    const stamp = await stampOf(this.#context);
    if (stamp === this.#stamp) return;
    const launches = await knownLaunches(this.#context);
    const wanted = await this.#wanted(launches);
    const content = contentOf(wanted, launches);
    this.#stamp = stamp;
    if (content === this.#content) return;
    this.#content = content;
    this.#launches = launches;
    this.#next = { live: await liveCampaigns(wanted, launches, this.#context), began };
  }

  async #wanted({ campaigns, now }: Launches): Promise<Launch[]> {
    if (this.#key !== undefined) return campaigns.filter(({ part }) => part.key === this.#key);
    const today = await now();
    return campaigns
      .filter(({ part }) => this.#shown.has(part.key) || (!part.isOver && part.span.until >= today))
      .toReversed();
  }
}

/** Changes whenever something is sent. */
async function stampOf(context: Context): Promise<string> {
  if (context.settings.isRemote()) return (await context.register.open()).stamp();
  const { timeline } = await context.local();
  const { next_campaign_id, campaigns } = (await timeline.stored()).state;
  return `${next_campaign_id} ${campaigns.length}`;
}

/** Of everything that was sent, what could claim a call of the wanted campaigns. */
function contentOf(wanted: readonly Launch[], { parts, calls }: Launches): string {
  const lines = new Set(wanted.map(({ part }) => lineOf(part)));
  const among = (all: readonly { key: number; agentId: number; from: string }[]) =>
    all.filter((one) => lines.has(lineOf(one))).map(({ key }) => key);
  return JSON.stringify([wanted.map(({ part }) => part.key), among(parts), among(calls)]);
}

function lineOf({ agentId, from }: { agentId: number; from: string }): string {
  return `${agentId} ${from}`;
}
