/**
 * `plan.json`: what the plan is, where it stands, and how much of the journal that accounts for. It is small however long the
 * list is, and is replaced in one step.
 */
import * as z from 'zod/mini';
import { systemCode } from '../../errors.ts';
import { fileError } from '../../files/file-error.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { readText } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import type { Plan, Position } from '../plan.ts';
import { CONTACT_STATES, type ContactState } from '../roster.ts';
import { RESULTS } from '../rules.ts';
import { checkedJson, withCheck } from './check.ts';
import { damaged } from './damage.ts';
import type { PlanPaths } from './paths.ts';

const FORMAT = 2;

const count = z.int().check(z.minimum(0));
const instant = z.number();
const amount = z.number().check(z.minimum(0));
const perTime = z.object({ count: count.check(z.minimum(1)), within: amount });
const retryResult = z.enum(['voicemail', 'busy', 'no_answer', 'failed']);

const rules = z.looseObject({
  window: z.array(z.array(z.object({ from: count, until: count }))).check(z.length(7)),
  zone: z.string(),
  skipDates: z.array(z.object({ date: z.string(), country: z.optional(z.string()) })),
  start: z.optional(instant),
  end: z.optional(instant),
  callsPerHour: z.number().check(z.positive()),
  wave: amount,
  maxAttempts: count,
  retry: z.partialRecord(retryResult, amount),
  maxPerNumber: z.optional(perTime),
  minGap: amount,
  optOut: z.array(z.string()),
  budget: z.optional(amount),
  pricePerMinute: z.optional(amount),
  longest: amount,
  stopOn: z.optional(z.object({ result: retryResult, share: amount, over: count })),
  canary: z.optional(count),
  firstLook: z.optional(amount),
  isProbe: z.optional(z.boolean()),
  fromCap: z.optional(perTime),
  exclude: z.array(z.string()),
  excludeCountry: z.optional(z.string()),
});

const plan = z.looseObject({
  plan_id: count,
  plan_name: z.string(),
  service: z.string(),
  isLocal: z.boolean(),
  organization_id: z.int(),
  createdAt: instant,
  clockAhead: z.optional(z.number()),
  agent_id: z.int(),
  from: z.array(z.string()).check(z.minLength(1)),
  rules,
  places: z.array(z.object({ zones: z.array(z.string()), country: z.nullable(z.string()) })),
  contacts: count,
  contacts_sha256: z.string(),
  contactsFile: z.optional(z.string()),
  columns: z.optional(z.array(z.string())),
});

const openWave = z.looseObject({
  wave: count,
  from: z.string(),
  start: instant,
  interval: amount,
  contacts: count,
  unsettled: count,
  outcome: z.enum(['sending', 'accepted', 'unknown']),
  entry: z.optional(count),
  campaignId: z.optional(count),
  journalAt: count,
});

const position = z.looseObject({
  state: z.enum(['open', 'waiting', 'stopped', 'done', 'cancelled']),
  reason: z.string(),
  waves: count,
  notPlaced: z.optional(count),
  open: z.array(openWave),
  nextStart: instant,
  attempts: count,
  spent: amount,
  longest: amount,
  latest: z.array(z.enum(RESULTS)),
  hasPassedCanary: z.boolean(),
  firstCall: z.optional(instant),
  lastCall: z.optional(instant),
  slow: z.optional(z.array(z.looseObject({ at: instant, late: amount, stretch: amount }))),
  given: z.array(z.looseObject({ from: z.string(), at: instant, contacts: count })),
});

const rootSchema = z.object({
  format: z.literal(FORMAT),
  plan,
  position,
  /** Bytes of the journal. */
  applied: count,
  counts: z.record(z.enum(CONTACT_STATES), count),
  /** By these the file of contacts is recognised without reading it. */
  contacts_file: z.object({ bytes: count, mtime_ms: z.number(), inode: z.number() }),
  /** Of `contacts.bin` and of the records, as they are at `applied`. A plan of an earlier vagent gets them with its next change. */
  sums: z.optional(z.object({ contacts: count, states: count })),
});

/** What tells, without reading a file, that it is still the same. */
export interface FileMark {
  bytes: number;
  mtime_ms: number;
  inode: number;
}

/** The crc32 of what never changes of the contacts, and of their records. */
export interface Sums {
  contacts: number;
  states: number;
}

export interface Root {
  plan: Plan;
  position: Position;
  applied: number;
  counts: Record<ContactState, number>;
  contacts_file: FileMark;
  sums?: Sums | undefined;
}

/** The file's text; undefined if there is none. Throws FileError. */
export function readRootText(fs: FileSystem, { root }: PlanPaths): string | undefined {
  try {
    return readText(fs, root);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(error, 'read', root);
  }
}

/** Throws FileError if it is not the root of this plan, or of a newer version. */
export function parseRoot(text: string, planId: number, { root: path }: PlanPaths): Root {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(planId, `${path} is not JSON`, error);
  }
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > FORMAT) {
    const what = `${path} has format ${format}, newer than this vagent reads (${FORMAT})`;
    throw damaged(planId, what, undefined, 'Nothing was changed. Use the newer vagent.');
  }
  if (typeof format === 'number' && format < FORMAT) {
    throw damaged(planId, `${path} has format ${format}, older than this vagent reads (${FORMAT})`);
  }
  if (checkedJson(text.trimEnd()) === undefined) throw damaged(planId, `${path} is not as it was written`);
  const result = rootSchema.safeParse(value);
  if (!result.success) throw damaged(planId, `${path} is not a plan of vagent's: ${mismatchIn(result.error)}`);
  const root = result.data as unknown as Root;
  if (root.plan.plan_id !== planId) throw damaged(planId, `${path} belongs to plan ${root.plan.plan_id}`);
  const total = CONTACT_STATES.reduce((sum, state) => sum + root.counts[state], 0);
  if (total !== root.plan.contacts) {
    throw damaged(planId, `the counts in ${path} add up to ${total}, not to ${root.plan.contacts} contacts`);
  }
  return root;
}

/** The name of a plan whose root is damaged, as far as it can be told. */
export function nameInRoot(text: string): string | undefined {
  try {
    const root = JSON.parse(text) as { plan?: { plan_name?: unknown } } | null;
    return typeof root?.plan?.plan_name === 'string' ? root.plan.plan_name : undefined;
  } catch {
    return undefined;
  }
}

/** Durable when it returns. Throws if it could not be read again: such a root is never written. */
export function writeRoot(fs: FileSystem, { root: path }: PlanPaths, root: Root): void {
  const written = { format: FORMAT, ...root };
  const { error } = rootSchema.safeParse(written);
  if (error !== undefined) throw new Error(`the plan could not be read again: ${mismatchIn(error)}`);
  replaceFile(fs, path, `${withCheck(JSON.stringify(written))}\n`);
}

/** The field that is wrong, and what is wrong with it. */
function mismatchIn({ issues: [first] }: z.core.$ZodError): string {
  return `${first?.path.join('.')}: ${first?.message}`;
}
