/** When a campaign is expected to end, by what came of its calls so far and how fast it calls. */
import { HOUR } from '../../text/units.ts';

export interface Standing {
  contacts: number;
  /** Contacts that wait for a first or another attempt. */
  waiting: number;
  /** Contacts whose last call was completed. */
  answered: number;
  attempts: number;
  callsPerHour: number;
  callsLastHour: number;
  /** The most attempts for one contact. */
  attemptsEach: number;
  /** Milliseconds. */
  retryDelay: number;
  /** When its first call is, or was, expected. Instants in milliseconds since the epoch. */
  start: number;
  firstCall: number | undefined;
}

/** Undefined if no contact waits. Between an attempt and the next there is at least the delay, however fast the pace is. */
export function expectedFinish(standing: Standing, now: number): number | undefined {
  const { waiting, start, retryDelay } = standing;
  if (waiting === 0) return undefined;
  const from = Math.max(now, start);
  const byPace = from + (attemptsLeft(standing) * HOUR) / pace(standing, now);
  return Math.max(byPace, firstAttemptsEnd(standing, from, now) + (rounds(standing) - 1) * retryDelay);
}

/** As if there had been two calls before, one of them answered: the first calls alone say little. */
function answerRate({ answered, attempts }: Standing): number {
  return (answered + 1) / (attempts + 2);
}

/** Each waiting contact has at least one attempt before it, and some have more: so many as were not answered so far. */
function attemptsLeft(standing: Standing): number {
  const { contacts, waiting, attempts, attemptsEach } = standing;
  const rate = answerRate(standing);
  const each = (1 - (1 - rate) ** attemptsEach) / rate;
  return Math.min(waiting * attemptsEach, Math.max(waiting, contacts * each - attempts));
}

/** When everybody has been, or was, called once. */
function firstAttemptsEnd(standing: Standing, from: number, now: number): number {
  const { contacts, attempts, callsPerHour, firstCall = from } = standing;
  if (attempts < contacts) return from + ((contacts - attempts) * HOUR) / pace(standing, now);
  return firstCall + (contacts * HOUR) / callsPerHour;
}

/** The attempts of the contact that needs most: the next round is for those whom the one before did not reach. */
function rounds(standing: Standing): number {
  const missed = 1 - answerRate(standing);
  let left = standing.contacts * missed;
  let round = 1;
  for (; round < standing.attemptsEach && left >= 0.5; round++) left *= missed;
  return round;
}

/** Calls an hour. A service may call more slowly than it may; that shows only while there is always somebody to call. */
function pace({ contacts, attempts, callsPerHour, callsLastHour, firstCall }: Standing, now: number): number {
  const isShown = firstCall !== undefined && firstCall <= now - HOUR && attempts < contacts && callsLastHour > 0;
  return isShown ? Math.min(callsPerHour, callsLastHour) : callsPerHour;
}
