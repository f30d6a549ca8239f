/** The calls of one agent from one number, and whose they are. */
import { markOf } from '../calls/paging/identity.ts';
import { type CallFilters, concurrencyOf, INCOMPLETE, pages, readLog } from '../calls/paging/pages.ts';
import type { CallLogEntry } from '../contract.ts';
import { VagentError } from '../errors.ts';
import type { Ports } from '../register/ports.ts';
import { firstDaySince } from '../text/iso.ts';
import type { Notes } from '../text/notes.ts';
import { Attribution } from './attribution/attribution.ts';
import { type SentParty, together } from './attribution/party.ts';
import type { Launch, Launches } from './launches.ts';

export interface Line {
  attribution: Attribution<SentParty>;
  /** What to ask the service for, so that it shows all of them. */
  filters: CallFilters;
  campaigns: readonly Launch[];
  /** When the first of them begins, in milliseconds since the epoch. */
  from: number;
}

/**
 * The lines that the campaigns belong to; each holds everything that is needed to tell whose its calls are. Throws FileError if
 * the contacts of a wanted campaign cannot be read, and warns of others.
 */
export async function linesOf(wanted: readonly Launch[], launches: Launches, notes: Notes): Promise<Line[]> {
  const isWanted = new Set(wanted);
  const readable = await loadLines(launches.campaigns, isWanted, notes);
  return together(readable, (launch) => isWanted.has(launch)).map((campaigns) => {
    const [{ agentId, from: number }] = campaigns as [Launch];
    const from = Math.min(...campaigns.map(({ span }) => span.from));
    const until = Math.max(...campaigns.map(({ span }) => span.until));
    const calls = launches.calls.filter(
      (call) => call.agentId === agentId && call.from === number && call.span.until >= from && call.span.from <= until,
    );
    const filters = { agent_id: agentId, start_date: firstDaySince(from) };
    return { attribution: new Attribution<SentParty>([...campaigns, ...calls]), filters, campaigns, from };
  });
}

/**
 * All campaigns; of those that called with the agents of the wanted ones from their numbers, what tells them apart is known then.
 * One whose contacts cannot be read called nobody.
 */
async function loadLines(all: readonly Launch[], wanted: ReadonlySet<Launch>, notes: Notes): Promise<Launch[]> {
  const nameOf = ({ agentId, from }: Launch) => `${agentId} ${from}`;
  const lines = new Set([...wanted].map(nameOf));
  const readable: Launch[] = [];
  for (const launch of all) {
    try {
      if (lines.has(nameOf(launch))) await launch.load();
      readable.push(launch);
    } catch (error) {
      if (wanted.has(launch) || !(error instanceof VagentError)) throw error;
      const name = launch.campaignId === undefined ? 'another campaign' : `campaign ${launch.campaignId}`;
      notes.warn(`${error.message} Calls of ${name} to the same numbers cannot be told apart.`);
    }
  }
  return readable;
}

/** The one that holds a campaign. */
export function lineOf<L extends Line>(launch: Launch, lines: readonly L[]): L {
  return lines.find(({ campaigns }) => campaigns.includes(launch)) as L;
}

/**
 * Reads the calls of a line, and passes every one on that may be of its campaigns. Returns the service's time, in milliseconds
 * since the epoch, and the error of a log that shows fewer calls than it counts: what it showed is attributed all the same.
 */
export async function readLine(
  { attribution, filters }: Line,
  launches: Launches,
  ports: Ports,
  each: (call: CallLogEntry) => void = () => {},
): Promise<{ now: number; shortage: VagentError | undefined }> {
  const service = await ports.services.chosen();
  const options = { concurrency: concurrencyOf(ports), seen: attribution.seenAnew() };
  const reading = pages(service, filters, options);
  let shortage: VagentError | undefined;
  try {
    for await (const { calls } of readLog(reading, 'Reading calls', ports.notes)) {
      for (const call of calls) if (attribution.take(call)) each(call);
    }
  } catch (error) {
    if (!(error instanceof VagentError) || error.code !== INCOMPLETE) throw error;
    shortage = error;
  }
  const now = await launches.now();
  attribution.resolve(now);
  return { now, shortage };
}

export type CampaignCalls = Awaited<ReturnType<typeof callsOf>>;

/**
 * The calls of one campaign: the log is read once to tell which they are. Throws FileError, and UnavailableError `incomplete`.
 */
export async function callsOf(launch: Launch, launches: Launches, ports: Ports) {
  const [line] = (await linesOf([launch], launches, ports.notes)) as [Line];
  const { shortage } = await readLine(line, launches, ports);
  if (shortage !== undefined) throw shortage;
  const { attribution, filters } = line;
  return {
    filters,
    /** Whether a call is of the campaign, as far as is known by now. */
    isOf: (call: CallLogEntry) => attribution.ownerOf(markOf(call))?.party === launch,
    /** Takes a call that came later, or has changed; false if it can be of no campaign. */
    take: (call: CallLogEntry) => attribution.take(call),
    /** Works out anew whose the calls are. */
    resolve: async () => attribution.resolve(await launches.now()),
  };
}
