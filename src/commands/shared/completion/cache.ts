/** Lists of a service, kept for a minute in the state folder, so that not every Tab asks for them. They hold no key. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type FileSystem, systemFiles } from '../../../files/file-system.ts';
import { makePrivateFolder } from '../../../files/folder.ts';
import { readText } from '../../../files/open.ts';
import { replaceFile } from '../../../files/replace.ts';

/** Milliseconds. */
const LIFETIME = 60_000;

const candidate = z.object({ value: z.string(), about: z.string() });
const keptList = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  candidates: z.array(candidate),
});
const content = z.record(z.string(), keptList);

/** A value, and a few words about it. */
export type Candidate = z.output<typeof candidate>;

export interface ListCache {
  get(list: string): Candidate[] | undefined;
  /** Keeps several lists. Throws system errors, and FileErrors. */
  keep(lists: Record<string, Candidate[]>): void;
}

/** The lists of one organization at one service; `now` is in milliseconds since the epoch. */
export function listCache(
  stateFolder: string,
  owner: { service: string; organization: number },
  now: number,
): ListCache {
  const folder = join(stateFolder, 'completion');
  const hash = createHash('sha256').update(JSON.stringify([owner.service, owner.organization]));
  const path = join(folder, `${hash.digest('hex').slice(0, 32)}.json`);
  const kept = readKept(systemFiles, path);
  return {
    get(list) {
      const found = Object.hasOwn(kept, list) ? kept[list] : undefined;
      const isFresh = found !== undefined && found.at <= now && now - found.at < LIFETIME;
      return isFresh ? found.candidates : undefined;
    },
    keep(lists) {
      for (const [list, candidates] of Object.entries(lists)) kept[list] = { at: now, candidates };
      makePrivateFolder(systemFiles, folder);
      replaceFile(systemFiles, path, JSON.stringify(kept));
    },
  };
}

function readKept(fs: FileSystem, path: string): z.output<typeof content> {
  try {
    return content.parse(JSON.parse(readText(fs, path)));
  } catch {
    // Absent or damaged: the service is asked.
    return {};
  }
}
