/** The lists of a service that completion offers, kept for a minute in the state folder, without the key. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { makePrivateFolder, replaceFile } from '../../storage/files/durable.ts';
import { readText, systemFiles } from '../../storage/files/file-system.ts';
import { MINUTE } from '../../text/units.ts';
import type { Candidate } from './request.ts';

const candidate = z.object({ value: z.string(), about: z.string() });
const content = z.object({
  /** Times are in milliseconds since the epoch. */
  lists: z._default(z.record(z.string(), z.object({ at: z.number(), candidates: z.array(candidate) })), {}),
  /** When the service was last asked by a process that nobody waits for. */
  asked: z._default(z.number(), 0),
});

/** The lists of one organization at one service; `now` is in milliseconds since the epoch. */
export function listCache(stateFolder: string, owner: readonly [service: string, organization: number], now: number) {
  const folder = join(stateFolder, 'completion');
  const hash = createHash('sha256').update(JSON.stringify(owner));
  const path = join(folder, `${hash.digest('hex').slice(0, 32)}.json`);
  const state = readKept(path);
  const isRecent = (at: number) => at <= now && now - at < MINUTE;
  const write = () => {
    makePrivateFolder(systemFiles, folder);
    replaceFile(systemFiles, path, JSON.stringify(state));
  };
  return {
    /** A list, and whether it is younger than a minute. */
    kept(list: string): { candidates: Candidate[]; isFresh: boolean } | undefined {
      const found = Object.hasOwn(state.lists, list) ? state.lists[list] : undefined;
      return found && { candidates: found.candidates, isFresh: isRecent(found.at) };
    },
    /** Keeps several lists. Throws system errors, and FileErrors. */
    keep(lists: Record<string, Candidate[]>): void {
      for (const [list, candidates] of Object.entries(lists)) state.lists[list] = { at: now, candidates };
      write();
    },
    /** Whether nobody else has asked the service within the last minute; from now on, somebody has. Throws as `keep` does. */
    mayAsk(): boolean {
      if (isRecent(state.asked)) return false;
      state.asked = now;
      write();
      return true;
    },
  };
}

function readKept(path: string): z.output<typeof content> {
  try {
    return content.parse(JSON.parse(readText(systemFiles, path)));
  } catch {
    // Absent or damaged: the service is asked.
    return { lists: {}, asked: 0 };
  }
}
