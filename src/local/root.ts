/** `store.json`: the small state, and how much of every other file is committed. One root is one snapshot. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type State, stateSchema } from '../engine/state.ts';
import { FileError, systemCode } from '../errors.ts';
import { type FileSystem, fileError, replaceFile } from '../files.ts';

const FORMAT = 1;

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

const rootSchema = z.object({
  format: z.literal(FORMAT),
  /** How often the store was reset: a reader that meets another number here must not trust what it has read. */
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

/** A root that was read, and the facts by which a later look tells whether it is still the newest. */
export interface ReadRoot {
  root: Root;
  /** The file's content: a change works on a copy made from it, so that readers never see half a change. */
  text: string;
  stamp: string;
}

/** Changes whenever a commit has replaced the root; `undefined` where there is none. */
export function rootStamp(fs: FileSystem, folder: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = fs.statSync(join(folder, ROOT_NAME), { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(error, 'read the store at', folder);
  }
}

/** Reads and checks the root; undefined where the folder is missing or empty, which is a store yet to be. */
export function readRoot(fs: FileSystem, folder: string): ReadRoot | undefined {
  const stamp = rootStamp(fs, folder);
  if (stamp === undefined) {
    requireUnused(fs, folder);
    return undefined;
  }
  let text: string;
  try {
    text = fs.readFileSync(join(folder, ROOT_NAME), 'utf8');
  } catch (error) {
    throw fileError(error, 'read', join(folder, ROOT_NAME));
  }
  return { root: parseRoot(text, join(folder, ROOT_NAME)), text, stamp };
}

function parseRoot(text: string, path: string): Root {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(`${path} is not JSON`, error);
  }
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > FORMAT) {
    throw new FileError(`${path} has format ${format}, newer than this vagent reads (${FORMAT}).`, {
      code: 'store_too_new',
      hint: 'Update vagent, or name another store with --store.',
    });
  }
  const result = rootSchema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw damaged(`${path} is not a store of vagent's: ${issue?.path.join('.')}: ${issue?.message}`, result.error);
}

export function damaged(what: string, cause?: unknown): FileError {
  return new FileError(`The store is damaged: ${what}.`, {
    code: 'store_damaged',
    hint: 'Nothing was changed. Restore the folder from a copy, or name another store with --store.',
    cause,
  });
}

/** What the creation of a store leaves when it is cut off before the first root stands. */
const LEFT_BY_CREATION = new Set([LOCK_NAME, `${ROOT_NAME}.new`]);

/** A folder full of other things is never taken for a store to be created. */
function requireUnused(fs: FileSystem, folder: string): void {
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw fileError(error, 'open the store at', folder, 'Name a folder with --store or VAGENT_STORE.');
  }
  if (names.every((name) => LEFT_BY_CREATION.has(name))) return;
  throw new FileError(`${folder} is no store of vagent's: it holds other files and no ${ROOT_NAME}.`, {
    code: 'store_damaged',
    hint: 'Name an empty or new folder with --store or VAGENT_STORE.',
  });
}

/** The commit: durable when it returns. */
export function writeRoot(fs: FileSystem, folder: string, text: string): void {
  replaceFile(fs, join(folder, ROOT_NAME), text);
}
