/** Who may be called: the contacts of a wave now, or when somebody may be who may not be now. Milliseconds since the epoch. */
import { type UsableWindows, usableWindows } from './calling-window.ts';
import type { LoadedPlan } from './plan.ts';
import type { Roster } from './roster.ts';
import type { PlanRules } from './rules.ts';
import { intervalOf, marginOf } from './waves.ts';

interface Limits {
  /** At most as many contacts. */
  most: number;
  /** All are dialled before this instant. */
  before: number;
  outlook: Outlook;
}

/**
 * The rows of the longest wave within the limits. Each position gets the first in the order of those that may be dialled at its
 * instant; the wave ends at the first position that nobody can take, or that would be too late for somebody who is in it.
 */
export function chooseWave(loaded: LoadedPlan, usable: UsableWindows, { most, before, outlook }: Limits): number[] {
  const { roster, plan } = loaded;
  const start = usable.at;
  const interval = intervalOf(plan.rules);
  const positions = Math.min(most, roster.counts.new + roster.counts.again);
  const { isAnybodyReady, rows: candidates } = candidatesFor(loaded, usable, start + positions * interval);
  if (!isAnybodyReady) return [];
  const lastOf = (row: number) => usable.of(roster.placeOf(row)).last;
  /** Who comes first by the order, but may only be dialled from a later position on, by that position. */
  const passedOver = new Map<number, number[]>();
  const reached = heapOf((one, other) => {
    const retries = Number(roster.stateOf(other) === 'again') - Number(roster.stateOf(one) === 'again');
    return lastOf(one) - lastOf(other) || retries || one - other;
  });
  const awaited = roster.awaitedPhones();
  const taken = new Set<number>();

  const take = (position: number): number | undefined => {
    const at = start + position * interval;
    const isUsable = (row: number) => at < lastOf(row) && !taken.has(roster.phoneOf(row));
    for (const row of passedOver.get(position) ?? []) reached.add(row);
    for (let row = reached.take(); row !== undefined; row = reached.take()) if (isUsable(row)) return row;
    for (let { value: row } = candidates.next(); row !== undefined; { value: row } = candidates.next()) {
      if (awaited.has(roster.phoneOf(row))) continue;
      const available = Math.max(availableAt(roster, row, plan.rules), outlook.pendingUntil?.(row) ?? 0);
      if (available <= at) {
        if (isUsable(row)) return row;
        continue;
      }
      const later = positionAt(available, start, interval);
      const others = passedOver.get(later);
      if (others !== undefined) others.push(row);
      else if (later < positions) passedOver.set(later, [row]);
    }
    return undefined;
  };

  const rows: number[] = [];
  let limit = before;
  while (rows.length < positions && start + rows.length * interval < limit) {
    const row = take(rows.length);
    if (row === undefined) break;
    limit = Math.min(limit, lastOf(row));
    taken.add(roster.phoneOf(row));
    rows.push(row);
  }
  return rows;
}

/** The first position that is not dialled before `at`. */
function positionAt(at: number, start: number, interval: number): number {
  const position = Math.ceil((at - start) / interval);
  // The division may be rounded down to the position before.
  return start + position * interval < at ? position + 1 : position;
}

/**
 * Who may be called at the start of the windows, and be dialled until an instant, in the order of a wave: those whose windows
 * close first, then due retries before new contacts, then the order of the file. One pass over the list; nothing of its length is
 * sorted.
 */
function candidatesFor({ roster, plan: { rules } }: LoadedPlan, usable: UsableWindows, until: number) {
  const { at: start } = usable;
  /** By when the windows of their places close. */
  const closings = new Map<number, Closing>();
  const closingAt = (last: number): Closing => {
    const closing = closings.get(last) ?? { again: [], new: [] };
    closings.set(last, closing);
    return closing;
  };
  const byPlace: Closing[] = [];
  let isAnybodyReady = false;
  for (let row = roster.nextWaiting(0); row < roster.size; row = roster.nextWaiting(row + 1)) {
    const place = roster.placeOf(row);
    const { from, last } = usable.of(place);
    if (from > start) continue;
    const state = roster.stateOf(row) as 'again' | 'new';
    if (state === 'again' && (roster.dueOf(row) > start || roster.attemptsOf(row) >= rules.maxAttempts)) continue;
    const available = availableAt(roster, row, rules);
    if (available > until) continue;
    isAnybodyReady ||= available <= start;
    byPlace[place] ??= closingAt(last);
    byPlace[place][state].push(row);
  }
  return { isAnybodyReady, rows: inOrder(closings) };
}

interface Closing {
  again: number[];
  new: number[];
}

function* inOrder(closings: ReadonlyMap<number, Closing>): Generator<number, undefined> {
  for (const [, closing] of [...closings].sort(([one], [other]) => one - other)) {
    yield* closing.again;
    yield* closing.new;
  }
}

/** A binary heap: adding, and taking the least one, need few comparisons however many there are. */
function heapOf(compare: (one: number, other: number) => number) {
  const items: number[] = [];
  const add = (item: number): void => {
    let at = items.length;
    items.push(item);
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      if (compare(items[parent] as number, item) <= 0) break;
      items[at] = items[parent] as number;
      at = parent;
    }
    items[at] = item;
  };
  /** Removes the least one; undefined if there is none. */
  const take = (): number | undefined => {
    const first = items[0];
    const moving = items.pop();
    if (moving === undefined || items.length === 0) return first;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && compare(items[child + 1] as number, items[child] as number) < 0) child++;
      if (compare(moving, items[child] as number) <= 0) break;
      items[at] = items[child] as number;
      at = child;
    }
    items[at] = moving;
    return first;
  };
  return { add, take };
}

// Later --------------------------------------------------------------------------------------------------------------

/** What a plan does not know by itself. */
export interface Outlook {
  /** By the service's clock. */
  now: number;
  /** By how much it is ahead of this machine's, in milliseconds: windows hold by both. As the plan knows it if not given. */
  ahead?: number;
  /**
   * From when on other campaigns, plans and calls leave the phone of a row alone, besides the dials that the roster knows;
   * Infinity while nobody can say.
   */
  pendingUntil?: (row: number) => number;
}

/** The last of a contact's reasons to end. */
export interface Due {
  at: number;
  why: 'window' | 'retry' | 'gap' | 'cap' | 'others' | 'start' | 'from_cap';
}

/**
 * The earliest instant, not before that of `base`, at which a contact may be dialled, which is the first moment for a wave.
 * Undefined if there is nobody to call, or only phones of which a call is awaited. The instant is Infinity if nobody can say.
 */
export function nextDue(loaded: LoadedPlan, { now, pendingUntil }: Outlook, base: Due): Due | undefined {
  const { plan, roster, windows } = loaded;
  const { rules } = plan;
  const usable = usableWindows(windows, base.at, marginOf(loaded, now));
  const awaited = roster.awaitedPhones();
  let best: Due | undefined;
  /** Who is not earlier than this is of no interest. */
  let before = Number.POSITIVE_INFINITY;
  for (let row = roster.nextWaiting(0); row < roster.size; row = roster.nextWaiting(row + 1)) {
    const place = roster.placeOf(row);
    if (best !== undefined && usable.of(place).from >= before) continue;
    if (roster.attemptsOf(row) >= rules.maxAttempts) continue;
    if (awaited.has(roster.phoneOf(row))) continue;
    const due = roster.dueOf(row);
    const gap = gapOver(roster, row, rules);
    const cap = capOver(roster, row, rules);
    const known = Math.max(base.at, due, gap, cap);
    if (best !== undefined && known >= before) continue;
    const reserved = pendingUntil?.(row) ?? 0;
    const allowed = Math.max(known, reserved);
    const at = allowed === Number.POSITIVE_INFINITY ? allowed : usable.firstIn(place, allowed);
    if (best !== undefined && at >= before) continue;
    const reasons = [
      [base.at, base.why] as const,
      [due, 'retry'],
      [gap, 'gap'],
      [cap, 'cap'],
      [reserved, 'others'],
    ] as const;
    best = { at, why: reasons.find(([until]) => until === at)?.[1] ?? 'window' };
    before = at;
  }
  return best;
}

type Caps = Pick<PlanRules, 'minGap' | 'maxPerNumber'>;

/** From when on the caps and gaps of its phone allow a dial, by the dials that are known; 0 if there was none. */
function availableAt(roster: Roster, row: number, caps: Caps): number {
  const gap = gapOver(roster, row, caps);
  // Without a dial there is no gap, and no cap either.
  return gap === 0 ? 0 : Math.max(gap, capOver(roster, row, caps));
}

function gapOver(roster: Roster, row: number, { minGap }: Caps): number {
  const latest = roster.dialOf(row, 0);
  return latest === 0 ? 0 : latest + minGap;
}

function capOver(roster: Roster, row: number, { maxPerNumber }: Caps): number {
  if (maxPerNumber === undefined) return 0;
  const dial = roster.dialOf(row, maxPerNumber.count - 1);
  return dial === 0 ? 0 : dial + maxPerNumber.within;
}
