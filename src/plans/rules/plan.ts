/**
 * A plan: contacts that are kept on this machine, with rules, and handed over to the service in short waves. A wave is one
 * campaign of the service without retries, made of contacts that may be called at once; a retry is a contact of a later wave.
 *
 * `Plan` never changes. What changes is the `Position`, which is small whatever the length of the list, and the `Roster`, which
 * holds each contact's state. Both follow from the plan's events; `apply.ts` is the only place that changes them.
 */
import type { Result } from '../../contract.ts';
import type { Hours } from './hours.ts';
import type { Roster } from './roster.ts';
import type { PlanRules } from './rules.ts';

/** Where phones may be: a number's possible zones, or the zone of a column. */
export interface Place {
  /** IANA names, sorted, at least one. The contact may be in any of them. */
  zones: readonly string[];
  /** ISO 3166 code of the number's country; null if it has none. */
  country: string | null;
}

/** Written once, when the plan is created. Instants are in milliseconds since the epoch. */
export interface Plan {
  plan_id: number;
  plan_name: string;
  /** The base URL, or the folder of the local engine's store. */
  service: string;
  isLocal: boolean;
  organization_id: number;
  createdAt: number;
  /** Milliseconds by which the service's clock was ahead of this machine's then; absent if it did not say. */
  clockAhead?: number | undefined;
  agent_id: number;
  /** E.164; waves take turns. */
  from: readonly string[];
  rules: PlanRules;
  /** A contact has the index of its place. Waves of one plan never need more than the few combinations that a list has. */
  places: readonly Place[];
  /** How many contacts there are. */
  contacts: number;
  /** The file of the contacts where the plan was made, which none of its results must replace. */
  contactsFile?: string | undefined;
  /** The columns of the contacts' file, if its rows were kept. */
  columns: readonly string[] | undefined;
}

/** A plan without what follows from its contacts. */
export type PlanDraft = Omit<Plan, 'plan_id' | 'contacts' | 'columns'>;

/** `open`: waves are handed over when they are due. `waiting`: after the canary, for somebody to look and say `plan resume`. */
export type PlanState = 'open' | 'waiting' | 'stopped' | 'done' | 'cancelled';

/** Whether nobody of it is called any more, whatever somebody does. */
export function isOver(state: PlanState): boolean {
  return state === 'done' || state === 'cancelled';
}

/** Whether it goes on by itself, or when somebody has looked. */
export function isGoingOn(state: PlanState): boolean {
  return state === 'open' || state === 'waiting';
}

/** A wave that was handed over, or may have been, and has contacts whose call was not seen yet. */
export interface OpenWave {
  wave: number;
  from: string;
  /** When its first call is due, and the milliseconds between two. By the service's clock. */
  start: number;
  interval: number;
  contacts: number;
  /** Those whose call was not seen yet. */
  unsettled: number;
  /** `sending` until the answer is known. */
  outcome: 'sending' | 'accepted' | 'unknown';
  /** The register's entry; undefined on the local engine. */
  entry: number | undefined;
  campaignId: number | undefined;
  /** The number of the event by which it was handed over. */
  journalAt: number;
}

/** A wave that went on after its last call was due. */
export interface SlowWave {
  /** When it was seen to, in milliseconds since the epoch. */
  at: number;
  /** By how many milliseconds the longest wave of the plan would be late. */
  late: number;
  /** How many times the time that was planned it took; 1 for a short one, of which nobody can say. */
  stretch: number;
}

/** What follows from the events, without the single contacts. Money in millionths. */
export interface Position {
  state: PlanState;
  /** Why it is in this state, in words; empty while it is open. */
  reason: string;
  /** How many waves were begun: the number of the last one. */
  waves: number;
  /** How many of them were certainly not placed; absent in plans of earlier versions that were not counted. */
  notPlaced?: number | undefined;
  open: OpenWave[];
  /** By the pace, no wave may start before; 0 if there was none. */
  nextStart: number;
  /** Attempts seen in the log. */
  attempts: number;
  /** Estimated by the price of started minutes. */
  spent: number;
  /** Seconds: the longest call seen. */
  longest: number;
  /** The results of the latest attempts, the newest last; at most as many as `rules.stopOn.over`. */
  latest: Result[];
  /** The number of `latest` and all before at which `plan resume` was said: the breaker looks only at later ones. */
  hasPassedCanary: boolean;
  firstCall: number | undefined;
  lastCall: number | undefined;
  /** Waves that the service made later than they were planned; absent in plans of earlier versions. */
  slow?: readonly SlowWave[];
  /** For `rules.fromCap`: what each number was given in its latest waves, the oldest first. */
  given: { from: string; at: number; contacts: number }[];
}

/** A plan in memory. */
export interface LoadedPlan {
  plan: Plan;
  position: Position;
  roster: Roster;
  hours: Hours;
  /** The same when it last answered, as far as this machine knows: the hours hold by both clocks. */
  ahead?: number;
  /** For each awaited call that is going on the seconds so far: known to whoever has just read the log, and kept nowhere. */
  lasting?: readonly number[];
}
