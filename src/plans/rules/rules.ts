/** The rules of a plan, as values. `commands/plan/shared` reads them from flags. Durations in milliseconds unless said. */

import type { RetryResult } from '../../contract.ts';
import { OPT_OUT_LABELS } from '../../register/do-not-call.ts';
import { HOUR, MINUTE } from '../../text/units.ts';

/** Minutes of a local day, from 0 to 1440: a dial may happen from the first up to but not at the second. */
export interface LocalHours {
  from: number;
  until: number;
}

/** For each weekday, Monday first, when dials may happen; rising and not overlapping. */
export type WeeklyHours = readonly (readonly LocalHours[])[];

export interface SkippedDate {
  /** YYYY-MM-DD, of the local calendar. */
  date: string;
  /** ISO 3166 code of the country in which a contact is, or may be; undefined for everywhere. */
  country: string | undefined;
}

/** The `zone` of rules by which each contact has its own. */
export const ZONE_OF_CONTACT = 'contact';

export interface PlanRules {
  window: WeeklyHours;
  /** `contact`: each contact's own zones; otherwise the IANA zone whose hours hold for all. */
  zone: string;
  skipDates: readonly SkippedDate[];
  /** Instants. */
  start: number | undefined;
  end: number | undefined;
  callsPerHour: number;
  /** The longest wave. */
  wave: number;
  /** Of a contact in this plan, the first included. */
  maxAttempts: number;
  /** After how long at the earliest; a result that is missing is never repeated. */
  retry: Partial<Record<RetryResult, number>>;
  maxPerNumber: { count: number; within: number } | undefined;
  minGap: number;
  /** Outcome labels. */
  optOut: readonly string[];
  /** Millionths. */
  budget: number | undefined;
  pricePerMinute: number | undefined;
  /** The longest call that is expected, in seconds. */
  longest: number;
  stopOn: { result: RetryResult; share: number; over: number } | undefined;
  canary: number | undefined;
  /** How long after its calls the first wave of a canary or a probe waits for others; absent in other plans, and in earlier versions. */
  firstLook?: number | undefined;
  /** The plan is a probe of the service: one call, and a verdict. */
  isProbe?: boolean | undefined;
  fromCap: { count: number; within: number } | undefined;
  /** Paths of the lists of numbers never to call, read anew before each wave. */
  exclude: readonly string[];
  /** ISO code of the country of numbers in national form in these lists. */
  excludeCountry?: string | undefined;
}

/** The count of `maxPerNumber`. So many dials of each phone are kept: more would take too much memory in a long list. */
export const MOST_PER_NUMBER = 20;
/** By so many of the latest dials of a phone its entries of the log are known again. */
const LEAST_DIALS = 4;

/** How many of the latest dials of a phone are kept: at least as many as the rules look at. */
export function dialsOf({ maxPerNumber }: Pick<PlanRules, 'maxPerNumber'>): number {
  return Math.max(LEAST_DIALS, maxPerNumber?.count ?? 0);
}

export const DEFAULTS = {
  callsPerHour: 60,
  wave: 30 * MINUTE,
  maxAttempts: 3,
  retry: { busy: 30 * MINUTE, no_answer: 4 * HOUR },
  minGap: 15 * MINUTE,
  optOut: OPT_OUT_LABELS,
  /** Seconds. */
  longest: 300,
  firstLook: 2 * HOUR,
  stopOn: { result: 'failed', share: 0.5, over: 50 },
} as const;

/** Before the end of anybody's hours no call is planned: a service need not keep the pace to the second. */
export const MARGIN = 10 * MINUTE;
/** After this long, a call that the log does not show is unseen: nobody knows whether it was made. */
export const UNSEEN_AFTER = 24 * HOUR;
