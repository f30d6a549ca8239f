/**
 * `journal.jsonl`: what happened to a plan, in groups that were written together. All lines of a group but the last
 * have `"more":true`; one that was cut off does not count.
 */
import { crc32 } from 'node:zlib';
import { FileError } from '../../errors.ts';
import { inPages, type OldFiles } from '../../register/before/old-files.ts';
import { addRows, type Row } from '../../register/tables.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { parseEvent } from '../rows/parse.ts';
import { eventRow } from '../rows/stored-plan.ts';
import { applyEvent } from '../rules/apply.ts';
import type { PlanEvent } from '../rules/events.ts';
import type { LoadedPlan } from '../rules/plan.ts';

/** How a line ends that is not the last of its group. */
const MORE = ',"more":true}';

interface Reading {
  path: string;
  damaged: (why: string) => Error;
  /** Bytes that were written for sure; `onApplied` is called when these are applied. */
  applied: number;
  onApplied: () => void;
  /** Bytes that something else was written at. */
  toldUntil: unknown;
}

/** How many there are, and how many of them in `toldUntil` bytes, if that is where one ends. All are applied to `loaded`. */
export async function bringEvents(
  old: OldFiles,
  sql: Sql,
  loaded: LoadedPlan,
  { path, damaged, applied, onApplied, toldUntil }: Reading,
): Promise<{ count: number; told: number | undefined }> {
  let [count, read, end] = [0, 0, 0];
  let told = toldUntil === 0 ? 0 : undefined;
  if (applied === 0) onApplied();
  async function* rows(): AsyncGenerator<Row, void> {
    let group: PlanEvent[] = [];
    for await (const text of old.lines(path)) {
      if (!text.endsWith('\n')) return;
      const json = checkedJson(text.slice(0, -1), read);
      const event = json === undefined ? undefined : readable(() => parseEvent(loaded.plan, count, json));
      if (event === undefined) throw damaged(`has a line that is no event, ${read} bytes after its beginning`);
      read += Buffer.byteLength(text);
      group.push(event);
      if (json?.endsWith(MORE)) continue;
      for (const one of group) {
        applyEvent(one, loaded, count);
        yield eventRow(loaded.plan.plan_id, count++, one);
      }
      group = [];
      end = read;
      if (end === applied) onApplied();
      if (end === toldUntil) told = count;
    }
  }
  for await (const page of inPages(rows())) await addRows(sql, 'plan_events', page);
  if (end < applied) throw damaged(`ends after ${end} bytes, but ${applied} were written`);
  return { count, told };
}

const CHECK = ',"check":"';
const CHECK_LENGTH = `${CHECK}00000000"}`.length;

/**
 * The JSON of an object without its last field, a sum over its text: a disk that turns a bit must not turn the hours of
 * calls. Undefined if it is not what was written `at` this byte of its file.
 */
export function checkedJson(text: string, at = 0): string | undefined {
  const body = text.slice(0, -CHECK_LENGTH);
  const sum = crc32(body, at % 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  return text.slice(-CHECK_LENGTH) === `${CHECK}${sum}"}` ? `${body}}` : undefined;
}

/** What today's rows would be read as; undefined if they could not be. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}
