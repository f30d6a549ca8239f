/** What the call log says about a plan, as events. */
import type { Details } from '../../campaigns/attribution/details.ts';
import { type Result, resultOf } from '../../contract.ts';
import { isoTime } from '../../text/iso.ts';
import { HOUR } from '../../text/units.ts';
import type { Called, Halted, PlanEvent } from '../rules/events.ts';
import { isGoingOn, type LoadedPlan } from '../rules/plan.ts';

/** An entry of the log that is a call of one of the plan's waves. */
export interface SeenCall {
  row: number;
  wave: number;
  /** Milliseconds since the epoch. */
  at: number;
  status: string;
  outcome: string;
  isVoicemail: boolean;
  seconds: number;
  callId?: string;
  details?: Details;
  /** It may be another campaign's. */
  isAmbiguous: boolean;
  /** The service refused the wave, and nothing else is known that can have made the call. */
  isOfRefused?: true;
  /** By which its entry is known again when it is read again; undefined where it never is. */
  identity?: string;
}

/** The calls of a contact that the plan has recorded, however long ago; those of others may stand at another row of their phone. */
type CountedOf = (row: number) => ReadonlyMap<number, 'own' | 'others'>;

/** Milliseconds that a call lasts at most: after that, a status that is none of the interface's is no sign that it goes on. */
const GOES_ON = HOUR;

/** The contacts of which `reconcileCalls` may ask what was counted. */
export function askedOf({ roster }: LoadedPlan, calls: readonly SeenCall[]): number[] {
  const isAsked = ({ row, at }: SeenCall) => roster.isRecalled(row) || roster.isBeforeDials(row, at);
  return [...new Set(calls.filter(isAsked).flatMap(({ row }) => roster.rowsLike(row)))];
}

/**
 * The events of calls that the plan does not know yet, in the order of time; calls that may still be going on make none. A call
 * that the service should not have made stops the plan, unless it may be another campaign's; one of a refused wave does so while
 * it is still going on. `countedOf` is asked for contacts that were recalled, of whom a call may come to light after later ones,
 * and where a call is older than the dials that are kept.
 */
export function reconcileCalls(
  loaded: LoadedPlan,
  calls: readonly SeenCall[],
  now: number,
  countedOf: CountedOf = () => new Map(),
): PlanEvent[] {
  const { position } = loaded;
  const events: PlanEvent[] = [];
  /** Of this list: the instants of a row's calls, and the wave of which it has news. */
  const news = new Map<number, { wave: number; at: number[] }>();
  const unclear = new Set<number>();
  let stopped: Halted | undefined;
  for (const call of calls.toSorted((one, other) => one.at - other.at)) {
    const { row, wave, at } = call;
    const result = resultOf(call);
    const known = news.get(row);
    if (result === undefined) {
      if (call.isOfRefused) stopped ??= { event: 'stopped', at: now, reason: refusedReason(call) };
      if (!isUnclear(loaded, call, now) || unclear.has(row)) continue;
      unclear.add(row);
      events.push({ event: 'unclear', at, row, wave, status: call.status });
    }
    if (result === undefined || known?.at.includes(at)) continue;
    const isAwaited = loaded.roster.isAwaitedIn(row, wave) && known?.wave !== wave;
    if (isCounted(loaded, call, isAwaited, countedOf)) continue;
    news.set(row, { wave, at: [...(known?.at ?? []), at] });
    events.push(calledBy(call, result));
    if (call.isAmbiguous) continue;
    const broken = brokenBy(loaded, call, isAwaited);
    if (broken !== undefined) stopped ??= { event: 'stopped', at: now, reason: broken };
  }
  if (stopped !== undefined && isGoingOn(position.state)) events.push(stopped);
  return events;
}

/**
 * For each contact that is waited for, and whose call is going on by the log, the seconds that it has lasted at least. Right
 * when the events of the same calls are part of the plan.
 */
export function lastingOf(loaded: LoadedPlan, calls: readonly SeenCall[], now: number): number[] {
  const { roster } = loaded;
  const lasting = new Map<number, number>();
  for (const call of calls) {
    const { row, at, seconds } = call;
    if (resultOf(call) !== undefined || roster.stateOf(row) !== 'handed' || !roster.isAwaitedIn(row, call.wave))
      continue;
    lasting.set(row, Math.max(lasting.get(row) ?? 0, seconds, (now - at) / 1000));
  }
  return [...lasting.values()];
}

/** Whether it has no result of the interface's, and is over, and the plan does not know that yet. */
function isUnclear({ roster }: LoadedPlan, { row, wave, at }: SeenCall, now: number): boolean {
  return now - at > GOES_ON && roster.isAwaitedIn(row, wave) && !roster.isUnclear(row);
}

/** Whether the call was counted. One older than all dials that are kept was, or has no consequence any more. */
function isCounted({ roster }: LoadedPlan, { row, at }: SeenCall, isAwaited: boolean, countedOf: CountedOf): boolean {
  const isOld = roster.isBeforeDials(row, at);
  // One that would be news, for that of another row with its phone, or of others. Where the dial is kept, that was compared.
  if (isAwaited) return isOld && roster.rowsLike(row).some((same) => countedOf(same).has(at));
  // Of several rows with one phone, nobody knows any more which one an earlier wave had.
  if (roster.isRecalled(row)) return roster.rowsLike(row).some((same) => countedOf(same).get(at) === 'own');
  return isOld || roster.dialsOf(row).includes(at);
}

/** What the service should not have done. Who was recalled may be called by each wave, also by one that is not awaited. */
function brokenBy(loaded: LoadedPlan, call: SeenCall, isAwaited: boolean): string | undefined {
  if (call.isOfRefused) return refusedReason(call);
  if (isAwaited || loaded.roster.isRecalled(call.row)) return outsideWindow(loaded, call);
  return `A contact of wave ${call.wave} was called more than once.`;
}

function refusedReason({ wave }: SeenCall): string {
  return `Wave ${wave} was refused, and calls of it are in the log.`;
}

function outsideWindow({ roster, windows }: LoadedPlan, { row, wave, at }: SeenCall): string | undefined {
  const window = windows.windowAt(roster.placeOf(row), at);
  if (window !== undefined && window.from <= at && at < window.until) return undefined;
  return `A contact of wave ${wave} was called at ${isoTime(at)}, outside the hours of the plan.`;
}

export function calledBy({ row, wave, at, status, outcome, seconds, ...call }: SeenCall, result: Result): Called {
  const event: Called = { event: 'called', at, row, wave, result, status, outcome, seconds };
  if (call.callId !== undefined) event.call_id = call.callId;
  Object.assign(event, call.details);
  if (call.isAmbiguous) event.ambiguous = true;
  return event;
}
