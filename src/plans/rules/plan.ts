/**
 * A plan: contacts that are kept on this machine, with rules, and submitted to the service in short waves. A wave is one
 * campaign of the service without retries, made of contacts that may be called at once; a retry is a contact of a later wave.
 *
 * Of the `Plan` only the rules ever change, when they are edited. What changes is the `Position`, which is small whatever the
 * length of the list, and the `Roster`, which holds each contact's state. All follow from the plan's events; `apply.ts` is the only
 * place that changes them.
 */
import * as z from 'zod/mini';
import { RESULTS } from '../../contract.ts';
import { DAY } from '../../text/units.ts';
import type { CallingWindows } from './calling-window.ts';
import type { Roster } from './roster.ts';
import { rulesSchema } from './rules.ts';
import { amount, count, instant, list, loose, maybe, money, wave } from './shapes.ts';

/** Where phones may be: a number's possible zones, or the zone of a column. */
const place = z.object({
  /** IANA names, sorted, at least one. The contact may be in any of them. */
  zones: list(z.string()),
  /** ISO 3166 code of the number's country; null if it has none. */
  country: z.nullable(z.string()),
});

/** Written when the plan is created; of it only the rules are ever changed, by an event. */
export const planSchema = loose({
  plan_id: count,
  plan_name: z.string(),
  /** The base URL, or the folder of the local engine's store. */
  service: z.string(),
  isLocal: z.boolean(),
  organization_id: z.int(),
  createdAt: instant,
  /** Milliseconds by which the service's clock was ahead of this machine's then; absent if it did not say. */
  clockAhead: maybe(instant),
  agent_id: z.int(),
  /** E.164; waves take turns. */
  from: list(z.string()).check(z.minLength(1)),
  rules: rulesSchema,
  /** A contact has the index of its place. Waves of one plan never need more than the few combinations that a list has. */
  places: list(place),
  /** How many contacts there are. */
  contacts: count,
  /** The file of the contacts where the plan was made, which none of its results must replace. */
  contactsFile: maybe(z.string()),
  /** How that file was written, if it was a CSV: a CSV for the same spreadsheet is written alike. */
  contactsForm: maybe(z.object({ delimiter: z.string().check(z.regex(/^[^"\r\n]$/u)), encoding: z.string() })),
  /** The columns of the contacts' file, if its rows were kept. */
  columns: maybe(list(z.string())),
});

export type Place = z.infer<typeof place>;
export type Plan = z.infer<typeof planSchema>;

/** A plan without what follows from its contacts. */
export type PlanDraft = Omit<Plan, 'plan_id' | 'contacts' | 'columns'>;

/** A wave that was submitted, or may have been, and has contacts whose call was not seen yet. */
const openWave = loose({
  wave,
  from: z.string(),
  /** When its first call is due, and the milliseconds between two. By the service's clock. */
  start: instant,
  interval: amount,
  contacts: count,
  /** Those whose call was not seen yet. */
  unsettled: count,
  /** `sending` until the reply is known. */
  outcome: z.enum(['sending', 'accepted', 'unknown']),
  /** The register's entry; undefined on the local engine. */
  entry: maybe(count),
  campaignId: maybe(count),
  /** The number of the event by which it was submitted. */
  journalAt: count,
});

/** A wave that went on after its last call was due. */
const slowWave = loose({
  /** When it was seen to. */
  at: instant,
  /** By how many milliseconds the longest wave of the plan would be late. */
  late: amount,
  /** How many times the time that was planned it took; 1 for a short one, of which nobody can say. */
  stretch: amount,
});

/** What somebody who does not watch the plan wants to be told. */
const moment = loose({
  moment: z.enum(['wave_ended', 'stopped', 'budget', 'waiting', 'done', 'cancelled']),
  /** The wave that ended. */
  wave: maybe(wave),
  /** Why the plan halted, in words. */
  reason: maybe(z.string()),
});

/** What follows from the events, without the single contacts. */
export const positionSchema = loose({
  /** `open`: waves are submitted when they are due. `waiting`: after the canary, for somebody to look and say `plan approve`. */
  state: z.enum(['open', 'waiting', 'stopped', 'done', 'cancelled']),
  /** Why it is in this state, in words; empty while it is open. */
  reason: z.string(),
  /** How many waves were begun: the number of the last one. */
  waves: wave,
  /** How many of them were certainly not placed; absent in plans of earlier versions that were not counted. */
  notPlaced: maybe(count),
  open: z.array(openWave),
  /** By the pace, no wave may start before; 0 if there was none. */
  nextStart: instant,
  /** Attempts seen in the log. */
  attempts: count,
  /** Estimated by the price of started minutes. */
  spent: money,
  /** Seconds: the longest call seen. */
  longest: amount,
  /** The results of the latest attempts since `plan resume`, the newest last; at most as many as `rules.stopOn.over`. */
  latest: z.array(z.enum(RESULTS)),
  hasPassedCanary: z.boolean(),
  firstCall: maybe(instant),
  lastCall: maybe(instant),
  /** Waves that the service made later than they were planned; absent in plans of earlier versions. */
  slow: maybe(list(slowWave)),
  /**
   * For `rules.fromCap`: what was submitted for each number in its latest waves, the oldest first. `interval`: between two dials,
   * if it is not that of the rules any more.
   */
  given: z.array(loose({ from: z.string(), at: instant, contacts: count, interval: maybe(amount) })),
  /** Moments that nobody was told of yet, the oldest first; absent as long as nobody wants to be told of them. */
  moments: maybe(list(moment)),
  /** Before, nobody else tells of them. */
  toldUntil: maybe(instant),
});

export type PlanMoment = z.infer<typeof moment>;

export type OpenWave = z.infer<typeof openWave>;
export type SlowWave = z.infer<typeof slowWave>;
export type Position = z.infer<typeof positionSchema>;
export type PlanState = Position['state'];

/** Whether nobody of it is called any more, whatever somebody does. */
export function isOver(state: PlanState): boolean {
  return state === 'done' || state === 'cancelled';
}

/** Milliseconds after the last wave in which a plan that is over is still reconciled for calls that nobody saw. */
export const NEWS_OF_UNSEEN = 7 * DAY;

/** Whether a run has something to do, to wait for or to say; of a plan that is over, the last calls and moments. */
export function hasWork({ state, open, moments = [], nextStart }: Position, now: number): boolean {
  return !isOver(state) || open.length > 0 || moments.length > 0 || now < nextStart + NEWS_OF_UNSEEN;
}

/** Whether it goes on by itself, or when somebody has looked. */
export function isGoingOn(state: PlanState): boolean {
  return state === 'open' || state === 'waiting';
}

/** A plan in memory. */
export interface LoadedPlan {
  plan: Plan;
  position: Position;
  roster: Roster;
  windows: CallingWindows;
  /** The same at its last reply, as far as this machine knows: calling windows hold by both clocks. */
  ahead?: number;
  /** For each awaited call that is going on the seconds so far: known to whoever has just read the log, and kept nowhere. */
  lasting?: readonly number[];
}
