/** Campaigns that were created from here, on a real service or the local engine, and the attribution of calls to them. */
import type { Attribution, Tally } from '../../../calls/attribution/attribution.ts';
import type { LaunchedCall, LaunchedCampaign, LaunchedContacts } from '../../../calls/attribution/launched.ts';
import { attribute } from '../../../calls/attribution/matcher.ts';
import { type Party, together } from '../../../calls/attribution/together.ts';
import type { Context } from '../../../context.ts';
import type { CallLogEntry, Contact } from '../../../contract.ts';
import { NotFoundError, VagentError } from '../../../errors.ts';
import { connectionFlags } from '../../../flags/global.ts';
import { type CallFilters, INCOMPLETE, pages } from '../../../paging/pages.ts';
import type { Io } from '../../../terminal/io.ts';
import { firstDaySince } from '../../../text/days.ts';
import { concurrencyOf } from '../../shared/concurrency.ts';
import {
  askCampaign,
  type CampaignWord,
  type KnownCampaign,
  latestCampaign,
  pickCampaign,
} from '../../shared/pick-campaign.ts';
import { readLog } from '../../shared/read-log.ts';
import { type ForgottenCampaign, requireRemembered } from '../../shared/remembered.ts';

/** A campaign as it was sent. */
export interface LaunchPart extends LaunchedCampaign {
  /** Makes ready what is asked of the contacts: whom each call may be for, or all that was sent. Throws FileError. */
  load(what: 'keys' | 'all'): Promise<void>;
  /** As they were sent, with the cells of their rows in the file if they were kept, after `load('all')`. Throws FileError. */
  sent(): AsyncIterable<{ contact: Contact; cells?: readonly string[] | undefined }>;
  /** The columns of the file, after `load('all')`; undefined if its rows were not kept. */
  columns(): readonly string[] | undefined;
}

/** One that can be named. */
export interface Launch extends KnownCampaign {
  part: LaunchPart;
  /** That its contacts came from, as they were named; where that is known. */
  files?: readonly string[];
}

/** Everything that is known of what was sent. */
export interface Launches {
  /** Those that can be named, the newest first. */
  campaigns: Launch[];
  /** Every campaign, those of unknown outcome too. */
  parts: (LaunchPart & Party)[];
  calls: LaunchedCall[];
  /** Campaigns that were forgotten. */
  forgotten: readonly ForgottenCampaign[];
  /** Completes `There is no campaign 7 …`. */
  where: string;
  /** Something that is missing, and may explain why a campaign is not found. */
  damage: VagentError | undefined;
  /** By the clock of the service, in milliseconds since the epoch. */
  now: () => Promise<number>;
}

/** The calls of one agent from one number, and whose they are. */
export interface Line {
  attribution: Attribution;
  /** What to ask the service for, so that it shows all of them. */
  filters: CallFilters;
  parts: readonly LaunchPart[];
}

export async function knownLaunches(context: Context): Promise<Launches> {
  context.announceProfile();
  if (context.settings.isRemote()) {
    const { launchesInRegister } = await import('./register-launches.ts');
    return launchesInRegister(context);
  }
  const { launchesOnEngine } = await import('./engine-launches.ts');
  return launchesOnEngine(context);
}

/** The campaign that a word means, or the latest. Throws NotFoundError, and UsageError where it is not clear which is meant. */
export async function findLaunch(
  word: CampaignWord | undefined,
  { campaigns, forgotten, where, damage }: Launches,
  { io, flags }: Context,
): Promise<Launch> {
  const advice = { where, list: `vagent campaign list${connectionFlags(flags)}` };
  try {
    // One of several is asked for, with the latest preset; a single one is meant.
    const meant = word === undefined && io.canAsk && campaigns.length > 1 ? await askCampaign(campaigns, io) : word;
    if (meant === undefined) return latestCampaign(campaigns, io, advice);
    return pickCampaign(meant, campaigns, advice);
  } catch (error) {
    if (error instanceof NotFoundError) requireRemembered(word, forgotten);
    // What is not found may be lost.
    throw damage !== undefined && error instanceof NotFoundError ? damage : error;
  }
}

/**
 * The lines that the campaigns belong to; each holds everything that is needed to tell whose its calls are. Throws FileError if
 * the contacts of a wanted campaign cannot be read, and warns of others.
 */
export async function linesOf(wanted: readonly Launch[], { parts, calls }: Launches, io: Io): Promise<Line[]> {
  const keys = new Set(wanted.map(({ part }) => part.key));
  const readable = await loadLines(parts, keys, io);
  return together(readable, ({ key }) => keys.has(key)).map((members) => {
    const [first] = members as [LaunchPart & Party];
    const from = Math.min(...members.map(({ span }) => span.from));
    const until = Math.max(...members.map(({ span }) => span.until));
    const isOfLine = ({ agentId, from: number, span }: LaunchedCall) =>
      agentId === first.agentId && number === first.from && span.until >= from && span.from <= until;
    return {
      attribution: attribute({ campaigns: members, calls: calls.filter(isOfLine) }),
      filters: { agent_id: first.agentId, start_date: firstDaySince(from) },
      parts: members,
    };
  });
}

/**
 * All campaigns; of those that called with the agents of the wanted ones from their numbers, what tells them apart is known then. One whose
 * contacts cannot be read called nobody.
 */
async function loadLines(parts: Launches['parts'], keys: ReadonlySet<number>, io: Io): Promise<Launches['parts']> {
  const lineOf = ({ agentId, from }: LaunchPart) => `${agentId} ${from}`;
  const lines = new Set(parts.filter(({ key }) => keys.has(key)).map(lineOf));
  const readable: Launches['parts'] = [];
  for (const part of parts) {
    try {
      if (lines.has(lineOf(part))) await part.load('keys');
      readable.push(part);
    } catch (error) {
      if (keys.has(part.key) || !(error instanceof VagentError)) throw error;
      const name = part.campaignId === undefined ? 'another campaign' : `campaign ${part.campaignId}`;
      io.warn(`${error.message} Calls of ${name} to the same numbers cannot be told apart.`);
      readable.push({ ...part, contacts: NOBODY, phones: () => NOBODY.phones });
    }
  }
  return readable;
}

const NOBODY: LaunchedContacts = { phones: new Float64Array(), identifierOf: () => undefined };

/** The one that holds a campaign. */
export function lineOf({ part }: Launch, lines: readonly Line[]): Line {
  return lines.find(({ parts }) => parts.some(({ key }) => key === part.key)) as Line;
}

/** A campaign with its calls attributed. */
export interface ReadLaunch {
  launch: Launch;
  line: Line;
  tally: Tally;
  /** By the clock of the service, in milliseconds since the epoch. */
  now: number;
}

/** Finds a campaign and reads the calls of its agent since it began. */
export async function readLaunch(word: CampaignWord | undefined, context: Context): Promise<ReadLaunch> {
  const launches = await knownLaunches(context);
  const launch = await findLaunch(word, launches, context);
  const [line] = (await linesOf([launch], launches, context.io)) as [Line];
  const now = await readLine(line, launches, context, { mayBeShort: true });
  return { launch, line, tally: tallyOf(launch, line), now };
}

interface Reading {
  /** Called for every entry that may be of the campaigns. */
  each?: (call: CallLogEntry) => void;
  /** Whether a log that shows fewer calls than it counts is better than none: it is warned of, and the exit code tells. */
  mayBeShort?: boolean;
}

/** Reads the calls of a line. Returns the time by the service's clock. */
export async function readLine(
  { attribution, filters }: Line,
  launches: Launches,
  context: Context,
  { each = () => {}, mayBeShort = false }: Reading = {},
): Promise<number> {
  const reading = pages(await context.service(), filters, {
    concurrency: concurrencyOf(context),
    seen: attribution.seenAnew(),
  });
  try {
    for await (const { calls } of readLog(reading, 'Reading calls', context.io)) {
      for (const call of calls) if (attribution.take(call)) each(call);
    }
  } catch (error) {
    if (!mayBeShort || !(error instanceof VagentError) || error.code !== INCOMPLETE) throw error;
    context.io.warn(`${error.message} What it showed is counted.`);
    context.exitCode = error.exitCode;
  }
  const now = await launches.now();
  attribution.resolve(now);
  return now;
}

export function tallyOf({ part }: Launch, { attribution }: Line): Tally {
  return attribution.tallyOf(part.key);
}
