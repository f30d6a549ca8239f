/** Compares what a matcher says of a world with the truth. It knows nothing of how the matcher works. */

import { markOf } from '../../../src/calls/paging/identity.ts';
import type { CallLogEntry } from '../../../src/contract.ts';
import { candidatesOf, trueRows } from './candidates.ts';
import { Chance } from './chance.ts';
import { type Attribution, attribute, type Launched, type Owner } from './keyed.ts';
import { makeWorld, type ServiceName, type Truth, type World } from './world.ts';

export type Attribute = (launched: Launched) => Attribution;

export interface Findings {
  entries: number;
  /** Entries that more than one contact or call could claim, by agent, numbers and time alone. */
  contested: number;
  /** Entries that are marked as ambiguous. */
  marked: number;
  /** Of those that are marked: not the true owner, row and attempt. */
  wrongMarked: number;
  /** Made by something that was sent from here, and claimed by nobody. */
  unclaimed: number;
  rows: number;
  wrongRows: number;
  attempts: number;
  trueAttempts: number;
  /** What must not be, whatever the world. */
  faults: string[];
  /** By the mark of the entry. */
  said: ReadonlyMap<string, Owner>;
}

const MOST_FAULTS = 300;
/** Milliseconds that attempts that are ambiguous may come too soon, besides what the log rounds. */
const ROUNDING = 1_500;

/** The counts of worlds with so many seeds, from one on, and all faults. */
export function examineAll(
  service: ServiceName,
  { first = 1, count }: { first?: number; count: number },
  rounded: Parameters<typeof makeWorld>[2] = {},
) {
  const sums: Record<string, number> = {};
  const faults: string[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const { faults: found, said: _said, ...counts } = examine(makeWorld(seed, service, rounded), attribute);
    faults.push(...found.map((fault) => `${service} ${seed}: ${fault}`));
    for (const [name, number] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + number;
  }
  return { sums: sums as Record<keyof Omit<Findings, 'faults' | 'said'>, number>, faults };
}

export function examine(world: World, attribute: Attribute): Findings {
  const faults: string[] = [];
  const fault = (text: string) => faults.length < MOST_FAULTS && faults.push(text);
  const groups = groupsOf(world);
  const attributions = groups.map((group) => read(group, [world.entries], [world.now], attribute));
  const said = new Map<string, Owner>();
  for (const { attribution, taken } of attributions) {
    for (const mark of taken) {
      const owner = attribution.ownerOf(mark);
      if (owner === undefined) continue;
      if (said.has(mark)) fault(`${mark} is counted twice`);
      said.set(mark, owner);
    }
  }
  for (const [at, group] of groups.entries()) {
    const { attribution, taken } = attributions[at] as Read;
    for (const text of inconsistencies(group, attribution, taken, world.showing.unit)) fault(text);
    for (const text of disorder(world, group, attribution, attribute)) fault(text);
  }
  const judged = judge(world, said, fault);
  const rows = judgeRows(world, groups, attributions, said, fault);
  return { ...judged, ...rows, faults, said };
}

/** What was sent with one agent and one number. */
function groupsOf({ campaigns, calls }: World): Launched[] {
  const groups = new Map<string, { campaigns: typeof campaigns; calls: typeof calls }>();
  const groupOf = ({ agentId, from }: { agentId: number; from: string }) => {
    const name = `${agentId} ${from}`;
    const group = groups.get(name) ?? { campaigns: [], calls: [] };
    groups.set(name, group);
    return group;
  };
  for (const campaign of campaigns) groupOf(campaign).campaigns.push(campaign);
  for (const call of calls) groupOf(call).calls.push(call);
  return [...groups.values()];
}

interface Read {
  attribution: Attribution;
  taken: Set<string>;
}

function read(
  group: Launched,
  portions: readonly CallLogEntry[][],
  nows: readonly number[],
  attribute: Attribute,
): Read {
  const attribution = attribute(group);
  const taken = new Set<string>();
  for (const [at, portion] of portions.entries()) {
    for (const entry of portion) if (attribution.take(entry)) taken.add(markOf(entry));
    attribution.resolve(nows[at] as number);
  }
  return { attribution, taken };
}

/** Everything that an attribution says, as text. */
function told({ campaigns }: Launched, attribution: Attribution, marks: readonly string[]): string {
  const ofCampaigns = campaigns.map(({ key }) => {
    const { byHour, byStatus, results, ...tally } = attribution.tallyOf(key);
    return {
      tally,
      byStatus: Object.entries(byStatus).toSorted(),
      results: Object.entries(results).toSorted(),
      byHour: [...byHour].toSorted(),
      of: [...attribution.outcomesOf(key)],
    };
  });
  const owners = marks.map((mark) => attribution.ownerOf(mark) ?? null);
  const { unclaimed, ofCalls } = attribution;
  return JSON.stringify({ ofCampaigns, owners, unclaimed, ofCalls });
}

/** Sums that do not come out, and two answers that contradict each other. */
function* inconsistencies({ campaigns }: Launched, attribution: Attribution, taken: ReadonlySet<string>, unit: number) {
  let attempts = 0;
  for (const { key, contacts, attempts: most, retryDelay } of campaigns) {
    const tally = attribution.tallyOf(key);
    const outcomes = [...attribution.outcomesOf(key)];
    const calls = outcomes.flatMap((outcome) => outcome.calls);
    attempts += tally.attempts;
    if (outcomes.length !== contacts.phones.length) yield `campaign ${key} has ${outcomes.length} rows`;
    if (tally.contacts !== outcomes.length) yield `campaign ${key} tells ${tally.contacts} contacts`;
    if (calls.length !== tally.attempts) yield `campaign ${key} tells ${tally.attempts} attempts of ${calls.length}`;
    const ambiguous = calls.filter(({ mark }) => attribution.ownerOf(mark)?.isAmbiguous).length;
    if (ambiguous !== tally.ambiguous) yield `campaign ${key} tells ${tally.ambiguous} ambiguous of ${ambiguous}`;
    const statuses = Object.values(tally.byStatus).reduce((sum, count) => sum + count, 0);
    if (statuses !== calls.length) yield `campaign ${key} tells the status of ${statuses} of ${calls.length}`;
    const hours = [...tally.byHour.values()].reduce((sum, hour) => sum + hour.calls, 0);
    if (tally.byHour.size > 0 && hours !== calls.length)
      yield `campaign ${key} tells the hour of ${hours} of ${calls.length}`;
    const states = Object.values(tally.states).reduce((sum, count) => sum + count, 0);
    if (states !== outcomes.length) yield `campaign ${key} tells ${states} states`;
    for (const [row, outcome] of outcomes.entries()) {
      if (outcome.row !== row) yield `campaign ${key} row ${row} is called ${outcome.row}`;
      if (outcome.calls.length > most)
        yield `campaign ${key} row ${row} has ${outcome.calls.length} of ${most} attempts`;
      for (const [nth, { mark, at = 0 }] of outcome.calls.entries()) {
        const owner = attribution.ownerOf(mark);
        const isSame =
          owner?.kind === 'campaign' && owner.key === key && owner.row === row && owner.attempt === nth + 1;
        if (!isSame) yield `${mark} is attempt ${nth + 1} of campaign ${key} row ${row}, or ${JSON.stringify(owner)}`;
        const before = outcome.calls[nth - 1];
        if (before?.status === 'completed') yield `campaign ${key} row ${row} was called after it was reached`;
        const slack = outcome.isAmbiguous ? ROUNDING : 1;
        if (before?.at !== undefined && at - before.at < retryDelay - unit - slack)
          yield `campaign ${key} row ${row} was called too soon`;
      }
    }
  }
  const sum = attempts + attribution.ofCalls + attribution.unclaimed;
  if (sum !== taken.size)
    yield `${attempts} attempts, ${attribution.ofCalls} of calls and ${attribution.unclaimed} of nobody are not ${taken.size}`;
}

/** The same entries in another order, and in portions with an earlier version of some, must give the same. */
function* disorder(world: World, group: Launched, attribution: Attribution, attribute: Attribute) {
  const { entries, now, seed } = world;
  const chance = new Chance(seed + 1);
  const marks = entries.map(markOf);
  const expected = told(group, attribution, marks);
  const again = read(group, [chance.shuffled(entries)], [now], attribute);
  if (told(group, again.attribution, marks) !== expected) yield 'another order of the log gives another answer';
  const mixed = chance.shuffled(entries);
  const cut = chance.integer(0, mixed.length);
  const earlier = mixed
    .slice(0, cut)
    .map((entry) => (chance.happens(0.1) ? { ...entry, call_status: 'in_progress', call_outcome: '' } : entry));
  const portions = [earlier, mixed.slice(Math.max(0, cut - 3)), mixed];
  const grown = read(group, portions, [now - 3_600_000, now - 1000, now], attribute);
  if (told(group, grown.attribution, marks) !== expected) yield 'a log that grows meanwhile gives another answer';
  const twice = read(group, [entries, []], [now, now], attribute);
  if (told(group, twice.attribution, marks) !== expected) yield 'the second look gives another answer';
}

type Fault = (text: string) => unknown;

function judge(world: World, said: ReadonlyMap<string, Owner>, fault: Fault) {
  const { entries, truth } = world;
  const candidates = candidatesOf(world);
  const counts = { entries: entries.length, contested: 0, marked: 0, wrongMarked: 0, unclaimed: 0 };
  const unsure = unsureRows(world, said);
  for (const entry of entries) {
    const id = String(entry.call_id);
    const owner = said.get(id);
    const real = truth.get(id);
    const could = candidates.get(id) ?? [];
    if (real !== undefined && !could.some((one) => isSameOwner(one, real))) throw new Error(`${id} is of nobody`);
    const isRight = isTrue(owner, real);
    const isContested = could.length > 1;
    const isOnlyMiscounted = !isRight && isSameOwner(owner, real) && real !== undefined && unsure.has(rowOf(real));
    const isMarked = owner?.isAmbiguous === true || isOnlyMiscounted;
    if (isContested) counts.contested += 1;
    if (isMarked) counts.marked += 1;
    if (isMarked && !isRight) counts.wrongMarked += 1;
    if (owner === undefined && real !== undefined) counts.unclaimed += 1;
    if (could.length === 0 && owner !== undefined) fault(`${id}, which is of nobody, is of ${JSON.stringify(owner)}`);
    if (!isRight && !isMarked) {
      const what = isContested ? 'is not marked' : 'could be of one only';
      fault(`${id} ${what}: it is ${JSON.stringify(real)}, not ${JSON.stringify(owner)}`);
    }
  }
  return counts;
}

/** Contacts of an entry that is marked, as it is said and as it is: then the number of another attempt is not certain either. */
function unsureRows({ truth }: World, said: ReadonlyMap<string, Owner>): Set<string> {
  const rows = new Set<string>();
  for (const [mark, owner] of said) {
    if (!owner.isAmbiguous) continue;
    for (const one of [owner, truth.get(mark)]) if (one !== undefined) rows.add(rowOf(one));
  }
  return rows;
}

function rowOf(owner: Owner | Truth): string {
  return `${owner.key} ${'row' in owner ? owner.row : ''}`;
}

function isSameOwner(
  owner: Owner | Truth | { key: number; row?: number } | undefined,
  other: Truth | undefined,
): boolean {
  if (owner === undefined || other === undefined) return owner === other;
  const row = 'row' in owner ? owner.row : undefined;
  return owner.key === other.key && row === ('row' in other ? other.row : undefined);
}

function isTrue(owner: Owner | undefined, other: Truth | undefined): boolean {
  if (!isSameOwner(owner, other)) return false;
  return owner?.kind !== 'campaign' || owner.attempt === (other as { attempt: number }).attempt;
}

function judgeRows(
  world: World,
  groups: readonly Launched[],
  attributions: readonly Read[],
  said: ReadonlyMap<string, Owner>,
  fault: Fault,
) {
  const unsure = unsureRows(world, said);
  const sums = { rows: 0, wrongRows: 0, attempts: 0, trueAttempts: 0 };
  for (const [at, { campaigns }] of groups.entries()) {
    const { attribution } = attributions[at] as Read;
    for (const campaign of campaigns) {
      const truth = trueRows(world, campaign);
      const outcomes = [...attribution.outcomesOf(campaign.key)];
      sums.attempts += attribution.tallyOf(campaign.key).attempts;
      for (const [row, { state, callIds }] of truth.entries()) {
        const outcome = outcomes[row];
        sums.rows += 1;
        sums.trueAttempts += callIds.length;
        if (outcome?.state !== state) sums.wrongRows += 1;
        if (world.isComplete && outcome?.state !== state && !unsure.has(`${campaign.key} ${row}`)) {
          fault(`campaign ${campaign.key} row ${row} is ${outcome?.state}, not ${state}: ${callIds.join(' ')}`);
        }
      }
    }
  }
  return sums;
}
