/**
 * Forgetting people, wherever they are kept: in the register with what was sent to them, and in plans. Nobody can tell
 * then that they were called, so what is still needed to refuse a second call stays, unless it is forced. Throws
 * FileErrors.
 */
import { DEFAULT_CALLS_PER_HOUR, DEFAULT_RETRY_ATTEMPTS, DEFAULT_RETRY_DELAY, isToContacts } from '../../contract.ts';
import { FileError, UsageError } from '../../errors.ts';
import type { Register } from '../../register/register.ts';
import { isRefused, isWaveOf, type Past, type PlanMark, type SentCampaign } from '../../register/requests.ts';
import type { Rows } from '../../storage/database/sql.ts';
import { HOUR, SECOND } from '../../text/units.ts';
import { isGoingOn, isOver, type LoadedPlan } from '../rules/plan.ts';
import { MARGIN } from '../rules/rules.ts';
import { endOf } from '../rules/waves.ts';
import { type ListedPlan, listPlans, removeParts } from './plans.ts';
import { noPlan, type StoredPlan } from './stored-plan.ts';

/** Milliseconds since the epoch. */
export interface Forgetting {
  rows: Rows;
  register: Register;
  now: number;
  /** Also what is still needed. */
  isForced: boolean;
}

/** Throws UsageError if a request is still needed; `what` it is, for the message. */
export async function requireForgettable(request: Past, what: string, forgetting: Forgetting): Promise<void> {
  const why = (await whyNeeded(forgetting))(request);
  if (why !== undefined) throw stillNeeded(what, why);
}

/** What was sent before an instant and may be forgotten, and how many requests of that time are kept. */
export async function forgettableBefore(
  instant: number,
  forgetting: Forgetting,
): Promise<{ requests: Past[]; kept: number }> {
  const { requests, damage } = await forgetting.register.requests();
  if (damage !== undefined) throw damage;
  const old = requests.filter(({ sent: { forgotten, at } }) => forgotten === undefined && Date.parse(at) < instant);
  const why = await whyNeeded(forgetting);
  const chosen = old.filter((request) => why(request) === undefined);
  return { requests: chosen, kept: old.length - chosen.length };
}

/** Tells why a request is needed, completing a sentence about it; undefined if it is not. */
async function whyNeeded({ rows, now, isForced }: Forgetting): Promise<(request: Past) => string | undefined> {
  if (isForced) return () => undefined;
  const plans = new Map((await rows.read(listPlans)).map((listed) => [listed.planId, listed]));
  return (request) => {
    if (isRefused(request)) return undefined;
    if (request.outcome !== 'accepted') return 'is of unknown outcome';
    const { sent } = request;
    if (!isToContacts(sent)) return undefined;
    const state = sent.plan && unendedState(sent.plan, plans.get(sent.plan.id));
    if (state !== undefined) return `is a wave of plan ${sent.plan?.id}, which is ${state}`;
    return latestCall(sent) > now ? 'may still be calling' : undefined;
  };
}

/**
 * That of the plan of a wave if it is not over, because its wave is then still needed: to attribute a call, and
 * for whoever was called too often. A damaged plan may not be over. Undefined too if the plan is another register's.
 */
function unendedState({ createdAt }: PlanMark, listed: ListedPlan | undefined): string | undefined {
  if (listed === undefined) return undefined;
  if (listed.loaded === undefined) return 'damaged';
  const { plan, position } = listed.loaded;
  return isOver(position.state) || plan.createdAt !== createdAt ? undefined : position.state;
}

/** When its last call is placed if nobody is ever reached, or a little later; in milliseconds since the epoch. */
function latestCall({ request, at, contacts }: SentCampaign): number {
  const { start_time = at, calls_per_hour, retry_attempts, retry_delay } = request;
  const retries = retry_attempts ?? DEFAULT_RETRY_ATTEMPTS;
  const calling = (contacts.count * (1 + retries) * HOUR) / (calls_per_hour ?? DEFAULT_CALLS_PER_HOUR);
  return Date.parse(start_time) + calling + retries * (retry_delay ?? DEFAULT_RETRY_DELAY) * SECOND;
}

function stillNeeded(what: string, why: string): UsageError {
  return new UsageError(`${what} ${why}: its numbers are still needed to refuse a second call.`, {
    reason: { kind: 'numbers_needed' },
  });
}

/**
 * The plan, or undefined if it is damaged and may be forgotten all the same. `nowOf`: the time by its clock, in
 * milliseconds since the epoch. Throws UsageError if it must stay.
 */
export async function forgettablePlan(
  stored: StoredPlan,
  isForced: boolean,
  nowOf: (loaded: LoadedPlan) => Promise<number>,
): Promise<LoadedPlan | undefined> {
  const loaded = await stored.load().catch((error: unknown) => {
    if (!isForced || !(error instanceof FileError)) throw error;
  });
  if (loaded === undefined) return undefined;
  const { plan_id: planId } = loaded.plan;
  const { state, open } = loaded.position;
  if (isGoingOn(state)) {
    throw new UsageError(`Plan ${planId} is ${state}: its people may still be called. Nothing was forgotten.`, {
      reason: { kind: 'plan_going_on', planId },
    });
  }
  const now = await nowOf(loaded);
  const isUnknown = open.some(({ outcome }) => outcome !== 'accepted');
  const mayCall = open.some((wave) => endOf(wave) + MARGIN > now);
  if (isForced || !(isUnknown || mayCall)) return loaded;
  throw stillNeeded(`Plan ${planId}`, isUnknown ? 'has a wave of unknown outcome' : 'may still be calling');
}

/** What was sent for a plan. It goes first: of a plan that is gone, nobody knows which requests are its waves. */
export async function forgetWaves({ plan }: LoadedPlan, register: Register): Promise<void> {
  if (!plan.isLocal) await register.forget(({ sent }) => isWaveOf(sent, plan));
}

const FORGOTTEN = `update plans set state = 'forgotten', plan_name = '', service = '', organization_id = 0, created_at = 0,
  plan = '{}', position = '{}', counts = '{}', log_position = null, stop_wish = null, halt_said = null, ran_at = null
  where plan_id = $1 and state <> 'forgotten'`;

/**
 * Removes everything of a plan but its number, which no other ever gets. `mayForget` is asked while nobody else can
 * change the plan, and throws if it must stay.
 */
export async function forgetPlan(rows: Rows, stored: StoredPlan, mayForget: () => Promise<unknown>): Promise<void> {
  const { planId } = stored;
  await stored.holding(async () => {
    await mayForget();
    await rows.write(async (sql) => {
      if ((await sql.run(FORGOTTEN, [planId])) === 0) throw noPlan(planId);
      await removeParts(sql, planId);
    });
    await rows.purge();
  });
}
