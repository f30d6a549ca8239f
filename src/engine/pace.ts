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
  const { total_contacts: contacts, start_time, calls_per_hour, retry_attempts } = pacing;
  const retryDelay = pacing.retry_delay * 1000;
  const attempts = contacts * (1 + retry_attempts);
  if (attempts > MOST_ATTEMPTS) {
    return withinCalendar(start_time + (attempts * HOUR_MS) / calls_per_hour + retry_attempts * retryDelay);
  }

  const campaign = { pace: { anchor: start_time, dials: 0 }, calls_per_hour };
  const { pace } = campaign;
  /** The waiting retries in a ring: when each is due, and which attempt it is. A contact waits at most once. */
  const due = new Float64Array(contacts);
  const attempt = new Uint32Array(contacts);
  let head = 0;
  let waiting = 0;
  let dialled = 0;
  let last = start_time;
  while (dialled < contacts || waiting > 0) {
    const slot = nextSlot(campaign);
    const at = dialled < contacts ? slot : Math.max(slot, due[head] as number);
    if (!isWithinCalendar(at)) break;
    last = at;
    let number = 1;
    if (waiting > 0 && (due[head] as number) <= at) {
      number = attempt[head] as number;
      head = (head + 1) % contacts;
      waiting--;
    } else dialled++;
    // The slot passed while a retry was not yet due, so the spacing starts again here.
    if (at > slot) {
      pace.anchor = at;
      pace.dials = 0;
    }
    pace.dials++;
    if (number > retry_attempts || !isWithinCalendar(at + retryDelay)) continue;
    const tail = (head + waiting) % contacts;
    due[tail] = at + retryDelay;
    attempt[tail] = number + 1;
    waiting++;
  }
  return last;
}
