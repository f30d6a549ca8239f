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
}

/** Milliseconds by which a service may round the times of two attempts towards each other. */
const ROUNDING = 1_500;
/** States kept after each entry: more come about only where many campaigns call one phone many times. */
const MOST_STATES = 600;
/** The same where only the likeliest reading is looked for. */
const LIKELIEST_STATES = 40;
/** The same if a reading with so few leaves entries to nobody that others claim. */
const MORE_STATES = 300;
/** At most so many steps are taken for one phone: the more calls and claimants, the fewer states are kept. */
const MOST_STEPS = 80_000;
const FEWEST_STATES = 8;
const NOBODY = -1;

/** What happened up to an entry: for each claimant its calls so far, and the last of them. */
interface State {
  counts: number[];
  lasts: number[];
  /** Entries that somebody has claimed, and how likely that is: of the best way that leads here. */
  claimed: number;
  score: number;
  /** Attempts that are still left, less those at the start: of equals, the state with the most can claim the most. */
  left: number;
  before: State | undefined;
  owner: number;
  /** Every way that leads here. */
  ways: { before: State; owner: number }[];
  /** The most entries that can still be claimed. */
  ahead: number;
}

/** One phone: its entries in the order of time, and who may have made them. */
export interface Phone {
  entries: readonly Attempted[];
  claimants: readonly Claimant[];
  /** What else an entry shows, such as an identifier. */
  mayClaim(claimant: number, entry: number): boolean;
  /** Claimants that no rule tells apart have the same number. */
  kinds: readonly number[];
}

/** The owners by the rules alone, of which the earlier claimant of the list is preferred; and which of them are not sure. */
export function readByRules(phone: Phone): Reading {
  if (isPlain(phone)) return { owners: phone.entries.map(() => 0), isAmbiguous: phone.entries.map(() => false) };
  const { kinds } = phone;
  const hasTwin = kinds.map((kind) => kinds.indexOf(kind) !== kinds.lastIndexOf(kind));
  const { layers, possible, isCut } = statesOf(phone, INDIFFERENT, MOST_STATES, keyByKind(kinds));
  const end = likeliestEnd(layers, INDIFFERENT);
  const owners = ownersUpTo(end);
  const shared = isCut ? possible.map((all) => all.length > 1) : contested(layers, end.claimed);
  return { owners, isAmbiguous: shared.map((is, entry) => is || hasTwin[owners[entry] as number] === true) };
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
    const end = likeliestEnd(statesOf(phone, likelihood, states, keyOf).layers, likelihood);
    if (end.claimed >= most) return ownersUpTo(end);
  }
  return byRules;
}

const INDIFFERENT: Likelihood = { first: () => 0, retry: () => 0, end: () => 0 };

type Key = (state: Pick<State, 'counts' | 'lasts'>) => string;

/** Equal for states from which the same can follow. */
const keyOf: Key = ({ counts, lasts }) => String.fromCharCode(...counts, ...lasts);

/** The same, whichever of the claimants of one kind it was. */
function keyByKind(kinds: readonly number[]): Key {
  const order = [...kinds.keys()];
  return ({ counts, lasts }) => {
    const codes = order.map((claimant) => {
      const [kind, count, last] = [kinds[claimant], counts[claimant], lasts[claimant]] as [number, number, number];
      return (kind * 1024 + count) * 65_536 + last + 1;
    });
    return codes.sort((one, other) => one - other).join();
  };
}

interface States {
  layers: State[][];
  possible: number[][];
  /** Whether states were left out because there are too many. */
  isCut: boolean;
}

/** Entries are somebody's wherever that is possible: only if not all can be, each of them may be nobody's. */
function statesOf(phone: Phone, likelihood: Likelihood, most: number, key: Key): States {
  const affordable = MOST_STEPS / (phone.entries.length * phone.claimants.length + 1);
  const kept = Math.ceil(Math.max(FEWEST_STATES, Math.min(most, affordable)));
  const whole = statesWith(phone, likelihood, kept, key, false);
  return whole.layers.at(-1)?.length === 0 ? statesWith(phone, likelihood, kept, key, true) : whole;
}

function statesWith(
  { entries, claimants, mayClaim }: Phone,
  likelihood: Likelihood,
  most: number,
  key: Key,
  hasNobodys: boolean,
): States {
  const possible = entries.map(({ at }, entry) =>
    claimants.flatMap(({ from, until }, claimant) =>
      (at === undefined || (at >= from && at <= until)) && mayClaim(claimant, entry) ? [claimant] : [],
    ),
  );
  const follows = (claimant: number, { counts, lasts }: State, entry: number): boolean => {
    const { attempts, delay } = claimants[claimant] as Claimant;
    const last = lasts[claimant] as number;
    if (last === -1) return attempts > 0;
    const before = entries[last] as Attempted;
    if ((counts[claimant] as number) >= attempts || before.isCompleted) return false;
    const at = entries[entry]?.at;
    return at === undefined || before.at === undefined || at - before.at >= delay - ROUNDING;
  };
  const claimedBy = (owner: number, before: State, entry: number): State => {
    const [count, last] = [before.counts[owner], before.lasts[owner]] as [number, number];
    const { attempts } = claimants[owner] as Claimant;
    return {
      counts: before.counts.with(owner, count + 1),
      lasts: before.lasts.with(owner, entry),
      claimed: before.claimed + 1,
      score: before.score + (last === -1 ? likelihood.first(owner, entry) : likelihood.retry(owner, last, entry)),
      left: before.left - (entries[entry]?.isCompleted ? attempts - count : 1),
      before,
      owner,
      ways: [{ before, owner }],
      ahead: 0,
    };
  };
  const none = claimants.map(() => 0);
  const layers: State[][] = [[{ ...START, counts: none, lasts: none.map(() => -1) }]];
  let isCut = false;
  for (const entry of entries.keys()) {
    const next = new Map<string, State>();
    for (const state of layers[entry] as State[]) {
      for (const owner of possible[entry] as number[]) {
        if (!follows(owner, state, entry)) continue;
        const after = claimedBy(owner, state, entry);
        add(next, key(after), after);
      }
      if (!hasNobodys) continue;
      const after = { ...state, before: state, owner: NOBODY, ways: [{ before: state, owner: NOBODY }], ahead: 0 };
      add(next, key(after), after);
    }
    const states = [...next.values()];
    if (states.length > most) {
      isCut = true;
      states.sort(better).length = most;
    }
    layers.push(states);
  }
  return { layers, possible, isCut };
}

const START = { claimed: 0, score: 0, left: 0, before: undefined, owner: NOBODY, ways: [], ahead: 0 };

function better(one: State, other: State): number {
  return other.claimed - one.claimed || other.score - one.score || other.left - one.left;
}

function add(next: Map<string, State>, key: string, state: State): void {
  const standing = next.get(key);
  if (standing === undefined) {
    next.set(key, state);
    return;
  }
  standing.ways.push(...state.ways);
  const { claimed, score, before, owner } = state;
  if (claimed < standing.claimed || (claimed === standing.claimed && score <= standing.score)) return;
  Object.assign(standing, { claimed, score, before, owner });
}

function likeliestEnd(layers: State[][], likelihood: Likelihood): State {
  const ends = layers.at(-1) as State[];
  for (const state of ends) {
    for (const [claimant, count] of state.counts.entries()) {
      state.score += likelihood.end(claimant, count, state.lasts[claimant] as number);
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
