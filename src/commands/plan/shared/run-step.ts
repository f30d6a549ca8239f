/**
 * One step of a plan: it looks where the plan stands, hands over the next wave if one is due, and ends. Called again at any
 * time, and by several programs at once, it does nothing twice.
 */
import type { Context } from '../../../context.ts';
import { UnavailableError } from '../../../errors.ts';
import { freeAtOf } from '../../../plans/free-at.ts';
import { unaffordableBy } from '../../../plans/halts.ts';
import type { LoadedPlan, Plan, PlanState } from '../../../plans/plan.ts';
import { type Decision, decide, type Wave } from '../../../plans/planner.ts';
import type { ContactState } from '../../../plans/roster.ts';
import type { PlanSession } from '../../../plans/rows/session.ts';
import type { StoredPlan } from '../../../plans/rows/stored-plan.ts';
import { halts, overdue } from '../../../plans/settle.ts';
import { hasWave } from '../../../plans/waves.ts';
import { CHOOSE_ANEW } from '../../../register/planned-wave.ts';
import { excludedNow } from './excluded.ts';
import { lookAtLog, mayHaveNews } from './look-at-log.ts';
import { newsOf } from './next-look.ts';
import { recoverWaves } from './recover.ts';
import { requireSameService } from './same-service.ts';
import { type SentWave, sendWave } from './send-wave.ts';
import { type SentRequests, sentRequests } from './sent-requests.ts';
import type { Moment } from './service-now.ts';

/** Where the plan stands after a step. Instants in milliseconds since the epoch, by the service's clock. */
export interface Step {
  plan: Plan;
  state: PlanState;
  reason: string;
  contacts: Record<ContactState, number>;
  /** How many waves are waited for. */
  open: number;
  /** The wave that was handed over. */
  wave: SentWave | undefined;
  /** The wave that would have been, if it might. */
  due: Wave | undefined;
  /** When something is to be done next, and why not before. */
  next: { at: number; why: string } | undefined;
  now: number;
  /** Whether the budget allows no further call: to resume the plan would not help. */
  isSpent: boolean;
}

/** Milliseconds to wait for another program that works on the plan. */
const LOCK_TIMEOUT = 8_000;
/** How often a wave is chosen anew because something else was sent meanwhile. */
const MOST_CHOICES = 5;

/** `mayCall`: whether a wave may be handed over. Throws what stands in the way; the plan is whole then. */
export async function runStep(stored: StoredPlan, context: Context, mayCall: boolean): Promise<Step> {
  const step = await stored.change((session) => stepOf(stored, session, context, mayCall), LOCK_TIMEOUT);
  if (!(await stored.glance()).isStopWanted) return step;
  // Whoever wants it waits for this process to let go of the plan, or was stopped: the wish is fulfilled first.
  return stored.change(async ({ loaded }) => ({ ...standing(loaded, step.now), wave: step.wave }), LOCK_TIMEOUT);
}

async function stepOf(stored: StoredPlan, session: PlanSession, context: Context, mayCall: boolean): Promise<Step> {
  const { loaded } = session;
  requireSameService(loaded.plan, context);
  const { position } = loaded;
  const begun = await context.serviceClock.now();
  // Nobody is called any more, nobody is waited for, and no news of the last calls can come.
  const isOver = position.state !== 'open' && position.open.length === 0;
  if (isOver && !(await mayHaveNews(stored, session, begun))) return standing(loaded, begun);
  let sent = await sentRequests(loaded.plan, context);
  await recoverWaves(session, sent, begun);
  const look = async (hearsAll: boolean) => {
    const looked = await lookAtLog(stored, session, sent, context, { hearsAll });
    await session.commit(overdue(loaded, looked.now));
    await session.commit(halts(loaded, looked.now));
    return looked;
  };
  let chosenAt = await look(false);
  for (let choice = 1; ; choice++) {
    const { now } = chosenAt;
    if (position.state !== 'open') return standing(loaded, now);
    await session.commit(await excludedNow(loaded, context, now));
    const decision = decisionOf(loaded, sent, chosenAt);
    if (decision.kind === 'halt') await session.commit([decision.event]);
    if (decision.kind !== 'wave') return standing(loaded, now, decision);
    // A log may be late by days: what it says by now of old requests is heard before the first wave.
    if (!hasWave(position) && !chosenAt.hasHeardAll) {
      chosenAt = await look(true);
      continue;
    }
    if (!mayCall) return { ...standing(loaded, now), due: decision };
    try {
      const wave = await sendWave(decision, { stored, session, lookedAt: sent.lookedAt, chosenAt, context });
      return { ...standing(loaded, now, wave && decisionOf(loaded, sent, chosenAt)), wave };
    } catch (error) {
      if (!(error instanceof UnavailableError) || error.code !== CHOOSE_ANEW || choice === MOST_CHOICES) throw error;
      sent = await sentRequests(loaded.plan, context);
    }
  }
}

function decisionOf(loaded: LoadedPlan, { busy }: SentRequests, { now, ahead }: Moment): Decision {
  return decide(loaded, { now, ahead, freeAt: freeAtOf(loaded, busy, now) });
}

function standing(loaded: LoadedPlan, now: number, decision?: Decision): Step {
  const { plan, position, roster } = loaded;
  const { state, reason, open } = position;
  const next = decision?.kind === 'wait' ? { at: decision.at, why: decision.why } : newsOf(position);
  return {
    ...{ plan, state, reason, now, next },
    contacts: { ...roster.counts },
    open: open.length,
    wave: undefined,
    due: undefined,
    isSpent: unaffordableBy(loaded) !== undefined,
  };
}
