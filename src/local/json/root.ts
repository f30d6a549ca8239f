/** `store.json`: the small state, and how much of every other file is committed. One root is one snapshot. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { FIRST_ORGANIZATION } from '../../contract.ts';
import { flawsOf, isRising, MOST_COUNTED } from '../../engine/soundness.ts';
import { type Campaign, callsSinceReset, count, FIRST_AGENT_ID, type State, stateSchema } from '../../engine/state.ts';
import { FileError, systemCode } from '../../errors.ts';
import { replaceFile } from '../../storage/files/durable.ts';
import { type FileSystem, fileError, readText } from '../../storage/files/file-system.ts';
import { damaged, damagedFile } from '../store.ts';

const FORMAT = 2;

const segment = z.object({
  seq: count,
  count,
  bytes: count,
  /** Timestamps of the oldest and newest entry: entries are appended in the order of time. */
  first: z.string(),
  last: z.string(),
  by_agent: z.record(z.string(), count),
});

const queue = z.object({
  campaign_id: count,
  contacts: z.object({ bytes: count, taken: count }),
  retries: z.object({ bytes: count, taken: count }),
  /** Whether the original rows of the contacts are kept; absent where an older vagent kept them. */
  has_rows: z.optional(z.boolean()),
});

const rootSchema = z.object({
  format: z.literal(FORMAT),
  /** How often the store was reset: a reader who finds another number here must not trust what it has read. */
  resets: count.check(z.maximum(MOST_COUNTED)),
  state: stateSchema,
  /** Call log segments, oldest first. */
  segments: z.array(segment),
  /** Committed bytes of each campaign's files, and how many of them were taken already. */
  queues: z.array(queue),
});

export type Root = z.output<typeof rootSchema>;
export type Segment = z.output<typeof segment>;
export type QueueExtent = z.output<typeof queue>;

export const ROOT_NAME = 'store.json';
export const LOCK_NAME = 'lock';

export function newRoot(state: State, resets = 0): Root {
  return { format: FORMAT, resets, state, segments: [], queues: [] };
}

/** The root's record of a campaign's files. Throws FileError if there is none. */
export function queueOf({ queues }: Root, campaignId: number): QueueExtent {
  const queue = queues.find(({ campaign_id }) => campaign_id === campaignId);
  if (queue === undefined) throw damaged(`campaign ${campaignId} has no contacts`);
  return queue;
}

export interface ReadRoot {
  root: Root;
  /**
   * The file's content. A change works on a copy parsed from it, so that readers never see half a change. It is also the only
   * way to see whether the root is still the newest, because two commits may have the same time and inode number.
   */
  text: string;
}

/**
 * Reads and checks the root, or returns `known` if that is still the newest. Undefined if the folder is missing or empty, which
 * means that the store is not created yet.
 */
export function readRoot(fs: FileSystem, folder: string, known?: ReadRoot): ReadRoot | undefined {
  const read = readSuspectRoot(fs, folder, known);
  if (read === undefined || read === known) return read;
  const [flaw = lossFlaw(read.root, namesInStore(fs, folder))] = rootFlaws(read.root);
  if (flaw !== undefined) throw damagedFile(join(folder, ROOT_NAME), flaw);
  return read;
}

/** The same of a root that need not add up. */
export function readSuspectRoot(fs: FileSystem, folder: string, known?: ReadRoot): ReadRoot | undefined {
  const path = join(folder, ROOT_NAME);
  for (;;) {
    const text = readIfThere(fs, path);
    if (text !== undefined) return text === known?.text ? known : { root: parseRoot(text, path), text };
    if (isUnused(fs, folder)) return undefined;
    // Another process has created the store between the two checks.
  }
}

/** A root to change. Its text is the fastest way to one, unless it is of an older format. */
export function copyOf({ root, text }: ReadRoot): Root {
  const copy = JSON.parse(text) as Root;
  return copy.format === FORMAT ? copy : structuredClone(root);
}

/** Undefined if there is no such file. Throws FileError. */
export function readIfThere(fs: FileSystem, path: string): string | undefined {
  try {
    return readText(fs, path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(error, 'read', path, { kind: 'store_unreadable' });
  }
}

function parseRoot(text: string, path: string): Root {
  const newest = upgraded(parseFile(path, text, FORMAT));
  const result = newest.success ? rootSchema.safeParse(newest.data) : newest;
  if (result.success) return result.data;
  throw damagedFile(path, `is not a store of vagent's: ${mismatchIn(result.error)}`, result.error);
}

/** What a file of the store holds, still to be checked. Throws FileError. */
export function parseFile(path: string, text: string, newest: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damagedFile(path, 'is not JSON', error);
  }
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format !== 'number' || format <= newest) return value;
  throw new FileError(`${path} has format ${format}, newer than this vagent reads (${newest}).`, {
    code: 'store_too_new',
    reason: { kind: 'store_too_new', what: 'store' },
  });
}

/** What no schema can check; each completes a sentence about the root. */
export function rootFlaws(root: Root): string[] {
  const own = orderFlaw(root) ?? segmentFlaw(root) ?? queueFlaw(root);
  return own === undefined ? flawsOf(root.state) : [own, ...flawsOf(root.state)];
}

/** How an older vagent, which repaired damaged stores, marked the copies of files that it changed. */
export const SET_ASIDE = '.damaged-';

/** Of a root beside the files of these names: a repair may have left calls and contacts out, and kept a copy of the root before. */
export function wasRepaired(names: readonly string[]): boolean {
  return names.some((name) => name.startsWith(ROOT_NAME + SET_ASIDE));
}

export function lossFlaw(root: Root, names: readonly string[]): string | undefined {
  const missing = missingCalls(root);
  return missing > 0 && !wasRepaired(names) ? `counts ${missing} more calls than the log holds` : undefined;
}

/** Of a root in the folder of an organization: whether it is another's. */
export function foreignFlaw({ state }: Root, organizationId: number = FIRST_ORGANIZATION): string | undefined {
  const { organization_id } = state.organization;
  return organization_id === organizationId
    ? undefined
    : `is of organization ${organization_id}, and not of ${organizationId}`;
}

/** A root that names a file twice, or a campaign without its files. */
export function orderFlaw({ segments, queues, state }: Root): string | undefined {
  if (!isRising(segments.map(({ seq }) => seq))) return 'names the segments of the call log out of order';
  const ids = state.campaigns.map(({ campaign_id }) => campaign_id);
  if (!isRising(ids)) return 'names the campaigns out of order';
  const named = queues.map(({ campaign_id }) => campaign_id);
  return named.join() === ids.join() ? undefined : 'does not name the files of every campaign';
}

function segmentFlaw({ segments, state }: Root): string | undefined {
  let before = Number.NEGATIVE_INFINITY;
  for (const { seq, count, bytes, by_agent, first, last } of segments) {
    const calls = Object.values(by_agent).reduce((sum, calls) => sum + calls, 0);
    if (calls !== count || bytes < count) return `counts the calls of segment ${seq} and of its agents otherwise`;
    const [start, end] = [Date.parse(first), Date.parse(last)];
    if (!(before <= start && start <= end && end <= state.clock.last))
      return `has a segment ${seq} whose times are none`;
    before = end;
  }
  return missingCalls({ segments, state }) < 0 ? 'counts fewer calls than its segments hold' : undefined;
}

/** How many calls are counted that no segment holds: after a repair, those that it has left out. */
function missingCalls({ segments, state }: Pick<Root, 'segments' | 'state'>): number {
  return callsSinceReset(state) - segments.reduce((sum, { count }) => sum + count, 0);
}

function queueFlaw({ queues, state }: Root): string | undefined {
  for (const [at, { campaign_id, contacts, retries }] of queues.entries()) {
    if (contacts.taken > contacts.bytes || retries.taken > retries.bytes)
      return `has taken more of the files of campaign ${campaign_id} than there is`;
    const { total_contacts, next_contact, retries_waiting } = state.campaigns[at] as Campaign;
    const isAtEnd = contacts.taken === contacts.bytes;
    if (isAtEnd !== (next_contact === total_contacts) || (retries.taken === retries.bytes) !== (retries_waiting === 0))
      return `has other files of campaign ${campaign_id} than it counts`;
  }
  return undefined;
}

/** Where a store is made that is to be there as a whole or not at all. */
export const UNFINISHED = 'unfinished';
/** What remains if the creation of a store is cut off before its first root. */
const LEFT_BY_CREATION = new Set([LOCK_NAME, `${ROOT_NAME}.new`, UNFINISHED]);

/** Whether nothing was ever kept in a folder. Throws FileError. */
export function isNew(fs: FileSystem, folder: string): boolean {
  return namesInStore(fs, folder).every((name) => LEFT_BY_CREATION.has(name));
}

function namesInStore(fs: FileSystem, folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileError(error, 'open the store at', folder, { kind: 'store_unreadable' });
  }
}

/** False if there is a root after all. A folder with other files is never taken for a new store. */
function isUnused(fs: FileSystem, folder: string): boolean {
  const names = namesInStore(fs, folder);
  if (names.includes(ROOT_NAME)) {
    const path = join(folder, ROOT_NAME);
    const isThere = (follows: 'statSync' | 'lstatSync') => fs[follows](path, { throwIfNoEntry: false }) !== undefined;
    if (!isThere('lstatSync') || isThere('statSync')) return false;
    // A dead link exists as a name but never has content.
    throw new FileError(`Cannot read ${path}: it is a link that leads nowhere.`, {
      reason: { kind: 'store_unreadable' },
    });
  }
  if (names.includes(UNFINISHED)) throw unfinished(folder);
  if (names.every((name) => LEFT_BY_CREATION.has(name))) return true;
  throw new FileError(`${folder} is not a store of vagent's: it holds other files and no ${ROOT_NAME}.`, {
    code: 'store_damaged',
    reason: { kind: 'store_foreign' },
  });
}

/** Throws FileError where a store that is made as a whole is not, be it that its making was cut off. */
export function requireFinished(fs: FileSystem, folder: string): void {
  if (isUnfinished(fs, folder)) throw unfinished(folder);
}

function unfinished(folder: string): FileError {
  return new FileError(`${folder} is no store yet: a copy to it was not finished.`, {
    code: 'store_unfinished',
    hint: 'Unless the copy is still under way, remove what is in the folder and copy again.',
  });
}

export function isUnfinished(fs: FileSystem, folder: string): boolean {
  const isThere = (name: string) => fs.statSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  return !isThere(ROOT_NAME) && isThere(UNFINISHED);
}

/**
 * A root as its file's content. Throws if it could not be read again: such a root is never written. That is FileError where a
 * number has grown beyond what can be counted, as one does that somebody wrote into the store.
 */
function rootText(root: Root): string {
  const { error } = rootSchema.safeParse(root);
  if (error !== undefined) {
    const path = error.issues[0]?.path ?? [];
    const value = path.reduce<unknown>((part, name) => (part as Record<PropertyKey, unknown>)[name], root);
    if (Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER)
      throw damaged(`with ${path.join('.')} beyond 2^53 the store could not be read again`);
    throw new Error(`the store could not be read again: ${mismatchIn(error)}`);
  }
  const [flaw] = rootFlaws(root);
  if (flaw !== undefined) throw damaged(`it would be one that ${flaw}`);
  return `${JSON.stringify(root)}\n`;
}

/** The field that is wrong, and what is wrong with it. */
export function mismatchIn({ issues: [first] }: z.core.$ZodError): string {
  return `${first?.path.join('.')}: ${first?.message}`;
}

/** The commit: durable when it returns, with the file's content. Nothing is written where that is there already. */
export function writeRoot(fs: FileSystem, folder: string, root: Root, there?: string): string {
  const text = rootText(root);
  if (text !== there) replaceFile(fs, join(folder, ROOT_NAME), text);
  return text;
}

/**
 * What the newest format has in another place or not at all; the rest is the same. Format 1 held one organization: the number of a
 * campaign was its id, less those given before the last reset.
 */
const rootOfFormat1 = z.looseObject({
  state: z.looseObject({
    organization: z.looseObject({}),
    campaigns: z.array(z.looseObject({ campaign_id: count })),
    next_campaign_id: count,
    given_before_reset: z._default(z.object({ calls: count, campaigns: count }), { calls: 0, campaigns: 0 }),
  }),
});

const fromFormat1 = z.pipe(
  rootOfFormat1,
  z.transform(({ state: { given_before_reset: given, ...state }, ...root }) => ({
    ...root,
    format: 2,
    state: {
      ...state,
      organization: { ...state.organization, demo_agent_id: FIRST_AGENT_ID },
      campaigns: state.campaigns.map((one) => ({ ...one, campaign_number: one.campaign_id - given.campaigns })),
      next_campaign_number: state.next_campaign_id - given.campaigns,
      calls_before_reset: given.calls,
    },
  })),
);

/**
 * A root of the newest format, still to be checked, or what is wrong with one of an older format: the first commit writes the
 * newest, and until then the file stays as it is.
 */
function upgraded(value: unknown): z.core.util.SafeParseResult<unknown> {
  const isOfFormat1 = (value as { format?: unknown } | null)?.format === 1;
  return isOfFormat1 ? fromFormat1.safeParse(value) : { success: true, data: value };
}
