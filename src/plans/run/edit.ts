/** Changes the rules of a plan, if nothing stands in the way. */
import { UsageError } from '../../errors.ts';
import { isoTime } from '../../text/iso.ts';
import { callsOfContacts, rowsOfWave } from '../rows/history.ts';
import type { PlanSession, StoredPlan } from '../rows/stored-plan.ts';
import { afterEdit, type CallsMade, countsOf, type Edited, edited, objections, wavesOutUntil } from '../rules/edit.ts';
import type { Called } from '../rules/events.ts';
import { forecast } from '../rules/forecast.ts';
import { isOver, type LoadedPlan } from '../rules/plan.ts';
import type { PlanRules } from '../rules/rules.ts';
import { changeWhenFree } from './change.ts';
import { clockOf, type PlanPorts } from './ports.ts';

/** What a change would do. */
export interface EditProspect {
  event: Edited;
  after: LoadedPlan;
  /** Contacts who are called again although they were not to be, and who are not any more although they were. */
  freed: number;
  leftOver: number;
  /** When everybody would have been called once; undefined if nobody waits for a first call. */
  finish: { before: number | undefined; later: number | undefined };
  /** How many would not be called even once. */
  late: { before: number; later: number };
}

/** Throws UsageError, with the reason, if the rules of the plan must not become these. */
export async function prospectOfEdit(
  stored: StoredPlan,
  loaded: LoadedPlan,
  rules: PlanRules,
  now: number,
): Promise<EditProspect> {
  const { plan, position } = loaded;
  requireUnderWay(loaded, now);
  const rows = new Map<number, readonly number[]>();
  for (const open of position.open) rows.set(open.wave, await rowsOfWave(stored.rows, plan, open));
  const against = objections(loaded, rules, ({ wave }) => rows.get(wave) ?? [], now);
  if (against.length > 0) throw refusal(loaded, against, now);
  const event = edited(loaded, rules, await callsMade(stored, loaded), now);
  const after = afterEdit(loaded, event);
  const [before, then] = [forecast(loaded, now), forecast(after, now)];
  return {
    ...{ event, after },
    ...countsOf(loaded, after),
    finish: { before: before.finish, later: then.finish },
    late: { before: before.left, later: then.left },
  };
}

/**
 * Durable, with its event, when it resolves. `was`: the rules that somebody has seen who agrees to the others. Throws UsageError
 * if the plan has others by now, or if something stands in the way by now.
 */
export async function editPlan(
  stored: StoredPlan,
  { was, rules }: Pick<Edited, 'was' | 'rules'>,
  ports: PlanPorts,
): Promise<LoadedPlan> {
  const change = async (session: PlanSession) => {
    const { loaded } = session;
    if (JSON.stringify(loaded.plan.rules) !== JSON.stringify(was))
      throw new UsageError(
        `Somebody else has changed the rules of plan ${loaded.plan.plan_id}: nothing was changed now.`,
      );
    // Who was asked may have thought about it for long.
    const { event } = await prospectOfEdit(stored, loaded, rules, await clockOf(loaded, ports));
    await session.commit([event]);
    return loaded;
  };
  return await changeWhenFree(stored, change, ports);
}

function requireUnderWay({ plan, position: { state } }: LoadedPlan, now: number): void {
  const { plan_id, rules } = plan;
  if (isOver(state)) throw new UsageError(`Plan ${plan_id} is ${state}: its rules stay as they are.`);
  if (rules.end !== undefined && rules.end <= now)
    throw new UsageError(`Plan ${plan_id} has ended, at ${isoTime(rules.end)}.`);
  if (rules.isProbe) throw new UsageError(`Plan ${plan_id} is a probe of one call: its rules stay as they are.`);
}

function refusal(loaded: LoadedPlan, against: readonly string[], now: number): UsageError {
  const { plan_id } = loaded.plan;
  const until = wavesOutUntil(loaded, now);
  const isOfWaves = against.some((why) => why.startsWith('wave '));
  const hint =
    isOfWaves && until !== undefined ? { hint: `Try it again after ${isoTime(until)}, when the wave is over.` } : {};
  return new UsageError(`Plan ${plan_id} was not changed: ${against.join('; ')}.`, hint);
}

async function callsMade({ rows }: StoredPlan, { plan, roster }: LoadedPlan): Promise<CallsMade> {
  const last = new Map<number, Pick<Called, 'at' | 'result'>>();
  const seconds: number[] = [];
  for await (const [row, calls] of callsOfContacts(rows, plan)) {
    for (const call of calls) seconds.push(call.seconds);
    const latest = calls.findLast(({ wave }) => wave === roster.waveOf(row));
    if (latest !== undefined) last.set(row, { at: latest.at, result: latest.result });
  }
  return { last, seconds };
}
