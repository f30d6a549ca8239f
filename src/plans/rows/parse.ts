/** What stands in the rows of a plan, as values. Instants and durations are bounded: no sum of them leaves the calendar. */
import * as z from 'zod/mini';
import { FIRST_INSTANT, LAST_INSTANT, RESULTS, RETRY_RESULTS } from '../../contract.ts';
import type { KeptReading } from '../log/hear-again.ts';
import { type ToldCall, type ToldEntries, type ToldEntry, toldOf } from '../log/known-entries.ts';
import type { PlanEvent } from '../rules/events.ts';
import type { Plan, Position } from '../rules/plan.ts';
import { CONTACT_STATES, type ContactState } from '../rules/roster.ts';
import { MOST_PER_NUMBER } from '../rules/rules.ts';
import { unseenAt } from '../rules/waves.ts';
import { damaged, undamaged } from './damage.ts';

/** A wave has three bytes in the roster. */
const MOST_WAVES = 2 ** 24 - 1;
const SLOWEST = 0.001;
const MOST_LEVELS = 100;

const count = z.int().check(z.minimum(0));
const wave = count.check(z.maximum(MOST_WAVES));
const instant = z.number().check(z.minimum(FIRST_INSTANT), z.maximum(LAST_INSTANT));
const amount = z.number().check(z.minimum(0), z.maximum(LAST_INSTANT));
const money = z.number().check(z.minimum(0));
const perTime = z.object({ count: count.check(z.minimum(1)), within: amount });
const retryResult = z.enum(RETRY_RESULTS);
const minute = z.int().check(z.minimum(0), z.maximum(1440));
const maybe = <T extends z.ZodMiniType>(schema: T) => z.optional(schema);

const rules = z.looseObject({
  window: z.array(z.array(z.object({ from: minute, until: minute }))).check(z.length(7)),
  zone: z.string(),
  skipDates: z.array(z.object({ date: z.string(), country: maybe(z.string()) })),
  start: maybe(instant),
  end: maybe(instant),
  callsPerHour: z.number().check(z.minimum(SLOWEST)),
  wave: amount,
  maxAttempts: count,
  retry: z.partialRecord(retryResult, amount),
  maxPerNumber: maybe(z.object({ count: count.check(z.minimum(1), z.maximum(MOST_PER_NUMBER)), within: amount })),
  minGap: amount,
  optOut: z.array(z.string()),
  budget: maybe(money),
  pricePerMinute: maybe(money),
  longest: amount,
  stopOn: maybe(z.object({ result: retryResult, share: amount, over: count })),
  canary: maybe(count.check(z.minimum(1))),
  firstLook: maybe(amount),
  isProbe: maybe(z.boolean()),
  fromCap: maybe(perTime),
  exclude: z.array(z.string()),
  excludeCountry: maybe(z.string()),
});

const planSchema = kept({
  plan_id: count,
  plan_name: z.string(),
  service: z.string(),
  isLocal: z.boolean(),
  organization_id: z.int(),
  createdAt: instant,
  clockAhead: maybe(z.number().check(z.minimum(FIRST_INSTANT), z.maximum(LAST_INSTANT))),
  agent_id: z.int(),
  from: z.array(z.string()).check(z.minLength(1)),
  rules,
  places: z.array(z.object({ zones: z.array(z.string()), country: z.nullable(z.string()) })),
  contacts: count,
  contactsFile: maybe(z.string()),
  columns: maybe(z.array(z.string())),
});

const openWave = z
  .looseObject({
    wave,
    from: z.string(),
    start: instant,
    interval: amount,
    contacts: count,
    unsettled: count,
    outcome: z.enum(['sending', 'accepted', 'unknown']),
    entry: maybe(count),
    campaignId: maybe(count),
    journalAt: count,
  })
  .check(z.refine((paced) => unseenAt(paced) <= LAST_INSTANT));

const positionSchema = kept({
  state: z.enum(['open', 'waiting', 'stopped', 'done', 'cancelled']),
  reason: z.string(),
  waves: wave,
  notPlaced: maybe(count),
  open: z.array(openWave),
  nextStart: instant,
  attempts: count,
  spent: money,
  longest: amount,
  latest: z.array(z.enum(RESULTS)),
  hasPassedCanary: z.boolean(),
  firstCall: maybe(instant),
  lastCall: maybe(instant),
  slow: maybe(z.array(z.looseObject({ at: instant, late: amount, stretch: amount }))),
  given: z.array(z.looseObject({ from: z.string(), at: instant, contacts: count })),
});

const countsSchema = z.record(z.enum(CONTACT_STATES), count);

/** Somebody wants a plan to stop. */
export interface StopWish {
  /** Milliseconds since the epoch. */
  at: number;
  reason: string;
  /** Whether it is to end, and not to go on later. */
  isForGood?: true | undefined;
}

const wishSchema = z.object({ at: instant, reason: z.string(), isForGood: maybe(z.literal(true)) });

/** With what a newer vagent may have added, if it is not nested so deeply that no program could write it again. */
function kept<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.looseObject(shape).check(z.refine((value) => isWithin(value, MOST_LEVELS)));
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isWithin(part, levels - 1));
}

/** The columns of a plan that say where it stands. */
export interface HeadRow {
  plan: unknown;
  position: unknown;
  counts: unknown;
  version: unknown;
  stop_wish: unknown;
  log_position: unknown;
}

export interface Head {
  plan: Plan;
  position: Position;
  counts: Record<ContactState, number>;
  version: number;
  /** With the text of its row. */
  wish: { wish: StopWish; text: string } | undefined;
  reading: KeptReading | undefined;
}

/** Throws FileError if anything of it does not fit. */
export function parseHead(planId: number, row: HeadRow): Head {
  const head: Head = {
    plan: parse(planId, 'what it is', planSchema, row.plan) as Plan,
    position: parse(planId, 'where it stands', positionSchema, row.position) as Position,
    counts: parse(planId, 'the number of its contacts', countsSchema, row.counts),
    version: undamaged(planId, 'its version', () => count.parse(row.version)),
    wish: row.stop_wish === null ? undefined : parseWish(planId, String(row.stop_wish)),
    reading: parseReading(planId, row.log_position),
  };
  const { plan, counts } = head;
  if (plan.plan_id !== planId) throw damaged(planId, `its row belongs to plan ${plan.plan_id}`);
  const total = CONTACT_STATES.reduce((sum, state) => sum + counts[state], 0);
  if (total !== plan.contacts) throw damaged(planId, `its counts add up to ${total}, not to ${plan.contacts} contacts`);
  return head;
}

function parseWish(planId: number, text: string): Head['wish'] {
  return { wish: parse(planId, 'the wish to stop', wishSchema, text), text };
}

const rung = { mark: z.string(), below: z.int() };
const readingSchema = z.object({
  heard: z.object({ from: instant, until: instant, entry: count }),
  again: maybe(
    z.object({
      at: instant,
      began: instant,
      total: count,
      to: maybe(z.object({ ...rung, day: z.iso.date() })),
      isMoving: maybe(z.boolean()),
    }),
  ),
  ahead: maybe(instant),
  position: maybe(
    z.object({
      day: z.iso.date(),
      floor: z.iso.date(),
      rungs: z.array(z.object(rung)),
      unfinished: maybe(z.int()),
    }),
  ),
});

/** Undefined where the log was never read. */
export function parseReading(planId: number, text: unknown): KeptReading | undefined {
  if (text === null) return undefined;
  return parse(planId, 'how far the call log was read', readingSchema, text) as KeptReading;
}

/** Whose the latest entries of the log were found to be. There may be tens of thousands, at each look: so they are checked by hand. */
export function parseTold({ plan_id, contacts }: Plan, text: unknown): ToldEntries {
  if (text === null || text === undefined) return new Map();
  const what = 'whose the latest calls are';
  const told: ToldEntry[] = undamaged(plan_id, what, () => JSON.parse(String(text)).map(toldOf));
  const isSound = undamaged(plan_id, what, () => told.every((entry) => isTold(entry, contacts)));
  if (!isSound) throw damaged(plan_id, `${what} is not what was written`);
  return new Map(told.map((entry) => [entry.identity, entry]));
}

function isTold({ identity, saidAt, until, own }: ToldEntry, contacts: number): boolean {
  const isSound = typeof identity === 'string' && isInstant(saidAt) && isInstant(until);
  return isSound && (own === undefined || isOwn(own, contacts));
}

function isOwn({ row, wave, at, seconds, result, status, outcome, isAmbiguous }: ToldCall, contacts: number): boolean {
  const isOfPlan = isUpTo(row, contacts - 1) && isUpTo(wave, MOST_WAVES) && isInstant(at) && seconds >= 0;
  const isSaid = typeof status === 'string' && typeof outcome === 'string' && typeof isAmbiguous === 'boolean';
  return isOfPlan && isSaid && seconds <= LAST_INSTANT && RESULTS.includes(result);
}

function isInstant(value: number): boolean {
  return typeof value === 'number' && value >= FIRST_INSTANT && value <= LAST_INSTANT;
}

function isUpTo(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most;
}

/** Only what a plan can be known by when it is read again is ever written. */
export function requireReadable({ plan, position }: { plan: Plan; position: Position }): void {
  undamaged(plan.plan_id, 'what would come of it', () => positionSchema.parse(position));
}

// Events -------------------------------------------------------------------------------------------------------------

const runs = z.array(count);
const result = z.enum(RESULTS);
const call = {
  ...{ row: count, wave, result, seconds: amount, status: z.string(), outcome: z.string() },
  call_id: maybe(z.string()),
  recording_url: maybe(z.string()),
  ambiguous: maybe(z.literal(true)),
};
const kind = <Name extends PlanEvent['event'], Shape extends z.core.$ZodShape>(name: Name, shape: Shape) =>
  z.object({ event: z.literal(name), at: instant, ...shape });
const halted = { reason: z.string() };

const eventSchema = z.discriminatedUnion('event', [
  kind('called', call),
  kind('others', { row: count, sent: maybe(z.enum(['answered', 'not_answered'])) }),
  kind('revised', { ...call, was: z.object({ result, seconds: amount }) }),
  kind('handed', { wave, from: z.string(), start: instant, interval: amount, rows: runs, entry: maybe(count) }),
  kind('answered', {
    wave,
    outcome: z.enum(['accepted', 'unknown', 'not_placed']),
    campaign_id: maybe(count),
    message: maybe(z.string()),
  }),
  kind('unclear', { row: count, wave, status: z.string() }),
  kind('unseen', { rows: runs }),
  kind('excluded', { rows: runs, why: z.enum(['list', 'opted_out']) }),
  kind('left', { rows: runs }),
  kind('resumed', { recalls: maybe(z.literal(true)), rows: maybe(runs) }),
  kind('stopped', halted),
  kind('waiting', halted),
  kind('cancelled', halted),
  kind('done', halted),
]);

/** Throws FileError as well if it names a contact that the plan does not have. */
export function parseEvent({ plan_id, contacts }: Plan, number: unknown, text: unknown): PlanEvent {
  const what = `event ${String(number)}`;
  const event = parse(plan_id, what, eventSchema, text) as PlanEvent;
  if (!isOfRows(event, contacts)) throw damaged(plan_id, `${what} names a contact that it does not have`);
  return event;
}

function isOfRows(event: PlanEvent, contacts: number): boolean {
  if ('row' in event) return event.row < contacts;
  const { rows = [] } = 'rows' in event ? event : {};
  return (
    rows.length % 2 === 0 && rows.every((value, at) => at % 2 === 0 || (rows[at - 1] as number) + value <= contacts)
  );
}

function parse<T extends z.ZodMiniType>(planId: number, what: string, schema: T, text: unknown): z.infer<T> {
  return undamaged(planId, what, () => schema.parse(JSON.parse(String(text))));
}
