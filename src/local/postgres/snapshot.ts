/** What an organization holds by one state of it, as others read it. */
import type { Client } from '../../database/database.ts';
import { callsSinceReset, type State } from '../../engine/state.ts';
import type { Snapshot } from '../store.ts';
import { callCounts } from './call-counts.ts';
import { callPage } from './call-pages.ts';
import { contactsOf, rowsOf, waitingOf } from './campaign-rows.ts';
import { eachRow } from './each-row.ts';

/** Reads with one state of everything; gives `none` where there is nothing to be read. */
export type Read = <T>(body: (client: Client) => Promise<T>, none: T) => Promise<T>;

export function snapshotOver(state: State, read: Read): Snapshot {
  const { organization_id: organizationId } = state.organization;
  const last = state.next_call_number - 1;
  const known = { organizationId, first: last - callsSinceReset(state) + 1, last };
  return {
    state,
    callPage: (filter, limit, offset) =>
      read((client) => callPage(client, known, filter, limit, offset), { calls: [], total: 0 }),
    callCounts: (filter) => read((client) => callCounts(client, known, filter), { quarters: [], kinds: [] }),
    contactsOf: (campaignId) => read((client) => contactsOf(client, campaignId), []),
    rowsOf: (campaignId) => read((client) => rowsOf(client, campaignId), undefined),
    waitingOf: (campaignId) => read((client) => waitingOf(client, campaignId), { numbers: [], retries: [] }),
    eachRow: (take) => read((client) => eachRow(client, organizationId, take), undefined),
  };
}
