/**
 * From when on other campaigns and calls that this machine knows of leave the phones of a plan alone. Their dials come into the
 * roster when the log shows them; before that, each may still happen, or have happened without being shown.
 */
import type { Campaign } from '../../engine/state.ts';
import { HOUR, MINUTE, SECOND } from '../../text/units.ts';
import type { LoadedPlan } from './plan.ts';
import { DIAL_MARKS, type Roster } from './roster.ts';
import { lookBack, type PlanRules } from './rules.ts';
import { type Pace, paceSeen, slowedUntil } from './waves.ts';

/** Something that was sent and may still dial phones. Instants in milliseconds since the epoch. */
export interface Pending {
  /** The register's entry, or the id on the local engine. */
  key: number;
  /** Keys of its phones. */
  phones: Iterable<number>;
  /** When its first call is due. */
  start: number;
  /** Milliseconds between two calls, in the order of `phones`; of no importance where a phone may be called several times. */
  interval: number;
  /** The most calls to one phone, and milliseconds between two of them at least. */
  attempts: number;
  retryDelay: number;
  /** When its last call is made at the latest. */
  until: number;
  /** Whether its calls are in the log the moment they are made. */
  isCertain: boolean;
  /** Whether it was seen to be over: it calls nobody any more, but the log may show its calls only now. */
  isOver?: boolean;
}

/** From when on a campaign of the engine leaves its phones alone at the latest: one that is paused may go on for ever. */
export function pendingCampaign(campaign: Campaign, now: number, phones: Iterable<number>): Pending {
  const { total_contacts, next_contact, retries_waiting, retry_attempts, status, start_time: start } = campaign;
  const attempts = 1 + retry_attempts;
  const left = (total_contacts - next_contact + retries_waiting) * attempts;
  const from = status === 'paused' ? start : Math.max(start, now);
  const retryDelay = campaign.retry_delay * SECOND;
  const until = from + (left * HOUR) / campaign.calls_per_hour + retry_attempts * retryDelay;
  // Who waits for a first call and who for another is not distinguished.
  const several = { interval: 0, attempts: Math.max(2, attempts), retryDelay };
  return { key: campaign.campaign_id, phones, start, ...several, until, isCertain: true };
}

/** What one of them may do to one phone. */
interface Reservation extends Pick<Pending, 'key' | 'attempts' | 'retryDelay' | 'until' | 'isCertain'> {
  /** When it calls this phone at the earliest. */
  due: number;
}

/** Milliseconds by which a call may be made before it is due. */
const EARLY = MINUTE;

/** 0 for a phone that nobody else calls. */
export function pendingUntilOf(loaded: LoadedPlan, sent: readonly Pending[], now: number): (row: number) => number {
  const { plan, roster } = loaded;
  const { rules } = plan;
  const all = atPaceSeen(sent, paceSeen(loaded.position, now));
  const longest = lookBack(rules);
  const isLive = ({ until, isCertain }: Pick<Pending, 'until' | 'isCertain'>) =>
    (isCertain ? until : until + longest) > now;
  const begin = Math.min(...all.filter(isLive).map(({ start }) => start)) - EARLY;
  // What is over calls nobody any more, but its calls must not be taken for those of one that goes on.
  const live = all.filter(({ until, isOver }) => until >= begin && isOver !== true);
  const reservations = reservationsOf(roster, live);
  return (row) => {
    const own = reservations(row);
    const at = own.some(isLive) ? reservedUntil(own, dialsOf(roster, row), rules) : 0;
    return at > now ? at : 0;
  };
}

/**
 * The keys of those that may have called the phone of a row at a time: by then it was due, and was not to be over, and without
 * this call as many of the others in the log can be theirs. Only for rows of `phones`.
 */
export function callersAt(
  { roster, position }: LoadedPlan,
  sent: readonly Pending[],
  phones: ReadonlySet<number>,
): (row: number, at: number) => readonly number[] {
  let reservations: ReturnType<typeof reservationsOf> | undefined;
  return (row, at) => {
    reservations ??= reservationsOf(roster, atPaceSeen(sent, paceSeen(position)), phones);
    const all = reservations(row);
    if (all.length === 0) return [];
    const dials = dialsOf(roster, row).filter(({ isSent }) => isSent);
    const open = all.map((reservation) => endedBy(reservation, all, dials));
    const explained = explainedBy(open, dials);
    return open.flatMap((reservation) => {
      if (!mayBe(reservation, { at }) || reservation.attempts === 0) return [];
      const without = open.map((one) => (one === reservation ? { ...one, attempts: one.attempts - 1 } : one));
      return reservation.isCertain || explainedBy(without, dials) === explained ? [reservation.key] : [];
    });
  };
}

/** Whoever was reached by a call that only one request can have made is not called by it after that. */
function endedBy(reservation: Reservation, all: readonly Reservation[], dials: readonly Dial[]): Reservation {
  const last = dials.findLast(
    (dial) => dial.isConnected && mayBe(reservation, dial) && isOnlyOf(reservation, all, dial),
  );
  return last === undefined ? reservation : { ...reservation, until: last.at };
}

/** How many of the dials the reservations can have made together: of those that can have made one, it is that which ends first. */
function explainedBy(reservations: readonly Reservation[], dials: readonly Dial[]): number {
  const left = reservations.map((reservation) => ({ reservation, calls: reservation.attempts }));
  let explained = 0;
  for (const dial of dials.toSorted((one, other) => one.at - other.at)) {
    const [first] = left
      .filter(({ reservation, calls }) => calls > 0 && mayBe(reservation, dial))
      .sort((one, other) => one.reservation.until - other.reservation.until);
    if (first === undefined) continue;
    first.calls -= 1;
    explained += 1;
  }
  return explained;
}

function mayBe({ due, until }: Pick<Reservation, 'due' | 'until'>, { at }: Pick<Dial, 'at'>): boolean {
  return due <= at && at <= until;
}

function isOnlyOf(reservation: Reservation, all: readonly Reservation[], dial: Dial): boolean {
  return all.every((other) => other === reservation || !mayBe(other, dial));
}

/** What a service was slow with, it may be with everything, retries and their delays included. */
function atPaceSeen(all: readonly Pending[], pace: Pace): readonly Pending[] {
  if (pace.late === 0) return all;
  return all.map((pending) => (pending.isCertain ? pending : { ...pending, until: slowedUntil(pending, pace) }));
}

const NONE = -1;

/** The reservations of each row, in a few numbers each: there may be a million. `wanted`: of these phones alone, if given. */
function reservationsOf(roster: Roster, all: readonly Pending[], wanted?: ReadonlySet<number>) {
  /** Of each row its last reservation, and of each reservation the one before it, what was sent, and the place in it. */
  const last = new Int32Array(roster.size).fill(NONE);
  const before: number[] = [];
  const places: number[] = [];
  const sent: Pending[] = [];
  const add = (row: number, pending: Pending, place: number) => {
    before.push(last[row] as number);
    sent.push(pending);
    last[row] = places.push(place) - 1;
  };
  for (const pending of all) {
    let place = 0;
    for (const phone of pending.phones) {
      if (wanted === undefined || wanted.has(phone))
        for (const row of roster.rowsOfPhone(phone)) add(row, pending, place);
      place++;
    }
  }
  return (row: number): Reservation[] => {
    const reservations: Reservation[] = [];
    for (let at = last[row] as number; at !== NONE; at = before[at] as number) {
      const { start, interval, attempts, ...same } = sent[at] as Pending;
      const due = attempts === 1 ? start + interval * (places[at] as number) : start;
      reservations.push({ ...same, due: due - EARLY, attempts });
    }
    return reservations;
  };
}

type Dial = ReturnType<typeof dialsOf>[number];

/** The latest first: whether each may be a call of one of these requests, and whether that one calls no more then. */
function dialsOf(roster: Roster, row: number) {
  return roster.dialsOf(row).map((at, rank) => {
    const mark = roster.markOf(row, rank);
    const isConnected = mark === DIAL_MARKS.connected;
    return { at, isSent: isConnected || mark === DIAL_MARKS.sent, isConnected };
  });
}

/** Calls that the log does not show may have been made last, as often as they can have been, and count as if they had. */
function reservedUntil(
  reservations: readonly Reservation[],
  dials: readonly Dial[],
  { minGap, maxPerNumber }: PlanRules,
): number {
  let at = 0;
  const times = dials.map((dial) => dial.at);
  for (const [{ until }, missing] of missingOf(reservations, dials)) {
    if (missing === 0) continue;
    at = Math.max(at, until + minGap);
    const most = Math.min(missing, maxPerNumber?.count ?? 0);
    for (let call = 0; call < most; call++) times.push(until);
  }
  if (maxPerNumber === undefined || at === 0) return at;
  const { count, within } = maxPerNumber;
  const last = times.sort((one, other) => other - one)[count - 1];
  return last === undefined ? at : Math.max(at, last + within);
}

/**
 * How many calls of each reservation the log does not show. A dial that several may have made is taken for one of that which ends
 * first: so what is missing is never thought to be earlier than it is. Whoever was reached is not called after that, but calls
 * before it may still come into the log: then the reservation ends with it.
 */
function missingOf(reservations: readonly Reservation[], dials: readonly Dial[]): [Reservation, number][] {
  const free = dials.filter(({ isSent }) => isSent).reverse();
  return reservations
    .toSorted((one, other) => one.until - other.until)
    .map((reservation) => {
      let missing = reservation.attempts;
      // What it has made is in the log already, and it holds only phones that it is still to call.
      if (reservation.isCertain) return [reservation, missing];
      for (const dial of free.filter((one) => mayBe(reservation, one)).slice(0, missing)) {
        free.splice(free.indexOf(dial), 1);
        missing -= 1;
        if (!dial.isConnected || !isOnlyOf(reservation, reservations, dial)) continue;
        const seen = reservation.attempts - missing;
        return [
          { ...reservation, until: dial.at },
          Math.max(0, Math.min(reservation.attempts, mostUntil(reservation, dial)) - seen),
        ];
      }
      return [reservation, missing];
    });
}

/** The most calls of one phone up to a call that was seen, that one included. */
function mostUntil({ due, retryDelay }: Reservation, { at }: Dial): number {
  return retryDelay === 0 ? Number.POSITIVE_INFINITY : 1 + Math.floor((at - due) / retryDelay);
}
