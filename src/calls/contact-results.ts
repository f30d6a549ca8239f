/** What came of each contact of a campaign or of a plan, as it is shown: in one shape as JSON, and in another as the row of a table. */
import type { ContactKey } from '../contract.ts';
import { objectOf } from '../text/json.ts';
import type { ContactOutcome, KeptCall } from './attribution/attribution.ts';

/** A contact as it was sent, and its cells in the file, in the order of the columns. */
export interface ContactRow {
  contact: ContactKey;
  cells: readonly string[];
}

/** Times are UTC ISO 8601. */
export interface ContactResult {
  phone_number: string;
  custom_identifiers: string | null;
  /** Those of a campaign are in `attribution/states.ts`, those of a plan in `plans/roster.ts`. */
  state: string;
  attempts: number;
  last_status: string | null;
  last_outcome: string | null;
  first_call: string | null;
  last_call: string | null;
  /** Seconds of all completed calls. */
  talk_seconds: number;
  call_ids: string[];
  recording_url: string | null;
  /** Whether an attempt could be of another campaign or call as well. */
  ambiguous: boolean;
  /** Of the last completed call, where it was asked for. */
  transcript?: string | null;
  /** Of a plan: from when on the contact is called again. */
  next_call?: string | null;
  /** The cells by the columns of the file. */
  row: Record<string, unknown>;
}

/** What is added to the columns of the file. */
const ADDED = [
  'state',
  'attempts',
  'last_status',
  'last_outcome',
  'first_call',
  'last_call',
  'talk_seconds',
  'call_ids',
  'recording_url',
  'ambiguous',
] as const;

/** The columns of a contact of which no row of a file is known. */
export const CONTACT_COLUMNS = ['phone_number', 'custom_identifiers'] as const;

/**
 * What each added column is called beside those of a file: one that the file has already gets a prefix. `more` are fields that
 * not every result has.
 */
export function addedColumns(
  columns: readonly string[],
  more: readonly (keyof ContactResult)[] = [],
): Map<keyof ContactResult, string> {
  const taken = new Set(columns.map((name) => name.toLowerCase()));
  const names = new Map<keyof ContactResult, string>();
  for (const field of [...ADDED, ...more]) {
    let name: string = field;
    while (taken.has(name)) name = `result_${name}`;
    taken.add(name);
    names.set(field, name);
  }
  return names;
}

/** What is known of a contact, the oldest call first. */
interface Outcome extends Pick<ContactOutcome, 'isAmbiguous'> {
  state: string;
  calls: readonly Omit<KeptCall, 'mark'>[];
}

export function resultOf(
  { contact, cells }: ContactRow,
  { state, calls, isAmbiguous }: Outcome,
  columns: readonly string[],
): ContactResult {
  const times = calls.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const last = calls.at(-1);
  return {
    phone_number: contact.phone_number,
    custom_identifiers: contact.custom_identifiers ?? null,
    state,
    attempts: calls.length,
    last_status: last?.status || null,
    last_outcome: last?.outcome || null,
    first_call: timeOf(times[0]),
    last_call: timeOf(times.at(-1)),
    talk_seconds: calls.reduce((sum, call) => sum + (isCompleted(call) ? call.duration : 0), 0),
    call_ids: calls.flatMap(({ callId }) => callId ?? []),
    recording_url: calls.findLast(({ recordingUrl }) => recordingUrl !== undefined)?.recordingUrl ?? null,
    ambiguous: isAmbiguous,
    row: objectOf(columns.map((name, at) => [name, cells[at] ?? ''])),
  };
}

/** The last call of a contact in which somebody, or a machine, answered. */
export function lastCompleted({ calls }: ContactOutcome): KeptCall | undefined {
  return calls.findLast(isCompleted);
}

function isCompleted({ status }: Pick<KeptCall, 'status'>): boolean {
  return status === 'completed';
}

function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

/** The row of a table by the names of its columns: the cells of the file, and what is added. */
export function rowOf(
  result: ContactResult,
  columns: readonly string[],
  added: ReadonlyMap<keyof ContactResult, string>,
): Record<string, unknown> {
  const { phone_number, custom_identifiers } = result;
  // By its entries, because a file may have a column __proto__.
  return Object.fromEntries([
    ['phone_number', phone_number],
    ['custom_identifiers', custom_identifiers],
    // A column of the file counts before a field of the same name.
    ...columns.map((name) => [name, result.row[name]] as const),
    ...[...added].map(([field, name]) => [name, cellOf(result[field])] as const),
  ]);
}

/** Several ids stand in one cell, with spaces between them. */
function cellOf(value: unknown): unknown {
  return Array.isArray(value) ? value.join(' ') : value;
}
