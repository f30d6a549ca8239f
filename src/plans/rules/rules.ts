/** The rules of a plan, as values. `commands/plan/shared` reads them from flags. Durations in milliseconds unless said. */
import * as z from 'zod/mini';
import { RETRIED, RETRY_RESULTS } from '../../contract.ts';
import { OPT_OUT_LABELS } from '../../register/do-not-call.ts';
import { eachNamed } from '../../text/json.ts';
import { HOUR, MINUTE, SECOND } from '../../text/units.ts';
import { amount, count, instant, list, loose, maybe, money } from './shapes.ts';

/** The count of `maxPerNumber`. So many dials of each phone are kept: more would take too much memory in a long list. */
export const MOST_PER_NUMBER = 20;
/** The `zone` of rules by which each contact has its own. */
export const ZONE_OF_CONTACT = 'contact';

const SLOWEST = 0.001;
const minute = z.int().check(z.minimum(0), z.maximum(1440));
const perTime = z.object({ count: count.check(z.minimum(1)), within: amount });
const retryResult = z.enum(RETRY_RESULTS);
/** Minutes of a local day, from 0 to 1440: a dial may happen from the first up to but not at the second. */
const localWindow = z.object({ from: minute, until: minute });

export const rulesSchema = loose({
  /** For each weekday, Monday first, when dials may happen; rising and not overlapping. */
  window: list(list(localWindow)).check(z.length(7)),
  /** `contact`: each contact's own zones; otherwise the IANA zone whose time holds for all. */
  zone: z.string(),
  /** YYYY-MM-DD of the local calendar, and the ISO 3166 code of the country where a contact is, or may be; without one anywhere. */
  skipDates: list(z.object({ date: z.string(), country: maybe(z.string()) })),
  start: maybe(instant),
  end: maybe(instant),
  callsPerHour: z.number().check(z.minimum(SLOWEST)),
  /** The longest wave. */
  wave: amount,
  /** Of a contact in this plan, the first included. */
  maxAttempts: count,
  /** After how long at the earliest; a result that is missing is never repeated. */
  retry: z.partialRecord(retryResult, amount),
  maxPerNumber: maybe(z.object({ count: count.check(z.minimum(1), z.maximum(MOST_PER_NUMBER)), within: amount })),
  minGap: amount,
  /** Outcome labels. */
  optOut: list(z.string()),
  budget: maybe(money),
  pricePerMinute: maybe(money),
  /** The longest call that is expected, in seconds. */
  longest: amount,
  stopOn: maybe(z.object({ result: retryResult, share: amount, over: count })),
  canary: maybe(count.check(z.minimum(1))),
  /** How long the first wave of a canary or a probe waits for others after its calls; absent in other plans, and in older ones. */
  firstLook: maybe(amount),
  /** The plan is a probe of the service: one call, and a verdict. */
  isProbe: maybe(z.boolean()),
  fromCap: maybe(perTime),
  /** Paths of the lists of numbers never to call, read anew before each wave. */
  exclude: list(z.string()),
  /** ISO code of the country of numbers in national form in these lists. */
  excludeCountry: maybe(z.string()),
  /** Their encoding, where it was named. */
  excludeEncoding: maybe(z.string()),
});

export type PlanRules = z.infer<typeof rulesSchema>;
export type LocalWindow = z.infer<typeof localWindow>;
export type WeeklyWindows = PlanRules['window'];
export type SkippedDate = PlanRules['skipDates'][number];

/** By so many of the latest dials of a phone its entries of the log are known again. */
const LEAST_DIALS = 4;

/** How many of the latest dials of a phone are kept: at least as many as the rules look at. */
export function dialsOf({ maxPerNumber }: Pick<PlanRules, 'maxPerNumber'>): number {
  return Math.max(LEAST_DIALS, maxPerNumber?.count ?? 0);
}

/** How long a call to a phone counts, whoever made it. */
export function lookBack({ minGap, maxPerNumber }: Pick<PlanRules, 'minGap' | 'maxPerNumber'>): number {
  return Math.max(minGap, maxPerNumber?.within ?? 0);
}

export const DEFAULTS = {
  callsPerHour: 60,
  wave: 30 * MINUTE,
  maxAttempts: 3,
  retry: eachNamed(RETRY_RESULTS, (result) => RETRIED[result] * SECOND),
  minGap: 15 * MINUTE,
  optOut: OPT_OUT_LABELS,
  /** Seconds. */
  longest: 300,
  firstLook: 2 * HOUR,
  stopOn: { result: 'failed', share: 0.5, over: 50 },
} as const;

/** Before the end of anybody's calling window no call is planned: a service need not keep the pace to the second. */
export const MARGIN = 10 * MINUTE;
/** After this long, a call that the log does not show is unseen: nobody knows whether it was made. */
export const UNSEEN_AFTER = 24 * HOUR;
