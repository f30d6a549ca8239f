/**
 * What came of each contact of a campaign or of a plan, as it is shown: in one shape as JSON, and in another as the row of a table.
 */
import { labelKey, labelKeys } from '../calls/select.ts';
import { Transcripts } from '../calls/transcripts.ts';
import { type ContactKey, type ContactState, isVoicemail, shownResult } from '../contract.ts';
import type { VagentError } from '../errors.ts';
import type { Ports } from '../register/ports.ts';
import { FORMATS, type RowLayout, RowWriter } from '../text/formats.ts';
import { isoTimeOrNull } from '../text/iso.ts';
import { objectOf, writeJson } from '../text/json.ts';
import { masked } from '../text/redact.ts';
import type { ContactOutcome } from './attribution/attribution.ts';
import type { Details } from './attribution/details.ts';
import type { KeptCall } from './attribution/entries.ts';
import type { Launches, NamedLaunch } from './launches.ts';
import { type Line, linesOf, readLine } from './lines.ts';

/** A contact as it was sent, and its cells in the file, in the order of the columns. */
export interface ContactRow {
  contact: ContactKey;
  cells: readonly string[];
}

/** What is known of a contact, the oldest call first. */
interface Outcome extends Pick<ContactOutcome, 'isAmbiguous'> {
  state: ContactState;
  /** What a plan does not keep of its calls is missing. */
  calls: readonly (Pick<KeptCall, 'at' | 'status' | 'outcome' | 'duration' | 'details'> & Partial<KeptCall>)[];
}

/**
 * The columns of results, in their order: rows, JSON, tables, `--fields` and help follow from these lines. Times are UTC ISO 8601.
 */
const COLUMNS = {
  state: ({ state }: Outcome) => state,
  last_result: lastResult,
  attempts: ({ calls }: Outcome) => calls.length,
  last_status: ({ calls }: Outcome) => calls.at(-1)?.status || null,
  last_outcome: ({ calls }: Outcome) => calls.at(-1)?.outcome || null,
  first_call: (outcome: Outcome) => isoTimeOrNull(timesOf(outcome).at(0)),
  last_call: (outcome: Outcome) => isoTimeOrNull(timesOf(outcome).at(-1)),
  /** Seconds of all completed calls. */
  talk_seconds: ({ calls }: Outcome) => calls.reduce((sum, call) => sum + (isCompleted(call) ? call.duration : 0), 0),
  call_ids: ({ calls }: Outcome) => calls.flatMap(({ callId }) => callId ?? []),
  recording_url: (outcome: Outcome) => lastOf(outcome, 'recording_url'),
  /** Whether an attempt could be of another campaign or call as well. */
  ambiguous: ({ isAmbiguous }: Outcome) => isAmbiguous,
};

export function lastResult({ calls }: Pick<Outcome, 'calls'>): string | null {
  const last = calls.at(-1);
  return shownResult(last && { ...last, isVoicemail: isCompleted(last) && isVoicemail(last.outcome) });
}

/**
 * Whether a contact is one of those asked for. A state may also be a last result, as versions before had it: then it is that of
 * a contact who was not reached.
 */
export function wanted({
  state: states,
  result: results,
}: { [K in 'state' | 'result']?: readonly string[] | undefined }) {
  const keys = results && labelKeys(results);
  return (outcome: Pick<Outcome, 'state' | 'calls'>): boolean => {
    const last = lastResult(outcome) ?? '';
    const isOf = (named: readonly string[]) =>
      named.includes(outcome.state) || (outcome.state === 'not_reached' && named.includes(last));
    return (states === undefined || isOf(states)) && (keys === undefined || keys.has(labelKey(last)));
  };
}

type Columns = { [K in keyof typeof COLUMNS]: ReturnType<(typeof COLUMNS)[K]> };

/** What is added to the columns of the file. */
export const RESULT_COLUMNS = Object.keys(COLUMNS) as (keyof Columns)[];

export interface ContactResult extends Columns {
  phone_number: string;
  custom_identifiers: string | null;
  /** The cells by the columns of the file. */
  row: Record<string, unknown>;
  /** Of the last completed call, where it was asked for. */
  transcript?: string | null;
  /** Of a plan: from when on the contact is called again. */
  next_call?: string | null;
}

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
  for (const field of [...RESULT_COLUMNS, ...more]) {
    let name: string = field;
    while (taken.has(name)) name = `result_${name}`;
    taken.add(name);
    names.set(field, name);
  }
  return names;
}

export function resultOf({ contact, cells }: ContactRow, outcome: Outcome, columns: readonly string[]): ContactResult {
  const { phone_number, custom_identifiers = null } = contact;
  const made: Record<string, unknown> = { phone_number, custom_identifiers };
  for (const name of RESULT_COLUMNS) made[name] = COLUMNS[name](outcome);
  made.row = objectOf(columns.map((name, at) => [name, cells[at] ?? '']));
  return made as unknown as ContactResult;
}

/** The last call of a contact in which somebody, or a machine, answered. */
export function lastCompleted({ calls }: ContactOutcome): KeptCall | undefined {
  return calls.findLast(isCompleted);
}

function isCompleted({ status }: Pick<KeptCall, 'status'>): boolean {
  return status === 'completed';
}

function lastOf({ calls }: Outcome, name: keyof Details): string | null {
  return calls.findLast(({ details }) => details[name])?.details[name] ?? null;
}

function timesOf({ calls }: Outcome): number[] {
  return calls.flatMap(({ at }) => at ?? []);
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

export interface ResultsLayout extends Omit<RowLayout, 'columns' | 'around'> {
  /** Whose they are: the first fields of the JSON document. */
  of: Record<string, number | string | null>;
  /** The columns of the file, and what each added one is called. */
  columns: readonly string[];
  added: ReadonlyMap<keyof ContactResult, string>;
}

/** Contacts that are written at a time. */
const BATCH = 500;

/** The results as text, some at a time. Returns how many there were, and how many texts a spreadsheet cuts off. */
export async function* resultsAsText(
  results: AsyncIterable<ContactResult>,
  layout: ResultsLayout,
): AsyncGenerator<string, Pick<RowWriter, 'count' | 'cut'>> {
  const { format, columns, added, fields, redact } = layout;
  const isRow = FORMATS[format].isFlat || (format !== 'ids' && fields !== undefined);
  const shown = isRow ? [...columns, ...added.values()] : CONTACT_COLUMNS;
  const writer = new RowWriter({ ...layout, columns: shown, around: documentOf(layout) });
  let batch: Record<string, unknown>[] = [];
  for await (const result of results) {
    batch.push(isRow ? rowOf(result, columns, added) : { ...result });
    if (batch.length < BATCH) continue;
    yield redact(await writer.rows(batch));
    batch = [];
  }
  yield redact((await writer.rows(batch)) + (await writer.end()));
  return writer;
}

/** The results as a workbook, some bytes at a time, with the times as dates of the zone. */
export async function* resultsAsWorkbook(
  results: AsyncIterable<ContactResult>,
  { columns, added, zone, ...layout }: ResultsLayout & { zone: string },
): AsyncGenerator<Buffer, Pick<RowWriter, 'count' | 'cut'>> {
  const { workbookOf } = await import('../text/workbook/write-workbook.ts');
  const times = new Set(TIMES.flatMap((field) => added.get(field) ?? []));
  async function* batches() {
    let batch: Record<string, unknown>[] = [];
    for await (const result of results) {
      batch.push(rowOf(result, columns, added));
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
  const shown = [...columns, ...added.values()];
  return yield* workbookOf(batches(), { ...layout, columns: shown, sheet: { name: 'Results', times, zone } });
}

const TIMES = ['first_call', 'last_call', 'next_call'] as const;

/** The contacts are one field of a JSON document that says whose they are. */
function documentOf({ of, redact }: ResultsLayout): { begin: string; end: string } {
  return { begin: `${writeJson(masked(of, redact)).slice(0, -1)},"contacts":[`, end: ']}' };
}

// Of a campaign --------------------------------------------------------------------------------------------------------

interface Wanted {
  wants: ReturnType<typeof wanted>;
  /** With the transcripts, which are kept on disk until it is known whose are wanted: at this path, or in a temporary folder. */
  transcripts: { beside: string | undefined } | undefined;
  /** Is told if the log shows fewer calls than it counts. */
  onShortage(shortage: VagentError): void;
}

/** Throws FileError if the contacts cannot be read. */
export async function resultsOf(launch: NamedLaunch, launches: Launches, ports: Ports) {
  const [line] = (await linesOf([launch], launches, ports.notes)) as [Line];
  const ofFile = await launch.columns();
  const columns = ofFile?.names ?? CONTACT_COLUMNS;

  /** In the order of sending. Throws FileError. */
  async function* rows(): AsyncGenerator<ContactRow, void> {
    for await (const { contact, cells = [] } of launch.sent())
      yield { contact, cells: ofFile ? cells : [contact.phone_number, contact.custom_identifiers ?? ''] };
  }

  /** Reads the log, and gives the results in the order of sending. */
  async function* results({ wants, transcripts, onShortage }: Wanted): AsyncGenerator<ContactResult> {
    const kept = transcripts && new Transcripts(transcripts.beside);
    try {
      const { shortage } = await readLine(line, launches, ports, (call) => kept?.keep(call));
      if (shortage !== undefined) onShortage(shortage);
      const contacts = rows();
      for (const outcome of line.attribution.outcomesOf(launch)) {
        const row = await contacts.next();
        if (row.done) return;
        if (!wants(outcome)) continue;
        const result = resultOf(row.value, outcome, columns);
        yield kept === undefined ? result : { ...result, transcript: kept.of(lastCompleted(outcome)?.mark) };
      }
    } finally {
      kept?.remove();
    }
  }

  return { columns, form: ofFile?.form, rows, results, tally: () => line.attribution.tallyOf(launch) };
}
