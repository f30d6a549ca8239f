/** Which campaigns must be attributed together, because what one did tells whose the calls of another are. */
import type { Span } from './launched.ts';

export interface Party {
  agentId: number;
  /** The key of the number that calls. */
  from: string;
  span: Span;
  /** The phones that it calls, in any order. Read only where another's time overlaps. */
  phones(): Float64Array;
}

/**
 * The parties that share an agent, a number, time and phones with one of the wanted ones, or with another of them, and so on: in
 * the order in which they are given, whichever of them was wanted. Those that one agent calls from one number stand together.
 */
export function together<P extends Party>(all: readonly P[], isWanted: (party: P) => boolean): P[][] {
  const lines = new Map<string, P[]>();
  for (const party of all) {
    const name = `${party.agentId} ${party.from}`;
    lines.set(name, [...(lines.get(name) ?? []), party]);
  }
  return [...lines.values()].flatMap((line) =>
    line.some(isWanted) ? chains(line).flatMap((chain) => connected(chain, isWanted)) : [],
  );
}

/** Parties whose times overlap, one with the next. */
function chains<P extends Party>(line: readonly P[]): P[][] {
  const order = line.toSorted((one, other) => one.span.from - other.span.from);
  const found: { members: Set<P>; until: number }[] = [];
  for (const party of order) {
    const last = found.at(-1);
    if (last === undefined || party.span.from > last.until) {
      found.push({ members: new Set([party]), until: party.span.until });
      continue;
    }
    last.members.add(party);
    last.until = Math.max(last.until, party.span.until);
  }
  return found.map(({ members }) => line.filter((party) => members.has(party)));
}

/** Of parties at one time, the groups that share phones and hold a wanted one. */
function connected<P extends Party>(chain: P[], isWanted: (party: P) => boolean): P[][] {
  if (!chain.some(isWanted)) return [];
  if (chain.length === 1) return [chain];
  const groups: { members: Set<P>; phones: Set<number> }[] = [];
  for (const party of chain) {
    const phones = party.phones();
    const sharing = groups.filter((group) => phones.some((phone) => group.phones.has(phone)));
    const [first = { members: new Set<P>(), phones: new Set<number>() }, ...others] = sharing;
    if (sharing.length === 0) groups.push(first);
    for (const other of others) {
      for (const member of other.members) first.members.add(member);
      for (const phone of other.phones) first.phones.add(phone);
      groups.splice(groups.indexOf(other), 1);
    }
    first.members.add(party);
    for (const phone of phones) first.phones.add(phone);
  }
  return groups
    .map(({ members }) => chain.filter((party) => members.has(party)))
    .filter((members) => members.some(isWanted));
}
