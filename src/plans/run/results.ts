/** What came of each contact of a plan, beside its row in the file: no service is asked. */
import { CONTACT_COLUMNS, type ContactResult, type ContactRow, resultOf } from '../../campaigns/results.ts';
import { isoTime } from '../../text/iso.ts';
import type { StoredPlan } from '../rows/stored-plan.ts';
import type { Called } from '../rules/events.ts';
import type { ContactState, Roster } from '../rules/roster.ts';

/** Throws NotFoundError and FileError; so do the rows and the results. */
export async function resultsOf(stored: StoredPlan) {
  const loaded = await stored.load();
  const { roster } = loaded;
  const columns = loaded.plan.columns ?? CONTACT_COLUMNS;
  async function* rows(): AsyncGenerator<ContactRow, void> {
    for await (const people of stored.peopleOf(loaded).pages()) {
      for (const { contact, cells } of people)
        yield { contact, cells: cells ?? [contact.phone_number, contact.custom_identifiers ?? ''] };
    }
  }
  async function* results(states: readonly ContactState[] | undefined): AsyncGenerator<ContactResult, void> {
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
      if (states?.includes(state) !== false) {
        const isAmbiguous = own.some(({ ambiguous }) => ambiguous === true);
        const result = resultOf(contact, { state, calls: own.map(keptCall), isAmbiguous }, columns);
        yield { ...result, next_call: nextCallOf(roster, row) };
      }
      row++;
    }
  }
  return {
    loaded,
    /** Of the file; of a plan whose file was not kept, the fields of its contacts. */
    columns,
    /** In the order of the file. */
    rows,
    /** Of the contacts in these states, or of all, in the order of the file. */
    results,
  };
}

function keptCall({ at, status, outcome, seconds, call_id, recording_url }: Called) {
  return { at, status, outcome, duration: seconds, callId: call_id, recordingUrl: recording_url };
}

/** Of one who is called again: when that may be at the earliest. */
function nextCallOf(roster: Roster, row: number): string | null {
  const due = roster.dueOf(row);
  return roster.stateOf(row) === 'again' && Number.isFinite(due) ? isoTime(due) : null;
}
