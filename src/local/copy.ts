/** Makes a store a copy of another, whatever keeps the two: all that one knows of an organization and the other can keep. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Contact, DocumentedCall } from '../contract.ts';
import type { Retry } from '../engine/campaigns.ts';
import { EVERY_CALL } from '../engine/handlers.ts';
import { type Campaign, callsSinceReset, type State } from '../engine/state.ts';
import { FileError } from '../errors.ts';
import { linesOf, type OnCopied, type Snapshot, type Store } from './store.ts';
import type { Transaction } from './transaction.ts';

const CALLS_AT_ONCE = 1_000;

/** What was copied. */
export interface Copied {
  organizations: number;
  calls: number;
  campaigns: number;
}

/**
 * Copies every organization. There must be nothing at the target yet; it is all there at once, or nothing is. `onCall` is told
 * how many calls of an organization were copied, and of how many. Throws FileError, also if what was written is not what was
 * read, or if the source was changed meanwhile.
 */
export async function copyStore(source: Store, target: Store, onCall: OnCopied): Promise<Copied> {
  const copied = { organizations: 0, calls: 0, campaigns: 0 };
  const states = new Map<number, string>();
  await target.receive(async (receive) => {
    for (const organizationId of await source.ids()) {
      const from = await snapshotOf(source, organizationId);
      states.set(organizationId, digestOf(from.state));
      await requireSame(from, await receive(from, onCall), target.location);
      copied.organizations++;
      copied.calls += callsSinceReset(from.state);
      copied.campaigns += from.state.campaigns.length;
    }
    const ids = await source.nextIds();
    await requireUnchanged(source, states);
    return ids;
  });
  return copied;
}

async function snapshotOf(source: Store, organizationId: number): Promise<Snapshot> {
  const snapshot = await source.snapshot(organizationId);
  if (snapshot !== undefined) return snapshot;
  throw new FileError(`Organization ${organizationId} at ${source.location} is no longer there.`);
}

function digestOf(state: State): string {
  return createHash('sha256')
    .update(JSON.stringify(ownOf(state)))
    .digest('base64');
}

/** The state without the ids that count up over all organizations. */
function ownOf({ next_agent_id: _agent, next_campaign_id: _campaign, ...own }: State) {
  return own;
}

/** What others changed after it was read would be missing in the copy. */
async function requireUnchanged(source: Store, states: ReadonlyMap<number, string>): Promise<void> {
  for (const organizationId of await source.ids()) {
    const { state } = await snapshotOf(source, organizationId);
    if (digestOf(state) === states.get(organizationId)) continue;
    throw new FileError(`Organization ${organizationId} at ${source.location} was changed while it was copied.`, {
      hint: 'Nothing was made. Copy again when no other program uses the store.',
    });
  }
}

async function requireSame(source: Snapshot, copy: Snapshot, location: string): Promise<void> {
  const different = (what: string) =>
    new FileError(`The copy at ${location} was not what was copied: ${what}.`, { hint: 'Nothing was made.' });
  if (!isDeepStrictEqual(ownOf(copy.state), ownOf(source.state))) throw different('its state was another');
  const total = callsSinceReset(source.state);
  for (let offset = 0; offset < total; offset += CALLS_AT_ONCE) {
    const [one, other] = [
      await source.callPage(EVERY_CALL, CALLS_AT_ONCE, offset),
      await copy.callPage(EVERY_CALL, CALLS_AT_ONCE, offset),
    ];
    if (JSON.stringify(one) !== JSON.stringify(other)) throw different('its calls were others');
  }
  for (const { campaign_id: id } of source.state.campaigns) {
    const isSame =
      isDeepStrictEqual(await source.waitingOf(id), await copy.waitingOf(id)) &&
      areSame(await source.contactsOf(id), await copy.contactsOf(id)) &&
      (await haveSameRows(source, copy, id));
    if (!isSame) throw different(`campaign ${id} had other contacts`);
  }
}

async function haveSameRows(source: Snapshot, copy: Snapshot, campaignId: number): Promise<boolean> {
  const [one, other] = [await source.rowsOf(campaignId), await copy.rowsOf(campaignId)];
  if (one === undefined || other === undefined) return one === other;
  return isDeepStrictEqual(one.columns, other.columns) && areSame(one.rows, other.rows);
}

/** Gone through side by side, because there may be a million. */
function areSame(one: Iterable<unknown>, other: Iterable<unknown>): boolean {
  const others = other[Symbol.iterator]();
  for (const value of one) {
    const { value: found, done } = others.next();
    if (done === true || !isDeepStrictEqual(value, found)) return false;
  }
  return others.next().done === true;
}

/** Writes all that a snapshot knows besides its state, which is that of the transaction. Throws FileError where some is lost. */
export async function writeCopy(transaction: Transaction, from: Snapshot, onCopied: OnCopied): Promise<void> {
  for (const campaign of from.state.campaigns) {
    const { campaign_id: id } = campaign;
    transaction.addContacts(id, await contactsOf(from, campaign));
    const queues = transaction.queuesOf(id);
    for (const retry of await retriesOf(from, id)) queues.addRetry(retry);
    await transaction.flush();
  }
  for (const { campaign_id: id } of from.state.campaigns) {
    const rows = await from.rowsOf(id);
    if (rows !== undefined) await transaction.keepRows(id, linesOf(rows));
  }
  const total = callsSinceReset(from.state);
  let done = 0;
  for await (const calls of callsOf(from)) {
    for (const call of calls) transaction.appendCall(call);
    await transaction.flush();
    done += calls.length;
    onCopied(done, total);
  }
}

/** Oldest first. Throws FileError where some are lost. */
async function* callsOf({ state, callPage }: Snapshot): AsyncGenerator<DocumentedCall[]> {
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

/** Throws FileError where some are lost, the generator at its end. */
async function contactsOf(from: Snapshot, { campaign_id, total_contacts }: Campaign): Promise<Iterable<Contact>> {
  const contacts = await from.contactsOf(campaign_id);
  return (function* () {
    let count = 0;
    for (const contact of contacts) {
      count++;
      yield contact;
    }
    if (count !== total_contacts) throw lost(from.state, `campaign ${campaign_id} lacks contacts that it counts`);
  })();
}

/** The retries that wait, each with all of its contact. */
async function retriesOf(from: Snapshot, campaignId: number): Promise<Retry[]> {
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
