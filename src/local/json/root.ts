/** `store.json`: the small state, and how much of every other file is committed. One root is one snapshot. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type State, stateSchema } from '../../engine/state.ts';
import { FileError, systemCode } from '../../errors.ts';
import { fileError } from '../../files/file-error.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { readText } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import { upgraded } from './upgrade.ts';

const FORMAT = 2;

const count = z.int().check(z.minimum(0));

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
});

export const rootSchema = z.object({
  format: z.literal(FORMAT),
  /** How often the store was reset: a reader who finds another number here must not trust what it has read. */
  resets: count,
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

function readIfThere(fs: FileSystem, path: string): string | undefined {
  try {
    return readText(fs, path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(error, 'read', path, { kind: 'store_unreadable' });
  }
}

function parseRoot(text: string, path: string): Root {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damagedFile(path, 'is not JSON', error);
  }
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > FORMAT) {
    throw new FileError(`${path} has format ${format}, newer than this vagent reads (${FORMAT}).`, {
      code: 'store_too_new',
      reason: { kind: 'store_too_new', what: 'store' },
    });
  }
  const newest = upgraded(value);
  const result = newest.success ? rootSchema.safeParse(newest.data) : newest;
  if (result.success) return result.data;
  throw damagedFile(path, `is not a store of vagent's: ${mismatchIn(result.error)}`, result.error);
}

export function damaged(what: string, cause?: unknown): FileError {
  return new FileError(`The store is damaged: ${what}.`, {
    code: 'store_damaged',
    reason: { kind: 'store_damaged' },
    cause,
  });
}

/** The same of one file; `damage` completes a sentence about it. */
export function damagedFile(path: string, damage: string, cause?: unknown): FileError {
  return new FileError(`The store is damaged: ${path} ${damage}.`, {
    code: 'store_damaged',
    reason: { kind: 'store_damaged', damage },
    cause,
  });
}

/** The files that remain if the creation of a store is cut off before its first root. */
const LEFT_BY_CREATION = new Set([LOCK_NAME, `${ROOT_NAME}.new`]);

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
    refuseDeadLink(fs, join(folder, ROOT_NAME));
    return false;
  }
  if (names.every((name) => LEFT_BY_CREATION.has(name))) return true;
  throw new FileError(`${folder} is not a store of vagent's: it holds other files and no ${ROOT_NAME}.`, {
    code: 'store_damaged',
    reason: { kind: 'store_foreign' },
  });
}

/** A dead link exists as a name but never has content. */
function refuseDeadLink(fs: FileSystem, path: string): void {
  const isThere = (follows: 'statSync' | 'lstatSync') => fs[follows](path, { throwIfNoEntry: false }) !== undefined;
  if (!isThere('lstatSync') || isThere('statSync')) return;
  throw new FileError(`Cannot read ${path}: it is a link that leads nowhere.`, {
    reason: { kind: 'store_unreadable' },
  });
}

/** A root as its file's content. Throws if it could not be read again: such a root is never written. */
export function rootText(root: Root): string {
  const { error } = rootSchema.safeParse(root);
  if (error !== undefined) throw new Error(`the store could not be read again: ${mismatchIn(error)}`);
  return `${JSON.stringify(root)}\n`;
}

/** The field that is wrong, and what is wrong with it. */
function mismatchIn({ issues: [first] }: z.core.$ZodError): string {
  return `${first?.path.join('.')}: ${first?.message}`;
}

/** The commit: durable when it returns. */
export function writeRoot(fs: FileSystem, folder: string, text: string): void {
  replaceFile(fs, join(folder, ROOT_NAME), text);
}
