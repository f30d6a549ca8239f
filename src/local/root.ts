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

export interface ReadRoot {
  root: Root;
  /**
   * The file's content. A change works on a copy made from it, so that readers never see half a change; and only by it can
   * a later look tell whether the root is still the newest: times and inode numbers of two commits may be the same.
   */
  text: string;
}

/**
 * Reads and checks the root, or returns `known` where that is still the newest; undefined where the folder is missing or
 * empty, which is a store yet to be.
 */
export function readRoot(fs: FileSystem, folder: string, known?: ReadRoot): ReadRoot | undefined {
  const path = join(folder, ROOT_NAME);
  for (;;) {
    const text = readText(fs, path);
    if (text !== undefined) return text === known?.text ? known : { root: parseRoot(text, path), text };
    if (isUnused(fs, folder)) return undefined;
    // Between the two looks another process has created the store.
  }
}

function readText(fs: FileSystem, path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(error, 'read', path, 'Name a folder with --store or VAGENT_STORE.');
  }
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
    hint: 'Nothing was changed. See vagent local check, restore the folder from a copy, or name another with --store.',
    cause,
  });
}

/** What the creation of a store leaves when it is cut off before the first root stands. */
const LEFT_BY_CREATION = new Set([LOCK_NAME, `${ROOT_NAME}.new`]);

/** False where there is a root after all. A folder full of other things is never taken for a store to be created. */
function isUnused(fs: FileSystem, folder: string): boolean {
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true;
    throw fileError(error, 'open the store at', folder, 'Name a folder with --store or VAGENT_STORE.');
  }
  if (names.includes(ROOT_NAME)) return false;
  if (names.every((name) => LEFT_BY_CREATION.has(name))) return true;
  throw new FileError(`${folder} is no store of vagent's: it holds other files and no ${ROOT_NAME}.`, {
    code: 'store_damaged',
    hint: 'Name an empty or new folder with --store or VAGENT_STORE.',
  });
}

/** The commit: durable when it returns. */
export function writeRoot(fs: FileSystem, folder: string, text: string): void {
  replaceFile(fs, join(folder, ROOT_NAME), text);
}
