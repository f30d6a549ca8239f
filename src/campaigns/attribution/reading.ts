/**
 * Whose the calls to one phone are. A reading gives each entry to one of those who may have called the phone, or to nobody; of
 * all readings that keep the rules, those that leave the fewest entries to nobody count, and of these the one in which
 * all were made nearest to when the first call of those who made them was expected.
 */

/** Who may have called the phone: a contact of a campaign, or a single call, for which `attempts` is 1. */
export interface Claimant {
  /** When its calls can have been made, in milliseconds since the epoch; both ends are included. */
  from: number;
  until: number;
  attempts: number;
  delay: number;
  /** Milliseconds by which it counts as farther from each entry, because it may not exist. */
  doubt: number;
}

/** An entry of the log, as far as the rules go. */
export interface Attempted {
  /** Milliseconds since the epoch; undefined if the time cannot be read. */
  at: number | undefined;
  isCompleted: boolean;
}

export interface Reading {
  /** For each entry the claimant, or -1. */
  owners: number[];
  /** For each entry, whether another reading that counts gives it to somebody else. */
  isAmbiguous: boolean[];
}

/** Milliseconds by which a service may round the times of two attempts towards each other. */
const ROUNDING = 1_500;
/** States kept after each entry: more come about only where many campaigns call one phone many times. */
const MOST_STATES = 600;
const FEWEST_STATES = 8;
/** So many entries somebody may wait to have one more attempt left. */
const WORTH = 3;
const NOBODY = -1;

/** What happened up to an entry, as far as it matters for those to come. */
interface State {
  /** For each claimant, the next entry that it may claim, and how many from there on: as `chanceOf` writes it. */
  chances: number[];
  /** Entries that somebody has claimed: of the best way that leads here. */
  claimed: number;
  /** Milliseconds from when the first call of each claimant was expected to each of its entries, all together. */
  off: number;
  before: State | undefined;
  owner: number;
  /** Every way that leads here. */
  ways: Way[];
  /** The most entries that can still be claimed. */
  ahead: number;
}

type Way = Pick<State, 'owner' | 'off'> & { before: State };

/** One phone: its entries in the order of time, and who may have made them. */
export interface Phone {
  entries: readonly Attempted[];
  claimants: readonly Claimant[];
  /** For each of them, when its first call is expected, in milliseconds since the epoch. */
  expected: readonly number[];
  /** What else an entry shows, such as an identifier. */
  mayClaim(claimant: number, entry: number): boolean;
  /** Claimants that no rule tells apart have the same number. */
  kinds: readonly number[];
  /** At the most so many steps are taken: the more entries and claimants, the fewer states are kept. */
  steps: number;
}

/** If there are so many readings that not all can be looked at, every entry that several may have made is ambiguous. */
export function read(phone: Phone): Reading {
  if (isPlain(phone)) return { owners: phone.entries.map(() => 0), isAmbiguous: phone.entries.map(() => false) };
  const { kinds } = phone;
  const hasTwin = kinds.map((kind) => kinds.indexOf(kind) !== kinds.lastIndexOf(kind));
  const { layers, possible, isCut } = statesOf(phone, hasTwin.includes(true) ? keyByKind(kinds) : String);
  const end = (layers.at(-1) as State[]).sort(nearer)[0] as State;
  const owners = ownersUpTo(end);
  const isOfSome = end.claimed === possible.filter((all) => all.length > 0).length;
  const shared = isCut ? possible.map((all) => all.length > (isOfSome ? 1 : 0)) : contested(layers, end.claimed);
  const isAmbiguous = shared.map((is, entry) => is || hasTwin[owners[entry] as number] === true);
  return { owners, isAmbiguous };
}

/** Whether there is one claimant, and every entry keeps its rules: most phones are like this, and need no states. */
function isPlain({ entries, claimants, mayClaim }: Phone): boolean {
  const [only, second] = claimants;
  if (only === undefined || second !== undefined || entries.length > only.attempts) return false;
  return entries.every(({ at }, entry) => {
    const before = entries[entry - 1];
    if (at !== undefined && (at < only.from || at > only.until)) return false;
    if (before?.isCompleted || !mayClaim(0, entry)) return false;
    return at === undefined || before?.at === undefined || at - before.at >= only.delay - ROUNDING;
  });
}

/** Equal for states from which the same can follow. */
type Key = (chances: readonly number[]) => string;

/** Equal whichever of the claimants of one kind it was. */
function keyByKind(kinds: readonly number[]): Key {
  return (chances) =>
    chances
      .map((chance, claimant) => (kinds[claimant] as number) * 2 ** 32 + chance)
      .sort((one, other) => one - other)
      .join();
}

/**
 * Entries are somebody's wherever that is possible: only if not all can be, some are nobody's, as few as it takes. With `isCut`,
 * states were left out because there are too many.
 */
function statesOf(phone: Phone, key: Key) {
  const affordable = phone.steps / (phone.entries.length * phone.claimants.length + 1);
  const kept = Math.ceil(Math.max(FEWEST_STATES, Math.min(MOST_STATES, affordable)));
  const possible = possibleOwners(phone);
  const chances = phone.claimants.map((claimant, place) => chancesOf(claimant, place, possible, phone.entries));
  for (let nobodys = 0; ; nobodys = Math.max(1, 2 * nobodys)) {
    const { layers, isCut } = statesWith({ ...phone, possible, chances }, { kept, key, nobodys });
    if (layers.at(-1)?.length !== 0) return { layers, possible, isCut };
  }
}

/** For each entry, the claimants who may have made it by its time, and what else it shows. */
function possibleOwners({ entries, claimants, mayClaim }: Phone): number[][] {
  return entries.map(({ at }, entry) => {
    return claimants.flatMap(({ from, until }, claimant) =>
      (at === undefined || (at >= from && at <= until)) && mayClaim(claimant, entry) ? [claimant] : [],
    );
  });
}

/** A claimant may claim `most` entries, of which `entry` is the first: as one number. */
const chanceOf = (entry: number, most: number): number => entry * ATTEMPTS + most;
const entryOfChance = (chance: number): number => Math.floor(chance / ATTEMPTS);
const mostOfChance = (chance: number): number => chance % ATTEMPTS;
/** More than anybody may make. */
const ATTEMPTS = 1_024;

/** What a claimant may claim, by the number of an entry. */
interface Chances {
  atFirst: number;
  /** If it has not claimed this one, or if it has; each less what it has used up. */
  without: number[];
  after: number[];
}

function chancesOf(
  { attempts, delay }: Claimant,
  claimant: number,
  possible: readonly number[][],
  entries: readonly Attempted[],
): Chances {
  const from = [chanceOf(entries.length, 0)];
  for (let entry = entries.length - 1; entry >= 0; entry--) {
    const following = from[0] as number;
    const many = Math.min(ATTEMPTS - 1, mostOfChance(following) + 1);
    from.unshift(possible[entry]?.includes(claimant) ? chanceOf(entry, many) : following);
  }
  let later = 0;
  const after = entries.map(({ at, isCompleted }, entry) => {
    if (isCompleted) return from.at(-1) as number;
    const isTooSoon = (than: number | undefined) =>
      at !== undefined && than !== undefined && than - at < delay - ROUNDING;
    for (later = Math.max(later, entry + 1); later < entries.length && isTooSoon(entries[later]?.at); ) later += 1;
    return from[later] as number;
  });
  return { atFirst: limited(from[0] as number, attempts, entries.length), without: from.slice(1), after };
}

/** The same chance of somebody who has no more than so many attempts left. */
function limited(chance: number, attempts: number, none: number): number {
  if (attempts === 0) return chanceOf(none, 0);
  return Math.min(chance, chance - mostOfChance(chance) + attempts);
}

interface Limits {
  /** How many states are kept after each entry. */
  kept: number;
  key: Key;
  /** The most entries that are left to nobody although somebody may claim them. */
  nobodys: number;
}

function statesWith(
  { entries, claimants, expected, possible, chances }: Phone & { possible: number[][]; chances: Chances[] },
  { kept, key, nobodys }: Limits,
) {
  const layers: State[][] = [[{ ...START, chances: chances.map(({ atFirst }) => atFirst) }]];
  let isCut = false;
  let claimable = 0;
  for (const [entry, { at }] of entries.entries()) {
    const owners = possible[entry] as number[];
    if (owners.length > 0) claimable += 1;
    const following = new Map<string, State>();
    for (const state of layers[entry] as State[]) {
      const left = state.chances.slice();
      for (const owner of owners) {
        const chance = left[owner] as number;
        if (entryOfChance(chance) !== entry) continue;
        left[owner] = limited(chances[owner]?.without[entry] as number, mostOfChance(chance), entries.length);
      }
      for (const owner of owners) {
        const chance = state.chances[owner] as number;
        if (entryOfChance(chance) !== entry) continue;
        const passed = left[owner] as number;
        left[owner] = limited(chances[owner]?.after[entry] as number, mostOfChance(chance) - 1, entries.length);
        const away = at === undefined ? 0 : Math.abs(at - (expected[owner] as number));
        const off = state.off + away + (claimants[owner]?.doubt as number);
        add(following, key(left), left, { before: state, owner, off });
        left[owner] = passed;
      }
      if (claimable - state.claimed > nobodys) continue;
      add(following, key(left), left, { before: state, owner: NOBODY, off: state.off });
    }
    const states = [...following.values()];
    if (states.length > kept) {
      isCut = true;
      const costs = new Map(states.map((state) => [state, costOf(state.chances)]));
      const cost = (state: State) => costs.get(state) as number;
      states.sort((one, other) => other.claimed - one.claimed || cost(one) - cost(other)).length = kept;
    }
    layers.push(states);
  }
  return { layers, isCut };
}

const START = { claimed: 0, off: 0, before: undefined, owner: NOBODY, ways: [], ahead: 0 };

/**
 * What claimants must wait, less the attempts that they have left. Of as many claimed, those states are kept of which it is the
 * least: of those that are nearest so far, no attempt may be left for the entries to come.
 */
function costOf(chances: readonly number[]): number {
  return chances.reduce((sum, chance) => sum + entryOfChance(chance) - WORTH * mostOfChance(chance), 0);
}

/** Of as many claimed, those who made them are expected the nearest. */
function nearer(one: Pick<State, 'claimed' | 'off'>, other: Pick<State, 'claimed' | 'off'>): number {
  return other.claimed - one.claimed || one.off - other.off;
}

function add(following: Map<string, State>, key: string, chances: readonly number[], way: Way): void {
  const claimed = way.before.claimed + (way.owner === NOBODY ? 0 : 1);
  const standing = following.get(key);
  if (standing === undefined) {
    following.set(key, { ...way, chances: chances.slice(), claimed, ways: [way], ahead: 0 });
    return;
  }
  standing.ways.push(way);
  if (nearer({ ...way, claimed }, standing) < 0) Object.assign(standing, way, { claimed, chances: chances.slice() });
}

function ownersUpTo(end: State): number[] {
  const owners: number[] = [];
  for (let state = end; state.before !== undefined; state = state.before) owners.push(state.owner);
  return owners.reverse();
}

/** For each entry, whether the readings that claim `most` entries differ about it. */
function contested(layers: State[][], most: number): boolean[] {
  const isAmbiguous: boolean[] = [];
  for (const states of layers.slice(1)) {
    for (const { ways } of states) for (const { before } of ways) before.ahead = -1;
    isAmbiguous.push(false);
  }
  for (let layer = layers.length - 1; layer > 0; layer--) {
    const owners = new Set<number>();
    for (const { ways, ahead } of layers[layer] as State[]) {
      for (const { before, owner } of ways) {
        const here = ahead + (owner === NOBODY ? 0 : 1);
        before.ahead = Math.max(before.ahead, here);
        if (before.claimed + here === most) owners.add(owner);
      }
    }
    isAmbiguous[layer - 1] = owners.size > 1;
  }
  return isAmbiguous;
}
