/** When a campaign's calls end if nobody is ever reached: only its pace matters, so even a campaign of a million is quick. */
import { HOUR, SECOND } from '../text/units.ts';
import { dial, nextEvent, UNDIALLED } from './campaigns.ts';
import { MemoryQueues } from './memory-queues.ts';
import { withinCalendar } from './policy.ts';
import type { Campaign } from './state.ts';

/** The most attempts that are stepped through one by one, which takes a few seconds. */
const MOST_ATTEMPTS = 30_000_000;

export type Pacing = Pick<
  Campaign,
  'total_contacts' | 'start_time' | 'calls_per_hour' | 'retry_attempts' | 'retry_delay'
>;

/**
 * When the last call is placed, in milliseconds since the epoch: exactly when the engine would place it, or, for a campaign with
 * too many attempts to step through, a later instant.
 */
export function worstCaseFinish(pacing: Pacing): number {
  const { total_contacts: contacts, start_time, calls_per_hour, retry_attempts, retry_delay } = pacing;
  let last = start_time;
  const isStepped = eachUnansweredCall(pacing, (_contact, _attempt, at) => {
    last = at;
  });
  if (isStepped) return last;
  const attempts = contacts * (1 + retry_attempts);
  return withinCalendar(start_time + (attempts * HOUR) / calls_per_hour + retry_attempts * retry_delay * SECOND);
}

/**
 * The calls in order, exactly when the engine would place them. `visit` gets the contact and its attempt, both from 0, and the
 * time in milliseconds since the epoch; if it returns false, it wants no more. False, without a call, if there are too many to
 * step through.
 */
export function eachUnansweredCall(
  pacing: Pacing,
  visit: (contact: number, attempt: number, at: number) => unknown,
): boolean {
  if (pacing.total_contacts * (1 + pacing.retry_attempts) > MOST_ATTEMPTS) return false;
  const campaign = {
    ...pacing,
    ...UNDIALLED,
    status: 'running' as const,
    pace: { anchor: pacing.start_time, dials: 0 },
  };
  const queues = new MemoryQueues(() => NOBODY);
  let isWanted = true;
  for (let at = nextEvent(campaign); at !== undefined && isWanted; at = nextEvent(campaign)) {
    dial(campaign, at, queues, ({ index, attempt }) => {
      isWanted = visit(index, attempt - 1, at) !== false;
      return UNREACHED;
    });
  }
  return true;
}

const NOBODY = { phone_number: '' };
const UNREACHED = { call_status: 'no_answer', call_outcome: '' };
