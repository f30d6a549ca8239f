/** How far the campaigns of a list are: what was kept of those that are over, and the call log for the others. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { UnavailableError, VagentError } from '../../../errors.ts';
import { pages } from '../../../paging/pages.ts';
import type { Past, SentCampaign } from '../../../register/requests.ts';
import { firstDaySince } from '../../../text/days.ts';
import { concurrencyOf } from '../../shared/concurrency.ts';
import { withProgress } from '../../shared/read-log.ts';
import { keepTally, keptOf } from './kept-progress.ts';
import { knownLaunches, type Line, lineOf, linesOf, tallyOf } from './launch.ts';

export interface Counts {
  reached: number;
  waiting: number;
  attempts: number;
}

/** How long ago campaigns were sent whose calls are read, and how long the reading may take; milliseconds. */
const RECENT = 30 * 86_400_000;
const PATIENCE = 10_000;

/** By entry; campaigns of which nothing is known are left out. A service that cannot be read is warned of, and nothing more. */
export async function progressOfList(
  campaigns: readonly Past<SentCampaign>[],
  context: Context,
): Promise<ReadonlyMap<number, Counts>> {
  const { io, signal, systemNow } = context;
  const known = new Map<number, Counts>();
  const current = new Set<number>();
  for (const { sent, summary } of campaigns) {
    const at = Date.parse(sent.at);
    const kept = keptOf(summary);
    if (kept !== undefined) known.set(sent.entry, countsOf(kept.summary));
    if (at >= systemNow() - RECENT && !kept?.isFinal) current.add(sent.entry);
  }
  if (current.size === 0 || context.settings.organization() === undefined) return known;
  try {
    for (const [entry, counts] of await readCounts((entry) => current.has(entry), context)) known.set(entry, counts);
  } catch (error) {
    if (signal.aborted || !(error instanceof VagentError)) throw error;
    io.warn(`${error.message} The campaigns that are not over are listed without their progress.`);
  }
  return known;
}

async function readCounts(isWanted: (entry: number) => boolean, context: Context): Promise<Map<number, Counts>> {
  const launches = await knownLaunches(context);
  const wanted = launches.campaigns.filter(({ part }) => isWanted(part.key));
  const lines = await linesOf(wanted, launches, context.io);
  await inTime(readLines(lines, context));
  const now = await launches.now();
  for (const { attribution } of lines) attribution.resolve(now);
  const counts = new Map<number, Counts>();
  for (const launch of wanted) {
    const tally = tallyOf(launch, lineOf(launch, lines));
    counts.set(launch.part.key, countsOf(tally));
    if (tally.states.waiting === 0) await keepTally(launch, tally, now, context);
  }
  return counts;
}

/** One reading for all campaigns of an agent. */
async function readLines(lines: readonly Line[], context: Context): Promise<void> {
  const service = await context.service();
  const agents = new Set(lines.map(({ filters }) => filters.agent_id));
  for (const agent_id of agents) {
    const own = lines.filter(({ filters }) => filters.agent_id === agent_id);
    const from = Math.min(...own.flatMap(({ parts }) => parts.map(({ span }) => span.from)));
    const filters = { agent_id, start_date: firstDaySince(from) };
    const reading = pages(service, filters, { concurrency: concurrencyOf(context) });
    for await (const { calls } of withProgress(reading, 'Reading calls', context.io)) {
      for (const call of calls) for (const { attribution } of own) attribution.take(call);
    }
  }
}

/** A list is looked at often: nobody waits long for a part of it. */
async function inTime(reading: Promise<void>): Promise<void> {
  const over = new AbortController();
  const isLate = await Promise.race([
    reading.then(() => false),
    sleep(PATIENCE, true, { signal: over.signal }).catch(() => false),
  ]).finally(() => over.abort());
  reading.catch(() => {});
  if (isLate) throw new UnavailableError(`The calls could not be read within ${PATIENCE / 1000} seconds.`);
}

function countsOf({ states, attempts }: { states: Record<string, number>; attempts: number }): Counts {
  const { reached = 0, waiting = 0 } = states;
  return { reached, waiting, attempts };
}
