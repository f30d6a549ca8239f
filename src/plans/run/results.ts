/** What came of each contact of a plan, beside its row in the file: no service is asked. */
import { CONTACT_COLUMNS, type ContactResult, type ContactRow, resultOf } from '../../campaigns/contact-results.ts';
import { isoTime } from '../../text/iso.ts';
import type { StoredPlan } from '../rows/stored-plan.ts';
import type { Called } from '../rules/events.ts';
import type { LoadedPlan } from '../rules/plan.ts';
import type { ContactState, Roster } from '../rules/roster.ts';

export interface PlanResults {
  loaded: LoadedPlan;
  /** Of the file; of a plan whose file was not kept, the fields of its contacts. */
  columns: readonly string[];
  /** In the order of the file. Throws FileError. */
  rows(): AsyncIterable<ContactRow>;
  /** The results of the contacts in these states, or of all, in the order of the file. Throws FileError. */
  results(states?: readonly ContactState[]): AsyncIterable<ContactResult>;
}

/** Throws NotFoundError and FileError. */
export async function resultsOf(stored: StoredPlan): Promise<PlanResults> {
  const loaded = await stored.load();
  const columns = loaded.plan.columns ?? CONTACT_COLUMNS;
  async function* rows(): AsyncGenerator<ContactRow, void> {
    for await (const people of stored.peopleOf(loaded).pages()) {
      for (const { contact, cells } of people)
        yield { contact, cells: cells ?? [contact.phone_number, contact.custom_identifiers ?? ''] };
    }
  }
  return { loaded, columns, rows, results: (states) => resultsIn({ stored, loaded, columns, rows }, states) };
}

interface Source extends Pick<PlanResults, 'loaded' | 'columns' | 'rows'> {
  stored: StoredPlan;
}

async function* resultsIn(
  { stored, loaded, columns, rows }: Source,
  states: readonly ContactState[] | undefined,
): AsyncGenerator<ContactResult, void> {
  const { roster } = loaded;
  const wanted = states && new Set(states);
  const calls = stored.historyOf(loaded).callsOfContacts();
  let called = await calls.next();
  let row = 0;
  for await (const contact of rows()) {
    let own: readonly Called[] = [];
    if (!called.done && called.value[0] === row) {
      [, own] = called.value;
      called = await calls.next();
    }
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
  return roster.stateOf(row) === 'again' && Number.isFinite(due) ? isoTime(due) : null;
}
