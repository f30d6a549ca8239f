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
import { firstDaySince, LATENESS } from '../text/days.ts';
import { RowWriter } from '../text/formats.ts';
import { writeJson } from '../text/json.ts';
import { originalOf } from '../text/original.ts';
import { masked } from '../text/redact.ts';
import { HOUR } from '../text/units.ts';
import type { CallFile, FileFormat } from './call-file.ts';
import { KnownCalls } from './known-calls.ts';
import { callIdOf } from './paging/identity.ts';
import { pages } from './paging/pages.ts';
import { instantOf } from './select.ts';
import { Spool } from './spool.ts';
import { isSettled } from './wait.ts';

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
  /** The file's name in messages. */
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
  /** Keeps the key out of the file. */
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

/** Throws the service's errors with the file unchanged, and FileErrors with the file unchanged or with some new calls added. */
export async function syncCalls(target: SyncTarget, source: SyncSource): Promise<Synced> {
  const { fs, path, spoolPath, file } = target;
  const known = file?.calls ?? new KnownCalls();
  try {
    const spool = new Spool(fs, spoolPath);
    try {
      const left = await gather(spool, file, known, source);
      const isWhole = file !== undefined && file.size === file.wholeSize;
      if (!isWhole || spool.count > 0) await append(spool, target);
      if (file === undefined) syncFolder(fs, dirname(path));
      return { added: spool.count, total: known.count, ...left };
    } finally {
      spool.remove();
    }
  } catch (error) {
    throw fileError(error, 'write', target.name, 'What was added stays: run it again once that is fixed.');
  }
}

/** Puts the calls that are not known into the spool, and marks them as known. */
async function gather(
  spool: Spool,
  file: CallFile | undefined,
  known: KnownCalls,
  { service, agentId, concurrency, redact, onPage, clocks = () => ({}) }: SyncSource,
): Promise<Pick<Synced, 'held' | 'unnamed' | 'reused'>> {
  const filters = { start_date: firstDay(file), agent_id: agentId };
  const left = { held: 0, unnamed: 0, reused: 0 };
  const unsettled: CallLogEntry[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  const add = (call: CallLogEntry, id: string, found: ReturnType<KnownCalls['find']>) => {
    if (found === 'later') left.reused += 1;
    known.add(id, call);
    spool.add(call, redacted(call, redact));
  };
  // `pages` does not get the ids of the file: it compares what it has seen with the service's count since that day.
  for await (const { calls } of pages(service, filters, { concurrency })) {
    for (const call of calls) {
      latest = Math.max(latest, credibleInstantOf(call, clocks()) ?? latest);
      const callId = callIdOf(call);
      const id = callId === undefined ? undefined : redact(callId);
      const found = id === undefined ? undefined : known.find(id, call);
      if (id === undefined) left.unnamed += 1;
      else if (found === 'same') continue;
      else if (isSettled(call) || hasDayPassed(call, latest, clocks())) add(call, id, found);
      else unsettled.push(call);
    }
    onPage(spool.count);
  }
  for (const call of unsettled) {
    const id = redact(callIdOf(call) ?? '');
    // Later calls may have shown by now that a day has passed.
    if (!hasDayPassed(call, latest, clocks())) left.held += 1;
    else add(call, id, known.find(id, call));
  }
  return left;
}

function firstDay(file: CallFile | undefined): string | undefined {
  if (file?.latest === undefined || file.size !== file.wholeSize) return undefined;
  return firstDaySince(file.latest - LATENESS);
}

/** A call as JSON with the key masked. */
function redacted(call: CallLogEntry, redact: SyncSource['redact']): string {
  const shown = originalOf(call);
  const json = writeJson(shown);
  if (redact(json) === json) return json;
  return writeJson(masked(shown, redact));
}

async function append(spool: Spool, { fs, path, name, format, file, columns }: SyncTarget): Promise<void> {
  const standing = fs.statSync(path, { throwIfNoEntry: false });
  if (standing?.size !== file?.size) {
    throw new FileError(`${name} was changed by another program meanwhile; nothing was added.`, {
      hint: 'Run it again.',
    });
  }
  const hasHeader = file?.columns === undefined;
  const fields = file?.columns ?? columns;
  // The spool has no key in it.
  const form = {
    format,
    columns: listFields.calls,
    fields,
    hasHeader,
    isExcel: file?.isExcel === true,
    redact: String,
  };
  const writer = new RowWriter(form, hasHeader ? 0 : 1);
  // Created first, and only if nothing is there: an existing file is the operator's.
  if (file === undefined) fs.closeSync(fs.openSync(path, 'wx', 0o600));
  const end = new Appender(fs, path, file?.wholeSize ?? 0, true);
  try {
    end.append(file?.lineBreak ?? '');
    for (const calls of spool.byTime()) end.append(await writer.rows(calls));
    end.append(await writer.end());
    end.finish();
  } finally {
    end.abandon();
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
