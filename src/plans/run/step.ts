/**
 * One step of a plan: it is brought up to date with the call log, what is due is decided, and a wave is submitted if one is.
 * Called again at any time, and by several programs at once, it does nothing twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { mayPass, pauseAfterFailures } from '../../calls/follow.ts';
import { fromMicros } from '../../engine/money.ts';
import { InterruptedError, UnavailableError, VagentError } from '../../errors.ts';
import { CHOOSE_ANEW } from '../../register/do-not-call.ts';
import { isoTime } from '../../text/iso.ts';
import { HOUR, MINUTE, SECOND } from '../../text/units.ts';
import { PLAN_CHANGED, type PlanSession, type StoredPlan } from '../rows/stored-plan.ts';
import { type Decision, decide, type Wave } from '../rules/decide.ts';
import type { EventOf } from '../rules/events.ts';
import { halts, overdue, unaffordableBy } from '../rules/halts.ts';
import { pendingUntilOf } from '../rules/pending.ts';
import type { LoadedPlan, PlanMoment } from '../rules/plan.ts';
import { shownCounts } from '../rules/roster.ts';
import { hasWave } from '../rules/waves.ts';
import { changeWhenFree } from './change.ts';
import { doNotCallNow } from './do-not-call.ts';
import { clockOf, type Moment, type PlanPorts, requireSameService } from './ports.ts';
import { mayHaveNews, reconcile } from './reconcile.ts';
import { newsAt } from './record.ts';
import { type SentRequests, sentRequests } from './requests.ts';
import { type SubmittedWave, submitWave } from './submit.ts';

export type Step = ReturnType<typeof stepAt>;

/** Milliseconds to wait for another program that works on the plan. */
const LOCK_TIMEOUT = 8_000;
/** Milliseconds for each moment, and more. */
const LONGEST_TELLING = MINUTE;
/** Milliseconds: longer than as many moments as are kept take. */
const MOST_AHEAD = 3 * HOUR;
/** How often a wave is chosen anew because something else was sent meanwhile. */
const MOST_CHOICES = 5;

/** `mayCall`: whether a wave may be submitted. `isHeard`: whether somebody is to be told of the plan's moments from now on. */
export interface Steps {
  mayCall: boolean;
  isHeard?: boolean;
}

/** Throws what stands in the way; the plan is whole then. */
export async function runStep(stored: StoredPlan, ports: PlanPorts, { mayCall, isHeard }: Steps): Promise<Step> {
  const changing = (body: (session: PlanSession) => Promise<Step>) => stored.change(body, LOCK_TIMEOUT);
  const step = await changing(async (session) => {
    const { loaded } = session;
    if (isHeard && loaded.position.moments === undefined)
      await session.commit([{ event: 'notified', at: await clockOf(loaded, ports) }]);
    return await stepOf(session, ports, mayCall);
  });
  if (!step.isToStop && !(await stored.snapshot()).isStopWanted) return step;
  // Whoever wants it waits for this process to let go of the plan, was stopped, or has stopped it by now.
  return await changing(async ({ loaded }) => ({ ...stepAt(loaded, step.now), wave: step.wave }));
}

/**
 * Has `tell` tell of what nobody was told of yet. Of two machines one does, for nobody else does meanwhile; where it is killed, a
 * later run tells all of it again: better twice than never.
 */
export async function telling(
  stored: StoredPlan,
  { moments: kept, now: at }: Step,
  tell: (moments: readonly PlanMoment[]) => Promise<void>,
  ports: PlanPorts,
): Promise<void> {
  if (kept.length === 0) return;
  const changing = <T>(body: (session: PlanSession) => Promise<T>) => changeWhenFree(stored, body, ports);
  const taken = await changing(async (session) => {
    const { moments = [], toldUntil = 0 } = session.loaded.position;
    const until = at + moments.length * LONGEST_TELLING;
    // The other's step may be some minutes later than this one; but a clock that was put back must not silence it.
    const isTold = at < toldUntil && toldUntil < at + MOST_AHEAD;
    if (moments.length === 0 || isTold) return undefined;
    await session.commit([{ event: 'notified', at, until }]);
    return { moments, until };
  });
  if (taken === undefined) return;
  await tell(taken.moments);
  await changing(async (session) => {
    // This machine may have slept, and another have told them meanwhile.
    const isOurs = session.loaded.position.toldUntil === taken.until;
    if (isOurs) await session.commit([{ event: 'notified', at, told: taken.moments.length }]);
  });
}

async function stepOf(session: PlanSession, ports: PlanPorts, mayCall: boolean): Promise<Step> {
  const { loaded } = session;
  const { plan, position } = loaded;
  requireSameService(plan, ports);
  const begun = await ports.clock.now();
  // Nobody is called any more, nobody is waited for, and no news of the last calls can come.
  const isIdle = position.state !== 'open' && position.open.length === 0;
  if (isIdle && !(await mayHaveNews(session, begun))) return stepAt(loaded, begun);
  let sent = await sentRequests(plan, ports);
  await session.commit(becameOf(loaded, sent, begun));
  const upToDate = async (hearsAll: boolean) => {
    const reconciled = await reconcile(session, { sent, hearsAll }, ports);
    await session.commit(overdue(loaded, reconciled.now));
    await session.commit(halts(loaded, reconciled.now));
    return reconciled;
  };
  let moment = await upToDate(false);
  for (let choice = 1; ; choice++) {
    const { now } = moment;
    if (position.state !== 'open') return stepAt(loaded, now);
    await session.commit(await doNotCallNow(loaded, ports, now));
    const decision = decisionOf(loaded, sent, moment);
    if (decision.kind === 'halt') await session.commit([decision.event]);
    if (decision.kind !== 'wave') return stepAt(loaded, now, decision);
    // A log may be late by days: what it says by now of old requests is heard before the first wave.
    if (!hasWave(position) && !moment.hasHeardAll) {
      moment = await upToDate(true);
      continue;
    }
    if (!mayCall) return { ...stepAt(loaded, now), due: decision };
    try {
      const chosen = { lookedAt: sent.lookedAt, chosenAt: moment };
      const wave = await submitWave(decision, chosen, session, ports);
      return { ...stepAt(loaded, now, wave && decisionOf(loaded, sent, moment)), wave, isToStop: wave === undefined };
    } catch (error) {
      if (error instanceof VagentError && error.reason?.kind === 'plan_stopped')
        return { ...stepAt(loaded, now), failure: error };
      if (!(error instanceof UnavailableError) || error.code !== CHOOSE_ANEW || choice === MOST_CHOICES) throw error;
      sent = await sentRequests(plan, ports);
    }
  }
}

function decisionOf(loaded: LoadedPlan, { pending }: SentRequests, { now, ahead }: Moment): Decision {
  return decide(loaded, { now, ahead, pendingUntil: pendingUntilOf(loaded, pending, now) });
}

/** Where the plan stands after a step. Instants in milliseconds since the epoch, by the service's clock. */
function stepAt(loaded: LoadedPlan, now: number, decision?: Decision) {
  const { plan, position, roster } = loaded;
  const { budget, pricePerMinute } = plan.rules;
  const { state, reason, open } = position;
  /** When something is to be done next, and why not before. */
  const next = decision?.kind === 'wait' ? { at: decision.at, why: decision.why } : newsAt(position);
  return {
    ...{ plan, state, reason, now, next },
    /** Those in which people may be called from then on. */
    zones: next?.why === 'window' ? zonesFrom(loaded, next.at, now) : [],
    states: shownCounts(roster.counts),
    attempts: position.attempts,
    /** Decimal; undefined where the plan does not know what a minute costs, or has no budget. */
    spent: pricePerMinute === undefined ? undefined : fromMicros(position.spent),
    budget: budget === undefined ? undefined : fromMicros(budget),
    /** How many waves are waited for. */
    open: open.length,
    /** The wave that was submitted. */
    wave: undefined as SubmittedWave | undefined,
    /** Whether somebody wanted that before a wave was submitted. */
    isToStop: false,
    /** The wave that would have been, if it might. */
    due: undefined as Wave | undefined,
    /** Of which nobody was told yet. */
    moments: position.moments ?? [],
    /** What has just stopped the plan. */
    failure: undefined as VagentError | undefined,
    /** Whether the budget allows no further call: to resume the plan would not help. */
    isSpent: unaffordableBy(loaded) !== undefined,
  };
}

function zonesFrom({ plan, windows }: LoadedPlan, at: number, now: number): string[] {
  const begins = plan.places.filter((_place, index) => {
    const window = windows.windowAt(index, at);
    return window !== undefined && window.from > now && window.from <= at;
  });
  return [...new Set(begins.flatMap(({ zones: [zone] }) => zone ?? []))];
}

/** As it is printed for programs: times are UTC ISO 8601. */
export function stepRecord({ plan, state, reason, states, next, wave }: Step) {
  const written = (at: number) => isoTime(Math.round(at));
  return {
    ...{ plan_id: plan.plan_id, state, reason },
    wave: wave === undefined ? null : waveRecord(wave, written),
    next: next === undefined ? null : { at: written(next.at), why: next.why },
    contacts: plan.contacts,
    states,
  };
}

function waveRecord({ wave, campaignId, contacts, from, start, last }: SubmittedWave, written: (at: number) => string) {
  const times = { start: written(start), last_call: written(last) };
  return { wave, campaign_id: campaignId ?? null, contacts, from, ...times };
}

/** What became of waves whose sending was cut off: no other process can be sending one while the plan is locked. */
function becameOf({ plan, position }: LoadedPlan, sent: SentRequests, at: number): EventOf<'answered'>[] {
  const cutOff = position.open.filter(({ outcome }) => outcome === 'sending');
  return cutOff.map(({ wave }) => ({ event: 'answered', at, wave, ...outcomeOf(wave, sent, plan.isLocal) }));
}

function outcomeOf(
  wave: number,
  { waves }: SentRequests,
  isLocal: boolean,
): Pick<EventOf<'answered'>, 'outcome' | 'campaign_id' | 'message'> {
  // What the service said stands beside the register's reply, in one transaction: there is none.
  if (!isLocal) return { outcome: 'unknown', message: 'The program was stopped while it was sent.' };
  // The store of the local engine has every campaign that was created, and no other.
  if (!waves.has(wave)) return { outcome: 'not_placed', message: 'It was not created.' };
  const campaignId = waves.get(wave)?.campaignId;
  return { outcome: 'accepted', ...(campaignId !== undefined && { campaign_id: campaignId }) };
}

// One after the other ----------------------------------------------------------------------------------------------------

/** The longest time between two steps, while calls of a wave are awaited, and otherwise. */
const WHILE_CALLING = 2 * MINUTE;
const OTHERWISE = 15 * MINUTE;
/** Between two readings of the plan, which somebody may have stopped, and at the clock: a machine may have slept. */
const PIECE = 5 * SECOND;

/** `movesClock`: that of the local engine is moved to the next wave instead of waiting. */
interface GoingOn {
  isUntilDone: boolean;
  movesClock: boolean;
  /** Is told what is waited for; what it returns is called when that is over. */
  onWait(step: Step): () => void;
}

/** The steps after a step, each when it is due. Nobody holds the plan in between: others can stop it. Throws InterruptedError. */
export async function* stepsAfter(
  first: Step,
  stored: StoredPlan,
  { isUntilDone, movesClock, onWait }: GoingOn,
  ports: PlanPorts,
): AsyncGenerator<Step, void> {
  for (let step = first; ; yield step) {
    const { state, next, wave, now, open } = step;
    if (state !== 'open' || next === undefined || !(isUntilDone || (movesClock && wave === undefined))) return;
    const most = open > 0 ? WHILE_CALLING : OTHERWISE;
    if (movesClock) await moveClock(next, ports);
    else {
      const hasWaited = onWait(step);
      await wait(Math.min(next.at - now, most), stored, ports).finally(hasWaited);
    }
    step = await surviving(() => runStep(stored, ports, { mayCall: true }), ports);
  }
}

async function moveClock({ at }: NonNullable<Step['next']>, { signal, local }: PlanPorts): Promise<void> {
  signal.throwIfAborted();
  const { timeline } = await local.engine();
  await timeline.move(
    (engineNow) => Math.max(engineNow, at),
    () => {},
  );
}

/** Until somebody else changes the plan, at most `milliseconds`. */
async function wait(milliseconds: number, stored: StoredPlan, { clock, signal }: PlanPorts): Promise<void> {
  const end = clock.system() + milliseconds;
  // Undefined while it cannot be asked: the next step finds it out.
  const ask = () =>
    stored.snapshot().catch((error: unknown) => {
      if (!mayPass(error)) throw error;
    });
  const before = (await ask())?.version;
  while (clock.system() < end) {
    const found = await ask();
    if (found?.isStopWanted || found?.version !== before) return;
    await sleepFor(Math.min(PIECE, end - clock.system()), signal);
  }
}

/** The result of a step, which is retried as long as the service cannot be reached, or another works on the plan. */
async function surviving(step: () => Promise<Step>, { notes, signal }: PlanPorts): Promise<Step> {
  for (let failures = 1; ; failures++) {
    try {
      const result = await step();
      if (failures > 1) notes.note('The plan goes on.');
      return result;
    } catch (error) {
      const isLocked = error instanceof VagentError && ['file_locked', PLAN_CHANGED].includes(error.code);
      if (signal.aborted || !(isLocked || mayPass(error))) throw error;
      if (failures === 1) notes.warn(`${(error as VagentError).message} Trying again until it works.`);
      await sleepFor(pauseAfterFailures(failures), signal);
    }
  }
}

async function sleepFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(1, milliseconds), undefined, { signal }).catch(() => {
    throw new InterruptedError();
  });
}
