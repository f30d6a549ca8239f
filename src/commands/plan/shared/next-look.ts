/** What a plan does next as far as it knows by itself, for people and as JSON. */
import type { Context } from '../../../context.ts';
import type { LoadedPlan, Position } from '../../../plans/plan.ts';
import { decide } from '../../../plans/planner.ts';
import { unseenAt } from '../../../plans/waves.ts';

/** ISO 8601 in UTC, and a code. Null if nothing comes by itself. */
export type Next = { at: string; why: string } | null;

/** The service is not asked: what it has to say of calls that were handed over is not known here. */
export function nextOf(loaded: LoadedPlan, now: number): Next {
  const decision = decide(loaded, { now });
  switch (decision.kind) {
    case 'wave':
      return { at: new Date(now).toISOString(), why: 'due' };
    case 'wait':
      return { at: new Date(decision.at).toISOString(), why: decision.why };
    case 'halt':
      return { at: new Date(now).toISOString(), why: decision.event.event };
    case 'over': {
      const news = newsOf(loaded.position);
      return news === undefined ? null : { at: new Date(news.at).toISOString(), why: news.why };
    }
  }
}

/** A plan that calls nobody any more still waits for news of those who were handed over. */
export function newsOf({ open }: Pick<Position, 'open'>): { at: number; why: 'news' } | undefined {
  return open.length === 0 ? undefined : { at: Math.min(...open.map(unseenAt)), why: 'news' };
}

/** Milliseconds since the epoch, by the clock of the plan's local engine or of its service, as far as that is known here. */
export async function clockOf(
  { plan: { isLocal, service }, ahead = 0 }: Pick<LoadedPlan, 'plan' | 'ahead'>,
  context: Context,
): Promise<number> {
  if (!isLocal || context.settings.storeKey() !== service) return context.systemNow() + ahead;
  const { timeline } = await context.local();
  return (await timeline.read()).now;
}
