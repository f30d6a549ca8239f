/** States and reasons of plans in words, and the signs that bars draw them with. */
import type { ContactState } from '../../../plans/roster.ts';

/** The signs differ without colours too. Those for who is not called any more without having been reached are one. */
export const PLAN_SIGNS: Record<ContactState, string> = {
  ...{ reached: '█', exhausted: '▓', unseen: '▓', excluded: '▓', left: '▓', handed: '▒', again: '░', new: '░' },
};

/** Why a plan does nothing before a time, or what it does then; the codes of `decide`, and of what halts a plan. */
const WHYS: Record<string, string> = {
  due: 'a wave is due',
  wave_running: 'the wave under way is over',
  gathering: 'retries are gathered for one wave',
  news: 'calls are awaited that were not seen yet',
  canary: 'the canary is under way',
  first_look: 'other calls may still come',
  budget_pending: 'the budget waits for what was called to be charged',
  window: 'the hours begin',
  retry: 'a retry is due',
  gap: 'the gap between two calls of a number is over',
  cap: 'a number may be called again',
  from_cap: 'a caller number may call again',
  others: 'others leave a number alone',
  start: 'the plan starts',
  end: 'the plan ends',
  waiting: 'the canary is over',
  stopped: 'the plan stops itself',
  done: 'the plan is done',
};

/** A code that is not known stays as it is. */
export function whyInWords(why: string): string {
  return Object.hasOwn(WHYS, why) ? (WHYS[why] as string) : why;
}
