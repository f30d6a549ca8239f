/**
 * Brings a file of calls up to date: calls that the service has and the file lacks are added at its end. Earlier runs leave no
 * other trace than the file itself.
 *
 * The service is asked for the calls since a day before the latest one in the file, because entries may arrive late. This is
 * correct only if a file that has a call also has all older ones, wherever a run was stopped. Therefore the new calls are
 * collected first, since services show them in any order, and then added with the oldest first. If the last line of a file was
 * cut off, nobody knows which call it was, so all calls are requested.
 *
 * A call stays in the file as it was first written, but services complete an entry after they first show it. So a call that is
 * not settled is held back until it is, or for at most a day: that long the calls of its time are requested anyway.
 */
import { dirname } from 'node:path';
import { type CallLogEntry, listFields, type Service } from '../contract.ts';
import { FileError } from '../errors.ts';
import { Appender } from '../storage/files/appender.ts';
import { syncFolder } from '../storage/files/durable.ts';
import { type FileSystem, fileError } from '../storage/files/file-system.ts';
import { KeptTexts, type TextPlace } from '../storage/files/kept-texts.ts';
import { RowWriter } from '../text/formats.ts';
import { firstDaySince, LATENESS } from '../text/iso.ts';
import { originalOf, readJson, writeJson } from '../text/json.ts';
import { masked } from '../text/redact.ts';
import { HOUR } from '../text/units.ts';
import type { CallFile, FileFormat } from './call-file.ts';
import { callIdOf, KnownCalls } from './paging/identity.ts';
import { pages } from './paging/pages.ts';
import { instantOf } from './select.ts';
import { isSettled } from './wait.ts';

/** Calls that are written at a time. */
const BATCH = 100;

/** In milliseconds since the epoch; undefined if unknown. */
interface Clocks {
  /** From the date of the service's answers. */
  service?: number | undefined;
  /** The clock of this machine, or of the local engine. */
  own?: number | undefined;
}

interface SyncTarget {
  fs: FileSystem;
  path: string;
  /** The file in which the new calls are collected. */
  spoolPath: string;
  name: string;
  format: FileFormat;
  /** What the file holds; undefined if it does not exist. */
  file: CallFile | undefined;
  /** The chosen columns of a new file: see `exportWriter`. An existing CSV keeps the columns of its header. */
  columns: readonly string[] | undefined;
}

interface SyncSource {
  service: Service;
  agentId: number | undefined;
  concurrency: number;
  redact(text: string): string;
  /** Called after each page with the number of new calls so far. */
  onPage(found: number): void;
  /** The clocks that show when a day has passed; without them, only later calls can show it. */
  clocks?: () => Clocks;
}

export interface Synced {
  added: number;
  /** Calls in the file. */
  total: number;
  /** Calls that are not settled and are left to a later run. */
  held: number;
  /** Entries without a call_id. They are not added, because the next run could not see that they are in the file. */
  unnamed: number;
  /** Calls that were added although the file had others with the same call_id, from another time. */
  reused: number;
}

/** A call that is kept on disk until all are collected, because they need not fit into memory. */
interface FoundCall extends TextPlace {
  /** When it was made, in milliseconds since the epoch; 0 if that cannot be read. */
  at: number;
}

interface Gathered extends Pick<Synced, 'held' | 'unnamed' | 'reused'> {
  found: FoundCall[];
}

/** Throws the service's errors with the file unchanged, and FileErrors with the file unchanged or with some new calls added. */
export async function syncCalls(target: SyncTarget, source: SyncSource): Promise<Synced> {
  const { fs, path, spoolPath, file } = target;
  const known = file?.calls ?? new KnownCalls();
  try {
    const spool = new KeptTexts(fs, spoolPath);
    try {
      const { found, ...left } = await gather(spool, file, known, source);
      if (found.length > 0 || file === undefined || file.size !== file.wholeSize) await append(found, spool, target);
      if (file === undefined) syncFolder(fs, dirname(path));
      return { added: found.length, total: known.count, ...left };
    } finally {
      spool.remove();
    }
  } catch (error) {
    throw fileError(error, 'write', target.name, 'What was added stays: run it again once that is fixed.');
  }
}

/** Puts the calls that are not known into the spool, and marks them as known. */
async function gather(
  spool: KeptTexts,
  file: CallFile | undefined,
  known: KnownCalls,
  { service, agentId, concurrency, redact, onPage, clocks = () => ({}) }: SyncSource,
): Promise<Gathered> {
  const newest = file?.size === file?.wholeSize ? file?.latest : undefined;
  const start_date = newest === undefined ? undefined : firstDaySince(newest - LATENESS);
  const gathered: Gathered = { found: [], held: 0, unnamed: 0, reused: 0 };
  const unsettled: { call: CallLogEntry; id: string }[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  const add = (call: CallLogEntry, id: string) => {
    if (known.find(id, call) === 'later') gathered.reused += 1;
    known.add(id, call);
    gathered.found.push({ at: instantOf(call) ?? 0, ...spool.add(redacted(call, redact)) });
  };
  // `pages` does not get the ids of the file: it compares what it has seen with the service's count since that day.
  for await (const { calls } of pages(service, { start_date, agent_id: agentId }, { concurrency })) {
    for (const call of calls) {
      latest = Math.max(latest, credibleInstantOf(call, clocks()) ?? latest);
      const callId = callIdOf(call);
      const id = callId === undefined ? undefined : redact(callId);
      if (id === undefined) gathered.unnamed += 1;
      else if (known.find(id, call) === 'same') continue;
      else if (isSettled(call) || hasDayPassed(call, latest, clocks())) add(call, id);
      else unsettled.push({ call, id });
    }
    onPage(gathered.found.length);
  }
  for (const { call, id } of unsettled) {
    // Later calls may have shown by now that a day has passed.
    if (hasDayPassed(call, latest, clocks())) add(call, id);
    else gathered.held += 1;
  }
  return gathered;
}

/** A call as JSON with the key masked. */
function redacted(call: CallLogEntry, redact: SyncSource['redact']): string {
  const shown = originalOf(call);
  const json = writeJson(shown);
  return redact(json) === json ? json : writeJson(masked(shown, redact));
}

/** Adds the calls, the oldest first, after those whose time cannot be read. */
async function append(
  found: FoundCall[],
  spool: KeptTexts,
  { fs, path, spoolPath, name, format, file, columns }: SyncTarget,
): Promise<void> {
  if (fs.statSync(path, { throwIfNoEntry: false })?.size !== file?.size) {
    throw new FileError(`${name} was changed by another program meanwhile; nothing was added.`, {
      hint: 'Run it again.',
    });
  }
  const hasHeader = file?.columns === undefined;
  const form = { format, columns: listFields.calls, fields: file?.columns ?? columns, hasHeader };
  // The spool has no key in it.
  const writer = new RowWriter({ ...form, isExcel: file?.isExcel === true, redact: String }, hasHeader ? 0 : 1);
  // Created first, and only if nothing is there: an existing file is the operator's.
  if (file === undefined) fs.closeSync(fs.openSync(path, 'wx', 0o600));
  const end = new Appender(fs, path, file?.wholeSize ?? 0, true);
  try {
    end.append(file?.lineBreak ?? '');
    found.sort((one, other) => one.at - other.at);
    for (let at = 0; at < found.length; at += BATCH) {
      end.append(await writer.rows(found.slice(at, at + BATCH).map((place) => kept(spool.at(place), spoolPath))));
    }
    end.append(await writer.end());
    end.finish();
  } finally {
    end.abandon();
  }
}

function kept(json: string, path: string): CallLogEntry {
  try {
    return readJson(json) as CallLogEntry;
  } catch (cause) {
    throw new FileError(`${path} does not hold what was written to it.`, { cause });
  }
}

// How long an unfinished call is waited for, although the clocks of the service and of this machine may differ ------------

/** How far ahead of a clock a call's time may be and still be believed, in milliseconds. */
const AHEAD = HOUR;

/** When a call was made; undefined if its time cannot be read, or is ahead of every clock. */
function credibleInstantOf(call: CallLogEntry, { service, own }: Clocks): number | undefined {
  const at = instantOf(call);
  const clock = Math.max(service ?? Number.NEGATIVE_INFINITY, own ?? Number.NEGATIVE_INFINITY);
  return at !== undefined && Number.isFinite(clock) && at > clock + AHEAD ? undefined : at;
}

/**
 * True if the log continues for a day after the call, if both clocks show that a day has passed, or if the call's time is
 * unknown. A service's clock that is behind its own calls cannot be used to date them.
 */
export function hasDayPassed(call: CallLogEntry, latest: number, clocks: Clocks): boolean {
  const { service, own } = clocks;
  const at = credibleInstantOf(call, clocks);
  if (at === undefined || latest - at >= LATENESS) return true;
  if (service !== undefined && service + AHEAD >= at && service - at < LATENESS) return false;
  return own !== undefined && own - at >= LATENESS;
}
