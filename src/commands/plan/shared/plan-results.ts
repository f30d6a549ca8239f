/** What came of each contact of a plan, beside its row in the file: from the plan's folder alone, no service is asked. */
import { CONTACT_COLUMNS, type ContactResult, type ContactRow, resultOf } from '../../../calls/contact-results.ts';
import { callsOfContacts } from '../../../plans/calls-of-contacts.ts';
import type { Called } from '../../../plans/events.ts';
import type { PlanFolder } from '../../../plans/folder/plan-folder.ts';
import type { LoadedPlan } from '../../../plans/plan.ts';
import type { ContactState, Roster } from '../../../plans/roster.ts';

export interface PlanResults {
  loaded: LoadedPlan;
  /** Of the file; of a plan whose file was not kept, the fields of its contacts. */
  columns: readonly string[];
  /** In the order of the file. Throws FileError. */
  rows(): Iterable<ContactRow>;
  /** The results of the contacts in these states, or of all, in the order of the file. Throws FileError. */
  results(states?: readonly ContactState[]): Iterable<ContactResult>;
}

/** Throws NotFoundError and FileError. */
export function resultsOf(folder: PlanFolder): PlanResults {
  const loaded = folder.load();
  const original = folder.originalRows();
  const columns = original?.columns ?? CONTACT_COLUMNS;
  function* rows(): Generator<ContactRow> {
    const cells = original?.rows[Symbol.iterator]();
    for (const contact of folder.eachContact()) {
      const own = [contact.phone_number, contact.custom_identifiers ?? ''];
      yield { contact, cells: cells === undefined ? own : (cells.next().value ?? []) };
    }
  }
  return { loaded, columns, rows, results: (states) => resultsIn({ folder, loaded, columns, rows }, states) };
}

interface Source extends Pick<PlanResults, 'loaded' | 'columns' | 'rows'> {
  folder: PlanFolder;
}

function* resultsIn(
  { folder, loaded, columns, rows }: Source,
  states: readonly ContactState[] | undefined,
): Generator<ContactResult> {
  const { roster } = loaded;
  const wanted = states && new Set(states);
  const calls = callsOfContacts(roster.size, folder.history);
  let row = 0;
  for (const contact of rows()) {
    const own = calls.next().value ?? [];
    const state = roster.stateOf(row);
    if (wanted?.has(state) !== false) {
      const outcome = { state, calls: own.map(keptCall), isAmbiguous: own.some(({ ambiguous }) => ambiguous === true) };
      yield { ...resultOf(contact, outcome, columns), next_call: nextCallOf(roster, row) };
    }
    row++;
  }
}

function keptCall({ at, status, outcome, seconds, call_id, recording_url }: Called) {
  return { at, status, outcome, duration: seconds, callId: call_id, recordingUrl: recording_url };
}

/** Of one who is called again: when that may be at the earliest. */
function nextCallOf(roster: Roster, row: number): string | null {
  const due = roster.dueOf(row);
  return roster.stateOf(row) === 'again' && Number.isFinite(due) ? new Date(due).toISOString() : null;
}
