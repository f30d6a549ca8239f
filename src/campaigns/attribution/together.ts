/** Which parties must be attributed together, because what one did tells whose the calls of another are. */
import type { Party } from './party.ts';

/**
 * The parties that share an agent, a number, time and phones with one of the wanted ones, or with another of them, and so on: in
 * the order in which they are given, whichever of them was wanted. Those that one agent calls from one number stand together.
 */
export function together<P extends Party>(all: readonly P[], isWanted: (party: P) => boolean): P[][] {
  return grouped(all, ({ agentId, from }) => `${agentId} ${from}`)
    .filter((line) => line.some(isWanted))
    .flatMap(chains)
    .filter((chain) => chain.some(isWanted))
    .flatMap(connected)
    .filter((group) => group.some(isWanted));
}

/** Parties whose times overlap, one with the next. */
function chains<P extends Party>(line: readonly P[]): P[][] {
  const chainOf = new Map<P, number>();
  let [chain, until] = [0, Number.NEGATIVE_INFINITY];
  for (const party of line.toSorted((one, other) => one.span.from - other.span.from)) {
    if (party.span.from > until) chain += 1;
    until = Math.max(until, party.span.until);
    chainOf.set(party, chain);
  }
  return grouped(line, (party) => chainOf.get(party));
}

/** Of parties at one time, those that share phones. */
function connected<P extends Party>(chain: P[]): P[][] {
  if (chain.length === 1) return [chain];
  /** For each party, itself or an earlier one of its group. */
  const earlier = chain.map((_party, at) => at);
  const firstOf = (at: number): number => (earlier[at] === at ? at : firstOf(earlier[at] as number));
  const callers = new Map<number, number>();
  for (const [at, { contacts }] of chain.entries()) {
    for (const phone of contacts.phones) {
      const other = callers.get(phone);
      if (other === undefined) callers.set(phone, at);
      else if (other !== at) {
        const [one, two] = [firstOf(at), firstOf(other)];
        earlier[Math.max(one, two)] = Math.min(one, two);
      }
    }
  }
  return grouped(chain, (_party, at) => firstOf(at));
}

/** In the order of their first members. */
function grouped<T>(all: readonly T[], keyOf: (item: T, at: number) => unknown): T[][] {
  const groups = new Map<unknown, T[]>();
  for (const [at, item] of all.entries()) {
    const key = keyOf(item, at);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
