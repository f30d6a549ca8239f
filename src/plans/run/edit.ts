/** Changes the rules of a plan, if nothing stands in the way. */
import { UsageError } from '../../errors.ts';
import { isOptOut } from '../../register/do-not-call.ts';
import { isoTime } from '../../text/iso.ts';
import type { KeptReading } from '../log/hear-again.ts';
import { callsOfContacts, rowsOfWave } from '../rows/history.ts';
import { requireNoKey } from '../rows/plans.ts';
import type { PlanSession, StoredPlan } from '../rows/stored-plan.ts';
import { applyEvent } from '../rules/apply.ts';
import { afterEdit, countsOf, type Edited, edited, objections, wavesOutUntil } from '../rules/edit.ts';
import type { Called, PlanEvent } from '../rules/events.ts';
import { type Forecast, forecast } from '../rules/forecast.ts';
import { isOver, type LoadedPlan } from '../rules/plan.ts';
import { lookBack, type PlanRules } from '../rules/rules.ts';
import { changeWhenFree } from './change.ts';
import { doNotCallBy, isOn, listsAt, rememberNamed } from './do-not-call.ts';
import { clockOf, type PlanPorts, requireSameService } from './ports.ts';

/** What a change would do. */
export interface EditProspect {
  event: Edited;
  /** Phones that said in a call of the plan what is an opt-out now. */
  out: ReadonlySet<number>;
  /** They, and whoever is on a list that is added. */
  excluded: PlanEvent[];
  /** How many contacts of such a list are in waves that were sent. */
  beyondReach: number;
  after: LoadedPlan;
  /** Contacts who are called again although they were not to be, and who are not any more although they were. */
  freed: number;
  leftOver: number;
  /** First calls by the rules of before, and by the others. */
  before: Forecast;
  later: Forecast;
}

/** Throws UsageError, with the reason, if the rules of the plan must not become these, and InputError for a list. */
export async function prospectOfEdit(
  stored: StoredPlan,
  loaded: LoadedPlan,
  rules: PlanRules,
  ports: PlanPorts,
  now: number,
): Promise<EditProspect> {
  const { plan, position } = loaded;
  requireUnderWay(loaded, now);
  requireNoKey({ rules }, ports.notes.redact);
  const rows = new Map<number, readonly number[]>();
  for (const open of position.open) rows.set(open.wave, await rowsOfWave(stored.rows, plan, open));
  const { out, ...calls } = await callsMade(stored, loaded, rules);
  const event = edited(loaded, rules, calls, now);
  const after = afterEdit(loaded, event);
  const against = objections(loaded, after, ({ wave }) => rows.get(wave) ?? [], now);
  if (against.length > 0) throw refusal(loaded, against, now);
  const added = rules.exclude.filter((path) => !plan.rules.exclude.includes(path));
  const lists = await listsAt(added, after.plan, ports);
  const isStricter = added.length + out.size > 0;
  // Who opted out is kept by service.
  if (isStricter) requireSameService(plan, ports);
  const excluded = isStricter ? await doNotCallBy(lists, after, ports, now, out) : [];
  for (const one of excluded) applyEvent(one, after, 0);
  const { roster } = after;
  let beyondReach = 0;
  for (let row = 0; row < roster.size; row++)
    if (roster.isAwaited(row) && isOn(lists, roster.phoneOf(row))) beyondReach++;
  const firstCalls = { before: forecast(loaded, now), later: forecast(after, now) };
  return { ...{ event, out, excluded, beyondReach, after }, ...countsOf(loaded, after), ...firstCalls };
}

/**
 * What was changed: durable, with its event, when it resolves. `was`: the rules that somebody has seen who agrees to the others.
 * Throws UsageError if the plan has others by now, or if something stands in the way by now.
 */
export async function editPlan(
  stored: StoredPlan,
  { was, rules }: Pick<Edited, 'was' | 'rules'>,
  ports: PlanPorts,
): Promise<EditProspect> {
  const change = async (session: PlanSession) => {
    const { loaded } = session;
    if (JSON.stringify(loaded.plan.rules) !== JSON.stringify(was))
      throw new UsageError(
        `Somebody else has changed the rules of plan ${loaded.plan.plan_id}: nothing was changed now.`,
      );
    // Who was asked may have thought about it for long.
    const prospect = await prospectOfEdit(stored, loaded, rules, ports, await clockOf(loaded, ports));
    const { reading, recorded } = await stored.logRecord(loaded);
    const read = reading && { reading: readingFor(reading, { was, rules }), recorded };
    if (stored.rows.isShared)
      rememberNamed(
        rules.exclude.filter((path) => !was.exclude.includes(path)),
        ports,
      );
    await (await ports.register.optedOut()).add(prospect.out);
    await session.write((sql) => session.commitIn(sql, [prospect.event, ...prospect.excluded], read));
    return { ...prospect, after: loaded };
  };
  return await changeWhenFree(stored, change, ports);
}

/** Without what is not known by other rules: calls that did not count before may do so now, and an outcome be an opt-out. */
function readingFor(
  { position, again, ...reading }: KeptReading,
  { was, rules }: Pick<Edited, 'was' | 'rules'>,
): KeptReading {
  const isNew = (outcome: string) => !was.optOut.includes(outcome);
  return {
    ...reading,
    ...(lookBack(rules) <= lookBack(was) && { position }),
    ...(!rules.optOut.some(isNew) && { again }),
  };
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

async function callsMade({ rows }: StoredPlan, { plan, roster }: LoadedPlan, { optOut }: PlanRules) {
  const fresh = optOut.filter((label) => !plan.rules.optOut.includes(label));
  const out = new Set<number>();
  const last = new Map<number, Pick<Called, 'at' | 'result'>>();
  const seconds: number[] = [];
  for await (const [row, calls] of callsOfContacts(rows, plan)) {
    for (const call of calls) seconds.push(call.seconds);
    if (calls.some(({ outcome }) => isOptOut(outcome, fresh))) out.add(roster.phoneOf(row));
    const latest = calls.findLast(({ wave }) => wave === roster.waveOf(row));
    if (latest !== undefined) last.set(row, { at: latest.at, result: latest.result });
  }
  return { last, seconds, out };
}
