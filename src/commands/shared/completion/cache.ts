/** Lists of a service, kept in the state folder, so that it is asked once a minute and not at every Tab. They hold no key. */
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
const content = z.object({
  lists: z._default(z.record(z.string(), keptList), {}),
  /** When the service was last asked by a process that nobody waits for. Milliseconds since the epoch. */
  asked: z._default(z.number(), 0),
});

/** A value, and a few words about it. */
export type Candidate = z.output<typeof candidate>;

export interface ListCache {
  /** The list if it is younger than a minute. */
  fresh(list: string): Candidate[] | undefined;
  /** The list however old it is. */
  last(list: string): Candidate[] | undefined;
  /** Keeps several lists. Throws system errors, and FileErrors. */
  keep(lists: Record<string, Candidate[]>): void;
  /** Whether nobody else has asked the service within the last minute; from now on, somebody has. Throws as `keep` does. */
  mayAsk(): boolean;
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
  const isRecent = (at: number) => at <= now && now - at < LIFETIME;
  const last = (list: string) => (Object.hasOwn(kept.lists, list) ? kept.lists[list] : undefined);
  const write = () => {
    makePrivateFolder(systemFiles, folder);
    replaceFile(systemFiles, path, JSON.stringify(kept));
  };
  return {
    fresh(list) {
      const found = last(list);
      return found !== undefined && isRecent(found.at) ? found.candidates : undefined;
    },
    last: (list) => last(list)?.candidates,
    keep(lists) {
      for (const [list, candidates] of Object.entries(lists)) kept.lists[list] = { at: now, candidates };
      write();
    },
    mayAsk() {
      if (isRecent(kept.asked)) return false;
      kept.asked = now;
      write();
      return true;
    },
  };
}

function readKept(fs: FileSystem, path: string): z.output<typeof content> {
  try {
    return content.parse(JSON.parse(readText(fs, path)));
  } catch {
    // Absent or damaged: the service is asked.
    return { lists: {}, asked: 0 };
  }
}
