/**
 * `journal.jsonl`: what happened to a plan, in groups that were written together. All lines of a group but the last have `"more":true`;
 * one that was cut off does not count.
 */
import type { Sql, Value } from '../../database/sql.ts';
import { applyEvent } from '../../plans/apply.ts';
import type { PlanEvent } from '../../plans/events.ts';
import type { LoadedPlan } from '../../plans/plan.ts';
import { parseEvent } from '../../plans/rows/parse.ts';
import { checkedJson } from './check.ts';
import { type OldFiles, readable } from './old-files.ts';

/** How a line ends that is not the last of its group. */
const MORE = ',"more":true}';
const COLUMNS = ['plan_id', 'number', 'happened_at', 'event', 'row', 'wave', 'data'];

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
  const { plan_id: planId } = loaded.plan;
  let group: PlanEvent[] = [];
  let [count, read, end] = [0, 0, 0];
  let told = toldUntil === 0 ? 0 : undefined;
  if (applied === 0) onApplied();
  for await (const lines of old.lines(path)) {
    const rows: Value[][] = [];
    for (const text of lines) {
      if (!text.endsWith('\n')) break;
      const json = checkedJson(text.slice(0, -1), read);
      const event = json === undefined ? undefined : readable(() => parseEvent(loaded.plan, count, json));
      if (event === undefined) throw damaged(`has a line that is no event, ${read} bytes after its beginning`);
      read += Buffer.byteLength(text);
      group.push(event);
      if (json?.endsWith(MORE)) continue;
      for (const one of group) {
        applyEvent(one, loaded, count);
        rows.push([planId, count++, ...eventRow(one)]);
      }
      group = [];
      end = read;
      if (end === applied) onApplied();
      if (end === toldUntil) told = count;
    }
    await sql.insert('plan_events', COLUMNS, rows);
  }
  if (end < applied) throw damaged(`ends after ${end} bytes, but ${applied} were written`);
  return { count, told };
}

function eventRow(event: PlanEvent): Value[] {
  const row = 'row' in event ? event.row : null;
  const wave = 'wave' in event ? event.wave : null;
  return [event.at, event.event, row, wave, JSON.stringify(event)];
}
