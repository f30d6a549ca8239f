/**
 * Who may have made the calls that a log shows: a campaign that was sent from here, or a single call; and which of them must be
 * attributed together, because what one did tells whose the calls of another are.
 */
/** Instants in milliseconds since the epoch, by the service's clock. Both ends are included. */
export interface Span {
  from: number;
  until: number;
}

export interface Party {
  agentId: number;
  /** The key of the number that calls. */
  from: string;
  /** One contact and one attempt. Where a campaign could have made the same call, it is the single call's. */
  isSingleCall?: true;
  /** Undefined while the service has not named it, and of a single call. */
  campaignId?: number | undefined;
  /** When its first call is expected. */
  start: number;
  /** When its calls can be made: nothing is claimed outside. */
  span: Span;
  callsPerHour: number;
  /** The most attempts for one contact: the first and the retries. */
  attempts: number;
  /** The least milliseconds between two attempts for one contact. */
  retryDelay: number;
  contacts: Contacts;
  /** Whether the service is known to make no more calls for it, before the end of its span. */
  isOver?: boolean;
}

export interface Contacts {
  /** Keys of the phones (`phoneKeyOfDigits`) in the order of sending; a number may come twice. */
  phones: Float64Array;
  /** If these are some of those that were sent: the row of each among all of them. */
  rows?: readonly number[];
  /** Undefined for a contact without an identifier. */
  identifierOf(row: number): string | undefined;
}

/** A party that somebody has written down. */
export interface SentParty extends Party {
  /** The register's entry, or the id on the local engine: unique, and rising in the order of sending. */
  key: number;
}

export function rowIn({ rows }: Contacts, index: number): number {
  return rows === undefined ? index : (rows[index] as number);
}

/** Those of the contacts whose phones are wanted. */
export function onlyPhones(contacts: Contacts, isWanted: (phone: number, index: number) => boolean): Contacts {
  const { phones, identifierOf } = contacts;
  const places = Array.from(phones.keys()).filter((index) => isWanted(phones[index] as number, index));
  return {
    phones: Float64Array.from(places, (index) => phones[index] as number),
    rows: places.map((index) => rowIn(contacts, index)),
    identifierOf: (row) => identifierOf(row),
  };
}

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
