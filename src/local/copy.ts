/** Makes a store a copy of another, whatever keeps the two: the same state, calls, contacts, retries and original rows. */
import { isDeepStrictEqual } from 'node:util';
import type { Contact } from '../contract.ts';
import { dayRange } from '../engine/policy.ts';
import { callsSinceReset } from '../engine/state.ts';
import { FileError } from '../errors.ts';
import type { OriginalRows } from '../files/rows.ts';
import type { Snapshot, Store } from './store.ts';

const EVERY_CALL = { ...dayRange(undefined, undefined), agentId: undefined };
const CALLS_AT_ONCE = 1_000;

/**
 * `target` must not exist yet. `onCall` is told how many calls were copied, and of how many. Everything but the original rows is one
 * commit. Throws FileError, also if what was written is not what was read.
 */
export async function copyStore(
  source: Snapshot,
  target: Store,
  onCall: (done: number, total: number) => void,
): Promise<void> {
  const { state } = source;
  await target.transact(async (transaction) => {
    const copy = transaction.state;
    const total = callsSinceReset(state);
    Object.assign(copy, structuredClone(state), { next_call_number: state.next_call_number - total });
    for (const { campaign_id, next_contact } of state.campaigns) {
      const contacts = [...(await source.contactsOf(campaign_id))];
      transaction.addContacts(campaign_id, contacts, next_contact);
      const queues = transaction.queuesOf(campaign_id);
      const { retries } = await source.waitingOf(campaign_id);
      for (const retry of retries) queues.addRetry({ ...retry, contact: contacts[retry.index] as Contact });
      await transaction.prepare();
    }
    for (let done = 0; done < total; ) {
      const size = Math.min(CALLS_AT_ONCE, total - done);
      const { calls } = await source.callPage(EVERY_CALL, size, total - done - size);
      for (const call of calls.reverse()) {
        transaction.appendCall(call);
        copy.next_call_number++;
      }
      await transaction.prepare();
      done += size;
      onCall(done, total);
    }
  });
  for (const { campaign_id } of state.campaigns) {
    const rows = await source.rowsOf(campaign_id);
    if (rows !== undefined) await target.keepRows(campaign_id, linesOf(rows));
  }
  await requireSame(source, await target.snapshot(), target.location);
}

/** The content of a file of rows. */
function* linesOf({ columns, rows }: OriginalRows): Generator<Buffer> {
  yield Buffer.from(`${JSON.stringify({ columns })}\n`);
  for (const cells of rows) yield Buffer.from(`${JSON.stringify(cells)}\n`);
}

async function requireSame(source: Snapshot, copy: Snapshot, location: string): Promise<void> {
  const different = (what: string) =>
    new FileError(`The copy at ${location} is not what was copied: ${what}.`, {
      hint: 'The store that was copied is as it was. Remove the copy.',
    });
  if (!isDeepStrictEqual(copy.state, source.state)) throw different('its state is another');
  const total = callsSinceReset(source.state);
  for (let offset = 0; offset < total; offset += CALLS_AT_ONCE) {
    const [one, other] = [
      await source.callPage(EVERY_CALL, CALLS_AT_ONCE, offset),
      await copy.callPage(EVERY_CALL, CALLS_AT_ONCE, offset),
    ];
    if (JSON.stringify(one) !== JSON.stringify(other)) throw different('its calls are others');
  }
  for (const { campaign_id } of source.state.campaigns) {
    const one = [[...(await source.contactsOf(campaign_id))], await source.waitingOf(campaign_id)];
    const other = [[...(await copy.contactsOf(campaign_id))], await copy.waitingOf(campaign_id)];
    if (!isDeepStrictEqual(one, other)) throw different(`campaign ${campaign_id} has other contacts`);
  }
}
