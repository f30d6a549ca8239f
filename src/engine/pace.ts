/** When a campaign's calls end if only its pace matters. Nothing is played, so even a campaign of a million is quick. */
import { nextSlot } from './campaigns.ts';
import { isWithinCalendar, withinCalendar } from './policy.ts';
import type { Campaign } from './state.ts';

/** The most attempts that are stepped through one by one, which takes half a second. */
const MOST_ATTEMPTS = 30_000_000;
const HOUR_MS = 3_600_000;

export type Pacing = Pick<
  Campaign,
  'total_contacts' | 'start_time' | 'calls_per_hour' | 'retry_attempts' | 'retry_delay'
>;

/**
 * When the last call is placed if nobody is ever reached, in milliseconds since the epoch: exactly when the engine would place
 * it, or, for a campaign with too many attempts to step through, a later instant.
 */
export function worstCaseFinish(pacing: Pacing): number {
  const { total_contacts: contacts, start_time, calls_per_hour, retry_attempts, retry_delay } = pacing;
  let last = start_time;
  const isStepped = eachUnansweredCall(pacing, (_contact, _attempt, at) => {
    last = at;
  });
  if (isStepped) return last;
  const attempts = contacts * (1 + retry_attempts);
  return withinCalendar(start_time + (attempts * HOUR_MS) / calls_per_hour + retry_attempts * retry_delay * 1000);
}

/**
 * The calls in order if nobody is ever reached, exactly when the engine would place them. `visit` gets the contact and its attempt,
 * both from 0, and the time in milliseconds since the epoch; if it returns false, it wants no more. False, without a call, if there
 * are too many to step through.
 */
export function eachUnansweredCall(
  pacing: Pacing,
  visit: (contact: number, attempt: number, at: number) => unknown,
): boolean {
  const { total_contacts: contacts, start_time, calls_per_hour, retry_attempts } = pacing;
  const retryDelay = pacing.retry_delay * 1000;
  if (contacts * (1 + retry_attempts) > MOST_ATTEMPTS) return false;

  const campaign = { pace: { anchor: start_time, dials: 0 }, calls_per_hour };
  const { pace } = campaign;
  /** The waiting retries in a ring: whose, when due, and which attempt. A contact waits at most once. */
  const waiter = new Uint32Array(contacts);
  const due = new Float64Array(contacts);
  const attempt = new Uint32Array(contacts);
  let head = 0;
  let waiting = 0;
  let dialled = 0;
  while (dialled < contacts || waiting > 0) {
    const slot = nextSlot(campaign);
    const at = dialled < contacts ? slot : Math.max(slot, due[head] as number);
    if (!isWithinCalendar(at)) break;
    let contact = dialled;
    let number = 0;
    if (waiting > 0 && (due[head] as number) <= at) {
      contact = waiter[head] as number;
      number = attempt[head] as number;
      head = (head + 1) % contacts;
      waiting--;
    } else dialled++;
    if (visit(contact, number, at) === false) return true;
    // The slot passed while a retry was not yet due, so the spacing starts again here.
    if (at > slot) {
      pace.anchor = at;
      pace.dials = 0;
    }
    pace.dials++;
    if (number >= retry_attempts || !isWithinCalendar(at + retryDelay)) continue;
    const tail = (head + waiting) % contacts;
    waiter[tail] = contact;
    due[tail] = at + retryDelay;
    attempt[tail] = number + 1;
    waiting++;
  }
  return true;
}
