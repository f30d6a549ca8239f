/**
 * What stands in the rows of a plan, as values. A row is data, whoever wrote it: what cannot be read is damage, and never a bug.
 * Instants and durations are bounded: no sum of them leaves the calendar.
 */
import * as z from 'zod/mini';
import { FIRST_INSTANT, LAST_INSTANT, RESULTS } from '../../contract.ts';
import { FileError, VagentError } from '../../errors.ts';
import { type KeptReading, keptReading } from '../log/hear-again.ts';
import { type RecordedCall, type RecordedEntries, type RecordedEntry, recordedOf } from '../log/kept-entry.ts';
import { eventSchema, type PlanEvent, type Runs } from '../rules/events.ts';
import { type Plan, type Position, planSchema, positionSchema } from '../rules/plan.ts';
import { ROW_STATES, type RowState } from '../rules/roster.ts';
import { count, instant, MOST_WAVES, maybe } from '../rules/shapes.ts';
import { unseenAt } from '../rules/waves.ts';

/** `what` is a sentence without its full stop. */
export function damaged(planId: number, what: string, cause?: unknown): FileError {
  const reason = { kind: 'plan_damaged', planId } as const;
  return new FileError(`Plan ${planId} is damaged: ${what}.`, { code: 'plan_damaged', reason, cause });
}

/** What `read` makes of a row. */
export function undamaged<T>(planId: number, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof VagentError) throw error;
    throw damaged(planId, `${what} is not what was written`, error);
  }
}

const MOST_LEVELS = 100;

/** What is nested so deeply that no program could write it again was not written by one. */
const isWritable = z.refine((value) => isWithin(value, MOST_LEVELS));
const keptPlan = planSchema.check(isWritable);
const keptPosition = positionSchema.check(
  z.refine(({ open }) => open.every((wave) => unseenAt(wave) <= LAST_INSTANT)),
  isWritable,
);
const countsSchema = z.record(z.enum(ROW_STATES), count);

const wishSchema = z.object({
  at: instant,
  reason: z.string(),
  /** Whether it is to end, and not to go on later. */
  isForGood: maybe(z.literal(true)),
});

/** Somebody wants a plan to stop. */
export type StopWish = z.infer<typeof wishSchema>;

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isWithin(part, levels - 1));
}

/** The columns of a plan that say where it stands. */
export type HeadRow = Record<'plan' | 'position' | 'counts' | 'version' | 'stop_wish' | 'log_position', unknown>;

export interface Head {
  plan: Plan;
  position: Position;
  counts: Record<RowState, number>;
  version: number;
  /** With the text of its row. */
  wish: (StopWish & { text: string }) | undefined;
  /** Undefined where the log was never read. */
  reading: KeptReading | undefined;
}

/** Throws FileError if anything of it does not fit. */
export function parseHead(planId: number, row: HeadRow): Head {
  const wish = row.stop_wish === null ? undefined : String(row.stop_wish);
  const head: Head = {
    plan: parse(planId, 'what it is', keptPlan, row.plan),
    position: parse(planId, 'where it stands', keptPosition, row.position),
    counts: parse(planId, 'the number of its contacts', countsSchema, row.counts),
    version: undamaged(planId, 'its version', () => count.parse(row.version)),
    wish: wish === undefined ? undefined : { ...parse(planId, 'the wish to stop', wishSchema, wish), text: wish },
    reading:
      row.log_position === null
        ? undefined
        : parse(planId, 'how far the call log was read', keptReading, row.log_position),
  };
  const { plan, counts } = head;
  if (plan.plan_id !== planId) throw damaged(planId, `its row belongs to plan ${plan.plan_id}`);
  const total = ROW_STATES.reduce((sum, state) => sum + counts[state], 0);
  if (total !== plan.contacts) throw damaged(planId, `its counts add up to ${total}, not to ${plan.contacts} contacts`);
  return head;
}

/** What the latest entries of the log were attributed to. There may be tens of thousands each time: they are checked by hand. */
export function parseRecorded({ plan_id, contacts }: Plan, text: unknown): RecordedEntries {
  if (text === null || text === undefined) return new Map();
  const what = 'whose the latest calls are';
  return undamaged(plan_id, what, () => {
    const recorded: RecordedEntry[] = JSON.parse(String(text)).map(recordedOf);
    if (!recorded.every((entry) => isRecorded(entry, contacts)))
      throw damaged(plan_id, `${what} is not what was written`);
    return new Map(recorded.map((entry) => [entry.identity, entry]));
  });
}

function isRecorded({ identity, saidAt, until, own }: RecordedEntry, contacts: number): boolean {
  const isSound = typeof identity === 'string' && isInstant(saidAt) && isInstant(until);
  return isSound && (own === undefined || isOwn(own, contacts));
}

function isOwn(
  { row, wave, at, seconds, result, status, outcome, isAmbiguous }: RecordedCall,
  contacts: number,
): boolean {
  const isOfPlan = isUpTo(row, contacts - 1) && isUpTo(wave, MOST_WAVES) && isInstant(at) && seconds >= 0;
  const isSaid = typeof status === 'string' && typeof outcome === 'string' && typeof isAmbiguous === 'boolean';
  return isOfPlan && isSaid && seconds <= LAST_INSTANT && RESULTS.includes(result);
}

function isInstant(value: number): boolean {
  return typeof value === 'number' && value >= FIRST_INSTANT && value <= LAST_INSTANT;
}

export function isUpTo(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most;
}

/** Only what a plan can be known by when it is read again is ever written. */
export function requireReadable({ plan, position }: { plan: Plan; position: Position }, isEdited: boolean): void {
  undamaged(plan.plan_id, 'what would come of it', () => keptPosition.parse(position));
  if (isEdited) undamaged(plan.plan_id, 'what it would be', () => keptPlan.parse(plan));
}

/** Throws FileError as well if it names a contact that the plan does not have. */
export function parseEvent({ plan_id, contacts }: Plan, number: unknown, text: unknown): PlanEvent {
  const what = `event ${String(number)}`;
  const event = parse(plan_id, what, eventSchema, text);
  if (!isOfRows(event, contacts)) throw damaged(plan_id, `${what} names a contact that it does not have`);
  return event;
}

function isOfRows(event: PlanEvent, contacts: number): boolean {
  if ('row' in event) return event.row < contacts;
  if (event.event === 'edited') {
    const { frees = [], over = [] } = event;
    return (
      areRuns(over, contacts) && frees.length % 2 === 0 && frees.every((row, at) => at % 2 === 1 || row < contacts)
    );
  }
  return areRuns('rows' in event ? (event.rows ?? []) : [], contacts);
}

function areRuns(rows: Runs, contacts: number): boolean {
  return (
    rows.length % 2 === 0 && rows.every((value, at) => at % 2 === 0 || (rows[at - 1] as number) + value <= contacts)
  );
}

function parse<T extends z.ZodMiniType>(planId: number, what: string, schema: T, text: unknown): z.infer<T> {
  return undamaged(planId, what, () => schema.parse(JSON.parse(String(text))));
}
