/**
 * One step of a plan: it is brought up to date with the call log, what is due is decided, and a wave is submitted if one is.
 * Called again at any time, and by several programs at once, it does nothing twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { mayPass, pauseAfterFailures } from '../../calls/follow.ts';
import { InterruptedError, UnavailableError, VagentError } from '../../errors.ts';
import { CHOOSE_ANEW } from '../../register/do-not-call.ts';
import { isoTime } from '../../text/iso.ts';
import { MINUTE, SECOND } from '../../text/units.ts';
import { PLAN_CHANGED, type PlanSession, type StoredPlan } from '../rows/stored-plan.ts';
import { type Decision, decide, type Wave } from '../rules/decide.ts';
import type { EventOf } from '../rules/events.ts';
import { halts, overdue, unaffordableBy } from '../rules/halts.ts';
import { pendingUntilOf } from '../rules/pending.ts';
import type { LoadedPlan } from '../rules/plan.ts';
import { hasWave } from '../rules/waves.ts';
import { doNotCallNow } from './do-not-call.ts';
import { type Moment, type PlanPorts, requireSameService } from './ports.ts';
import { mayHaveNews, reconcile } from './reconcile.ts';
import { newsAt } from './record.ts';
import { type SentRequests, sentRequests } from './requests.ts';
import { type SubmittedWave, submitWave } from './submit.ts';

export type Step = ReturnType<typeof stepAt>;

/** Milliseconds to wait for another program that works on the plan. */
const LOCK_TIMEOUT = 8_000;
/** How often a wave is chosen anew because something else was sent meanwhile. */
const MOST_CHOICES = 5;

/** `mayCall`: whether a wave may be submitted. Throws what stands in the way; the plan is whole then. */
export async function runStep(stored: StoredPlan, ports: PlanPorts, mayCall: boolean): Promise<Step> {
  const step = await stored.change((session) => stepOf(session, ports, mayCall), LOCK_TIMEOUT);
  if (!(await stored.snapshot()).isStopWanted) return step;
  // Whoever wants it waits for this process to let go of the plan, or was stopped: the wish is fulfilled first.
  return stored.change(async ({ loaded }) => ({ ...stepAt(loaded, step.now), wave: step.wave }), LOCK_TIMEOUT);
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
      return { ...stepAt(loaded, now, wave && decisionOf(loaded, sent, moment)), wave };
    } catch (error) {
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
  const { state, reason, open } = position;
  /** When something is to be done next, and why not before. */
  const next = decision?.kind === 'wait' ? { at: decision.at, why: decision.why } : newsAt(position);
  return {
    ...{ plan, state, reason, now, next },
    contacts: { ...roster.counts },
    /** How many waves are waited for. */
    open: open.length,
    /** The wave that was submitted. */
    wave: undefined as SubmittedWave | undefined,
    /** The wave that would have been, if it might. */
    due: undefined as Wave | undefined,
    /** Whether the budget allows no further call: to resume the plan would not help. */
    isSpent: unaffordableBy(loaded) !== undefined,
  };
}

/** As it is printed for programs: times are UTC ISO 8601. */
export function stepRecord({ plan, state, reason, contacts, next, wave }: Step) {
  const written = (at: number) => isoTime(Math.round(at));
  return {
    ...{ plan_id: plan.plan_id, state, reason },
    wave: wave === undefined ? null : waveRecord(wave, written),
    next: next === undefined ? null : { at: written(next.at), why: next.why },
    contacts,
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
  onWait(): void;
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
    onWait();
    const most = open > 0 ? WHILE_CALLING : OTHERWISE;
    await (movesClock ? moveClock(next, ports) : wait(Math.min(next.at - now, most), stored, ports));
    step = await surviving(() => runStep(stored, ports, true), ports);
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
