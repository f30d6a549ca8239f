/**
 * Brings a file of calls up to date: what the service has and the file lacks is added at its end. The file is all that is
 * known of earlier runs.
 *
 * The service is asked for the calls since the latest one in the file and a day before it, for entries come late. That is
 * sound only where a file which has a call has all older ones, wherever a run was stopped: so the new calls are gathered
 * first, for services show them in any order, and added the oldest first. A file whose last line was cut off may be
 * anybody's; then everything is asked for.
 */
import { dirname } from 'node:path';
import type { CallLogEntry, Service } from '../contract.ts';
import { FileError } from '../errors.ts';
import { Appender, type FileSystem, fileError, syncFolder } from '../files.ts';
import { masked } from '../redact.ts';
import type { CallFile, FileFormat } from './call-file.ts';
import { firstDaySince, LATENESS } from './days.ts';
import { exportWriter } from './export.ts';
import { pages } from './pages.ts';
import { Spool } from './spool.ts';

export interface SyncTarget {
  fs: FileSystem;
  path: string;
  /** Where the new calls are gathered. */
  spoolPath: string;
  /** What the file is called in messages. */
  name: string;
  format: FileFormat;
  /** What the file holds; undefined where there is none. */
  file: CallFile | undefined;
  /** The chosen columns of a file that is begun: see `exportWriter`. A CSV goes on with those of its header. */
  columns: readonly string[] | undefined;
}

export interface SyncSource {
  service: Service;
  agentId: number | undefined;
  concurrency: number;
  /** Keeps the key out of the file. */
  redact(text: string): string;
  /** Hears of each page: the calls that were new so far. */
  onPage(found: number): void;
}

export interface Synced {
  added: number;
  /** Calls in the file. */
  total: number;
}

/** Throws the service's errors, with the file as it was, and FileErrors, with the file as it was or with some new calls. */
export async function syncCalls(target: SyncTarget, source: SyncSource): Promise<Synced> {
  const { fs, path, spoolPath, file } = target;
  const callIds = file?.callIds ?? new Set();
  try {
    const spool = new Spool(fs, spoolPath);
    try {
      await gather(spool, file, callIds, source);
      const isWhole = file !== undefined && file.size === file.wholeSize;
      if (!isWhole || spool.count > 0) await append(spool, target);
    } finally {
      spool.remove();
    }
    if (file === undefined) syncFolder(fs, dirname(path));
    return { added: spool.count, total: callIds.size };
  } catch (error) {
    throw fileError(error, 'write', target.name, 'What was added stays: run it again once that is mended.');
  }
}

/** Puts the calls that are not among `callIds` into the spool, and their ids among them. */
async function gather(
  spool: Spool,
  file: CallFile | undefined,
  callIds: Set<string>,
  { service, agentId, concurrency, redact, onPage }: SyncSource,
): Promise<void> {
  const filters = { start_date: firstDay(file), agent_id: agentId };
  // The ids of the file are not told to `pages`: it counts what it has seen against what the service counts since that day.
  for await (const { calls } of pages(service, filters, { concurrency })) {
    for (const call of calls) {
      const callId = redact(call.call_id);
      if (callIds.has(callId)) continue;
      callIds.add(callId);
      spool.add(call, redacted(call, redact));
    }
    onPage(spool.count);
  }
}

function firstDay(file: CallFile | undefined): string | undefined {
  if (file?.latest === undefined || file.size !== file.wholeSize) return undefined;
  return firstDaySince(file.latest - LATENESS);
}

/** A call as JSON, the key masked. */
function redacted(call: CallLogEntry, redact: SyncSource['redact']): string {
  const json = JSON.stringify(call);
  if (redact(json) === json) return json;
  return JSON.stringify(masked(call, redact));
}

async function append(spool: Spool, { fs, path, name, format, file, columns }: SyncTarget): Promise<void> {
  const standing = fs.statSync(path, { throwIfNoEntry: false });
  if (standing?.size !== file?.size) {
    throw new FileError(`${name} was changed by somebody else meanwhile; nothing was added.`, {
      hint: 'Run it again.',
    });
  }
  const hasHeader = file?.columns === undefined;
  const writer = exportWriter({ format, columns: file?.columns ?? columns, hasHeader, isExcel: false });
  const end = new Appender(fs, path, file?.wholeSize ?? 0);
  try {
    end.append(file?.lineBreak ?? '');
    for (const calls of spool.byTime()) end.append(await writer.rows(calls));
    end.append(await writer.end());
    end.finish();
  } finally {
    end.abandon();
  }
}
