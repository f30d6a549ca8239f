/** Where a plan stands in a few facts for a person, after a command has changed it. */
import { timeAndDistance } from '../../../text/when.ts';
import { whyInWords } from './plan-words.ts';

export interface Standing {
  plan_id: number;
  plan_name: string;
  state: string;
  reason: string;
  /** By state. */
  contacts: Readonly<Record<string, number>>;
  /** Milliseconds since the epoch. */
  next: { at: number; why: string } | undefined;
  now: number;
}

export function planFacts({ plan_id, plan_name, state, reason, contacts, next, now }: Standing) {
  const counts = Object.entries(contacts).filter(([, count]) => count > 0);
  return {
    plan: `${plan_id} ${plan_name}`,
    state: reason === '' ? state : `${state}: ${reason}`,
    contacts: counts.map(([name, count]) => `${count} ${name}`).join(', '),
    ...(next !== undefined && { next: `${timeAndDistance(next.at, now)}: ${whyInWords(next.why)}` }),
  };
}
