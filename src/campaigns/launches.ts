/** Campaigns that were created from here, on a real service or the local engine, and single calls. */
import type { Contact } from '../contract.ts';
import type { VagentError } from '../errors.ts';
import type { Past, SentCampaign } from '../register/requests.ts';
import type { SentParty } from './attribution/party.ts';

/** A campaign as it was sent. */
export interface Launch extends SentParty {
  name: string;
  /** When it was sent; on the local engine, when it begins. Milliseconds since the epoch. */
  at: number;
  /** That its contacts came from, as they were named; where that is known. */
  files: readonly string[];
  /** Makes ready what is asked of the contacts: whom each call may be for, or all that was sent. Throws FileError. */
  load(what: 'keys' | 'all'): Promise<void>;
  /** As they were sent, with the cells of their rows in the file if they were kept, after `load('all')`. Throws FileError. */
  sent(): AsyncIterable<{ contact: Contact; cells?: readonly string[] | undefined }>;
  /** The columns of the file, after `load('all')`; undefined if its rows were not kept. */
  columns(): readonly string[] | undefined;
}

/** One that the service has named. */
export type NamedLaunch = Launch & { campaignId: number };

/** Everything that is known of what was sent. */
export interface Launches {
  /** Every campaign in the order of sending, those of unknown outcome too. */
  campaigns: readonly Launch[];
  calls: readonly SentParty[];
  forgotten: readonly Past<SentCampaign>[];
  /** Something that is missing, and may explain why a campaign is not found. */
  damage: VagentError | undefined;
  /** By the clock of the service, in milliseconds since the epoch. */
  now(): Promise<number>;
}

/** Those that can be named, the newest first. */
export function namedLaunches({ campaigns }: Launches): NamedLaunch[] {
  return campaigns.filter((launch): launch is NamedLaunch => launch.campaignId !== undefined).toReversed();
}
