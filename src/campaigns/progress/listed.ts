/** How far the campaigns of a list are: what was kept of those that are over, and the call log for the others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { concurrencyOf, pages, withProgress } from '../../calls/paging/pages.ts';
import { CONTACT_STATES, type ContactState, FORMER_STATES, RETRY_RESULTS, type StateCounts } from '../../contract.ts';
import { UnavailableError, VagentError } from '../../errors.ts';
import type { Ports } from '../../register/ports.ts';
import type { Past, SentCampaign } from '../../register/requests.ts';
import { firstDaySince, isoTime, isoTimeOrNull } from '../../text/iso.ts';
import { eachNamed, fieldsIn, parsed } from '../../text/json.ts';
import { DAY, SECOND } from '../../text/units.ts';
import type { Tally } from '../attribution/tally.ts';
import { knownLaunches } from '../launches.ts';
import { type Line, lineOf, linesOf } from '../lines.ts';

/** `states` are all of them; two are also fields of their own. */
export interface Counts {
  reached: number;
  waiting: number;
  attempts: number;
  states: StateCounts;
}

/** How long ago campaigns were sent whose calls are read, and how long the reading may take; milliseconds. */
const RECENT = 30 * DAY;
const PATIENCE = 10 * SECOND;

/**
 * By entry; campaigns of which nothing is known are left out. `mayRead`: whether the log may be read for those that are not over.
 */
export async function progressOfList(
  campaigns: readonly Past<SentCampaign>[],
  mayRead: boolean,
  ports: Ports,
): Promise<ReadonlyMap<number, Counts>> {
  const known = new Map<number, Counts>();
  const current = new Set<number>();
  for (const { sent, summary } of campaigns) {
    const kept = keptOf(summary);
    if (kept !== undefined) known.set(sent.entry, countsOf(kept));
    const isRecent = Date.parse(sent.at) >= ports.clock.system() - RECENT;
    if (isRecent && !kept?.isFinal) current.add(sent.entry);
  }
  if (current.size === 0 || !mayRead) return known;
  try {
    for (const [entry, counts] of await readCounts(current, ports)) known.set(entry, counts);
  } catch (error) {
    if (ports.signal.aborted || !(error instanceof VagentError)) throw error;
    // Nothing more than a part of the list is missing.
    ports.notes.warn(`${error.message} The campaigns that are not over are listed without their progress.`);
  }
  return known;
}

async function readCounts(entries: ReadonlySet<number>, ports: Ports): Promise<Map<number, Counts>> {
  const launches = await knownLaunches(ports);
  const wanted = launches.campaigns.filter(({ key, campaignId }) => campaignId !== undefined && entries.has(key));
  const lines = await linesOf(wanted, launches, ports.notes);
  await inTime(readLines(lines, ports));
  const now = await launches.now();
  for (const { attribution } of lines) attribution.resolve(now);
  const counts = new Map<number, Counts>();
  for (const launch of wanted) {
    const tally = lineOf(launch, lines).attribution.tallyOf(launch);
    counts.set(launch.key, countsOf(tally));
    if (tally.states.waiting + tally.states.calling === 0) await keepTally(launch.key, tally, now, ports);
  }
  return counts;
}

/** One reading for all campaigns of an agent. */
async function readLines(lines: readonly Line[], ports: Ports): Promise<void> {
  const service = await ports.services.chosen();
  for (const agent_id of new Set(lines.map(({ filters }) => filters.agent_id))) {
    const own = lines.filter(({ filters }) => filters.agent_id === agent_id);
    const filters = { agent_id, start_date: firstDaySince(Math.min(...own.map(({ from }) => from))) };
    const reading = pages(service, filters, { concurrency: concurrencyOf(ports) });
    for await (const { calls } of withProgress(reading, 'Reading calls', ports.notes)) {
      for (const call of calls) for (const { attribution } of own) attribution.take(call);
    }
  }
}

/** A list is looked at often: nobody waits long for a part of it. */
async function inTime(reading: Promise<void>): Promise<void> {
  reading.catch(() => {});
  const isLate = await Promise.race([reading.then(() => false), sleep(PATIENCE, true, { ref: false })]);
  if (isLate) throw new UnavailableError(`The calls could not be read within ${PATIENCE / 1000} seconds.`);
}

function countsOf({ states, attempts }: Pick<Tally, 'states' | 'attempts'>): Counts {
  const { reached, waiting } = states;
  return { reached, waiting, attempts, states };
}

// What is kept beside the register, so that the calls of a campaign that is over are not read again -------------------------

/** Milliseconds: until then an entry may still come, or be completed. */
const SETTLED_AFTER = DAY;

/** Keeps the counts of a campaign of a real service that is over at `now`. The engine knows its own. */
export async function keepTally(key: number, tally: Tally, now: number, { register }: Ports): Promise<void> {
  if (register.target().isLocal) return;
  const { contacts, states, attempts, ambiguous, firstCall, lastCall } = tally;
  // Counts alone: it holds nothing about a person.
  const summary = {
    ...{ at: isoTime(now), contacts, states, attempts, ambiguous },
    ...{ first_call: isoTimeOrNull(firstCall), last_call: isoTimeOrNull(lastCall) },
  };
  await (await register.open()).keepSummary(key, JSON.stringify(summary));
}

/** What was kept, and whether it will not change any more; undefined if nothing that can be read was: it only saves time. */
function keptOf(json: string | undefined) {
  const { at, states, attempts, first_call, last_call } = fieldsIn(parsed(json)) ?? {};
  const times = [at, first_call ?? at, last_call ?? at].map((time) => Date.parse(String(time)));
  if (fieldsIn(states) === undefined || typeof attempts !== 'number' || times.some(Number.isNaN)) return undefined;
  const [seen, , last] = times as [number, number, number];
  return { states: statesIn(states as Record<string, unknown>), attempts, isFinal: seen - last >= SETTLED_AFTER };
}

/** Versions before had last results among the states. */
const BEFORE: Readonly<Record<string, ContactState>> = {
  ...FORMER_STATES,
  ...eachNamed(RETRY_RESULTS, () => 'not_reached' as const),
};

function statesIn(kept: Record<string, unknown>): StateCounts {
  const states = eachNamed(CONTACT_STATES, () => 0);
  for (const [name, count] of Object.entries(kept)) {
    const state = CONTACT_STATES.find((one) => one === name) ?? BEFORE[name];
    if (state !== undefined && typeof count === 'number') states[state] += count;
  }
  return states;
}
