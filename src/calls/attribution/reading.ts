/**
 * Whose the calls to one phone are. A reading gives each entry to one of those who may have called the phone, or to nobody; of
 * all readings that keep the rules, those that leave the fewest entries to nobody count, and of these the most likely one.
 */

/** Who may have called the phone: a contact of a campaign, or a single call, for which `attempts` is 1. */
export interface Claimant {
  /** When its calls can have been made, in milliseconds since the epoch; both ends are included. */
  from: number;
  until: number;
  attempts: number;
  /** The least milliseconds between two attempts. */
  delay: number;
}

/** An entry of the log, as far as the rules go. */
export interface Attempted {
  /** Milliseconds since the epoch; undefined if the time cannot be read. */
  at: number | undefined;
  isCompleted: boolean;
}

/** How well calls fit somebody's habits, as logarithms. */
export interface Likelihood {
  first(claimant: number, entry: number): number;
  retry(claimant: number, before: number, entry: number): number;
  /** That no further call is in the log after `count` of them; `last` is -1 if there is none. */
  end(claimant: number, count: number, last: number): number;
}

export interface Reading {
  /** For each entry the claimant, or -1. */
  owners: number[];
  /** For each entry, whether another reading that counts gives it to somebody else. */
  isAmbiguous: boolean[];
  /** Whether there are so many readings that not all were looked at: then every entry that several may have made is ambiguous. */
  isCut: boolean;
}

/** Milliseconds by which a service may round the times of two attempts towards each other. */
const ROUNDING = 1_500;
/** States kept after each entry: more come about only where many campaigns call one phone many times. */
const MOST_STATES = 600;
/** The same where only the likeliest reading is looked for. */
const LIKELIEST_STATES = 40;
/** The same if a reading with so few leaves entries to nobody that others claim. */
const MORE_STATES = 300;
const FEWEST_STATES = 8;
const NOBODY = -1;

/** What happened up to an entry, as far as it matters for those to come. */
interface State {
  /** For each claimant, the next entry that it may claim, and how many from there on: as `chanceOf` writes it. */
  chances: number[];
  /** Entries that somebody has claimed, and how likely that is: of the best way that leads here. */
  claimed: number;
  score: number;
  /** Attempts that are still left, less those at the start: of equals, the state with the most can claim the most. */
  left: number;
  before: State | undefined;
  owner: number;
  /** Every way that leads here. */
  ways: Way[];
  /** The most entries that can still be claimed. */
  ahead: number;
}

interface Way {
  before: State;
  owner: number;
}

/** One phone: its entries in the order of time, and who may have made them. */
export interface Phone {
  entries: readonly Attempted[];
  claimants: readonly Claimant[];
  /** What else an entry shows, such as an identifier. */
  mayClaim(claimant: number, entry: number): boolean;
  /** Claimants that no rule tells apart have the same number. */
  kinds: readonly number[];
  /** At the most so many steps are taken: the more entries and claimants, the fewer states are kept. */
  steps: number;
}

/** The owners by the rules alone, of which the earlier claimant of the list is preferred; and which of them are not sure. */
export function readByRules(phone: Phone): Reading {
  if (isPlain(phone))
    return { owners: phone.entries.map(() => 0), isAmbiguous: phone.entries.map(() => false), isCut: false };
  const { kinds } = phone;
  const hasTwin = kinds.map((kind) => kinds.indexOf(kind) !== kinds.lastIndexOf(kind));
  const { layers, possible, isCut } = statesOf(
    phone,
    INDIFFERENT,
    MOST_STATES,
    hasTwin.includes(true) ? keyByKind(kinds) : keyFor(phone),
  );
  const end = likeliestEnd(layers, INDIFFERENT);
  const owners = ownersUpTo(end);
  const isOfSome = end.claimed === possible.filter((all) => all.length > 0).length;
  const shared = isCut ? possible.map((all) => all.length > (isOfSome ? 1 : 0)) : contested(layers, end.claimed);
  const isAmbiguous = shared.map((is, entry) => is || hasTwin[owners[entry] as number] === true);
  return { owners, isAmbiguous, isCut };
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

/** The owners of the likeliest reading; `byRules` are those that the rules alone give. */
export function readByLikelihood(phone: Phone, likelihood: Likelihood, byRules: readonly number[]): readonly number[] {
  const most = byRules.filter((owner) => owner !== NOBODY).length;
  for (const states of [LIKELIEST_STATES, MORE_STATES]) {
    const end = likeliestEnd(statesOf(phone, likelihood, states, keyFor(phone)).layers, likelihood);
    if (end.claimed >= most) return ownersUpTo(end);
  }
  return byRules;
}

const INDIFFERENT: Likelihood = { first: () => 0, retry: () => 0, end: () => 0 };

type Key = (chances: readonly number[]) => string;

/** Equal for states from which the same can follow. */
const keyOf: Key = (chances) => String.fromCharCode(...chances);
const keyOfMany: Key = (chances) => chances.join();
const keyFor = ({ entries }: Phone): Key => (entries.length > ENTRIES ? keyOfMany : keyOf);

/** The same, whichever of the claimants of one kind it was. */
function keyByKind(kinds: readonly number[]): Key {
  return (chances) =>
    chances
      .map((chance, claimant) => (kinds[claimant] as number) * 2 ** 32 + chance)
      .sort((one, other) => one - other)
      .join();
}

interface States {
  layers: State[][];
  possible: number[][];
  /** Whether states were left out because there are too many. */
  isCut: boolean;
}

/** Entries are somebody's wherever that is possible: only if not all can be, some are nobody's, as few as it takes. */
function statesOf(phone: Phone, likelihood: Likelihood, most: number, key: Key): States {
  const affordable = phone.steps / (phone.entries.length * phone.claimants.length + 1);
  const kept = Math.ceil(Math.max(FEWEST_STATES, Math.min(most, affordable)));
  const possible = possibleOwners(phone);
  const chances = phone.claimants.map((claimant, place) => chancesOf(claimant, place, possible, phone.entries));
  for (let nobodys = 0; ; nobodys = Math.max(1, 2 * nobodys)) {
    const { layers, isCut } = statesWith({ ...phone, possible, chances }, likelihood, { kept, key, nobodys });
    if (layers.at(-1)?.length !== 0) return { layers, possible, isCut };
  }
}

/** For each entry, the claimants who may have made it by its time, and what else it shows. */
function possibleOwners({ entries, claimants, mayClaim }: Phone): number[][] {
  return entries.map(({ at }, entry) =>
    claimants.flatMap(({ from, until }, claimant) =>
      (at === undefined || (at >= from && at <= until)) && mayClaim(claimant, entry) ? [claimant] : [],
    ),
  );
}

/** A claimant may claim `most` entries, of which `entry` is the first: as one number. */
const chanceOf = (entry: number, most: number): number => entry * ATTEMPTS + most;
const entryOfChance = (chance: number): number => Math.floor(chance / ATTEMPTS);
const mostOfChance = (chance: number): number => chance % ATTEMPTS;
/** More than anybody may make. */
const ATTEMPTS = 1_024;
/** So many entries fit into a character of a key. */
const ENTRIES = 65_536 / ATTEMPTS - 1;

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

interface Prepared extends Phone {
  possible: readonly number[][];
  chances: readonly Chances[];
}

interface Limits {
  /** How many states are kept after each entry. */
  kept: number;
  key: Key;
  /** The most entries that are left to nobody although somebody may claim them. */
  nobodys: number;
}

function statesWith({ entries, possible, chances }: Prepared, likelihood: Likelihood, { kept, key, nobodys }: Limits) {
  const layers: State[][] = [[{ ...START, chances: chances.map(({ atFirst }) => atFirst) }]];
  let isCut = false;
  let claimable = 0;
  for (const [entry, { isCompleted }] of entries.entries()) {
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
        const most = mostOfChance(chance);
        const passed = left[owner] as number;
        left[owner] = limited(chances[owner]?.after[entry] as number, most - 1, entries.length);
        const score = state.score + scoreOf(likelihood, state, owner, entry);
        const used = isCompleted ? most : 1;
        add(following, key(left), left, { before: state, owner }, { claimed: 1, score, used });
        left[owner] = passed;
      }
      if (claimable - state.claimed > nobodys) continue;
      add(following, key(left), left, { before: state, owner: NOBODY }, { claimed: 0, score: state.score, used: 0 });
    }
    const states = [...following.values()];
    if (states.length > kept) {
      isCut = true;
      states.sort(better).length = kept;
    }
    layers.push(states);
  }
  return { layers, isCut };
}

function scoreOf(likelihood: Likelihood, state: State, owner: number, entry: number): number {
  if (likelihood === INDIFFERENT) return 0;
  const { last } = callsOf(owner, state, entry);
  return last === -1 ? likelihood.first(owner, entry) : likelihood.retry(owner, last, entry);
}

/** How many of the entries before one a claimant has, and the last of them; -1 if there is none. */
function callsOf(claimant: number, end: State, entry: number): { count: number; last: number } {
  const calls = { count: 0, last: -1 };
  let at = entry;
  for (let state = end; state.before !== undefined; state = state.before) {
    at -= 1;
    if (state.owner !== claimant) continue;
    calls.count += 1;
    calls.last = Math.max(calls.last, at);
  }
  return calls;
}

const START = { claimed: 0, score: 0, left: 0, before: undefined, owner: NOBODY, ways: [], ahead: 0 };

function better(one: State, other: State): number {
  return other.claimed - one.claimed || other.score - one.score || other.left - one.left;
}

interface Gain {
  claimed: number;
  /** Of the whole way. */
  score: number;
  used: number;
}

function add(following: Map<string, State>, key: string, chances: readonly number[], way: Way, gain: Gain): void {
  const { before, owner } = way;
  const claimed = before.claimed + gain.claimed;
  const { score } = gain;
  const standing = following.get(key);
  if (standing === undefined) {
    const left = before.left - gain.used;
    following.set(key, { chances: chances.slice(), claimed, score, left, before, owner, ways: [way], ahead: 0 });
    return;
  }
  standing.ways.push(way);
  if (claimed < standing.claimed || (claimed === standing.claimed && score <= standing.score)) return;
  Object.assign(standing, { claimed, score, before, owner });
}

function likeliestEnd(layers: State[][], likelihood: Likelihood): State {
  const ends = layers.at(-1) as State[];
  for (const state of likelihood === INDIFFERENT ? [] : ends) {
    for (const claimant of state.chances.keys()) {
      const { count, last } = callsOf(claimant, state, layers.length - 1);
      state.score += likelihood.end(claimant, count, last);
    }
  }
  return ends.sort(better)[0] as State;
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
