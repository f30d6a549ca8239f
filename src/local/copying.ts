/** What a copy takes of an organization, piece by piece, in the order in which it was written. */
import type { Contact, DocumentedCall } from '../contract.ts';
import type { Retry } from '../engine/campaigns.ts';
import { EVERY_CALL } from '../engine/handlers.ts';
import { type Campaign, callsSinceReset, type State } from '../engine/state.ts';
import { FileError } from '../errors.ts';
import type { Snapshot } from './store.ts';

const CALLS_AT_ONCE = 1_000;

/** Oldest first. Throws FileError where some are lost. */
export async function* callsOf({ state, callPage }: Snapshot): AsyncGenerator<DocumentedCall[]> {
  const { total } = await callPage(EVERY_CALL, 1, 0);
  const missing = callsSinceReset(state) - total;
  if (missing !== 0) throw lost(state, `its log lacks calls that it counts: ${missing}`);
  for (let done = 0; done < total; ) {
    const size = Math.min(CALLS_AT_ONCE, total - done);
    const { calls } = await callPage(EVERY_CALL, size, total - done - size);
    yield calls.reverse();
    done += size;
  }
}

/** Throws FileError where some are lost. */
export async function* contactsOf(from: Snapshot, { campaign_id, total_contacts }: Campaign): AsyncGenerator<Contact> {
  let count = 0;
  for (const contact of await from.contactsOf(campaign_id)) {
    count++;
    yield contact;
  }
  if (count !== total_contacts) throw lost(from.state, `campaign ${campaign_id} lacks contacts that it counts`);
}

/** The retries that wait, each with all of its contact. */
export async function retriesOf(from: Snapshot, campaignId: number): Promise<Retry[]> {
  const { retries } = await from.waitingOf(campaignId);
  const waiting = new Map(retries.map((retry) => [retry.index, retry]));
  let index = 0;
  for (const contact of waiting.size === 0 ? [] : await from.contactsOf(campaignId)) {
    const retry = waiting.get(index++);
    if (retry !== undefined) retry.contact = contact;
  }
  return retries;
}

/** What a repair has left out cannot be told apart from what a copy has lost, and a database has no gaps. */
function lost({ organization }: State, what: string): FileError {
  return new FileError(`Organization ${organization.organization_id} cannot be copied: ${what}.`, {
    hint: 'Nothing was made. A folder that was repaired can only be copied as it is, by the system.',
  });
}
