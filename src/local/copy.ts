/** Makes a store a copy of another, whatever keeps the two: the same state, calls, contacts, retries and original rows. */
import { isDeepStrictEqual } from 'node:util';
import { type Contact, FIRST_ORGANIZATION } from '../contract.ts';
import { dayRange } from '../engine/policy.ts';
import { callsSinceReset, initialState, type State } from '../engine/state.ts';
import { FileError } from '../errors.ts';
import type { OriginalRows } from '../files/rows.ts';
import type { Organizations, Snapshot, Store } from './store.ts';

const EVERY_CALL = { ...dayRange(undefined, undefined), agentId: undefined };
const CALLS_AT_ONCE = 1_000;

/** What was copied. */
export interface Copied {
  organizations: number;
  calls: number;
  campaigns: number;
}

/**
 * Copies every organization. There must be nothing at the target yet. `onCall` is told how many calls of an organization were copied, and
 * of how many. Throws FileError, also if what was written is not what was read.
 */
export async function copyOrganizations(
  source: Organizations,
  target: Organizations,
  onCall: (done: number, total: number) => void,
): Promise<Copied> {
  const copied = { organizations: 0, calls: 0, campaigns: 0 };
  for (const organizationId of await source.ids()) {
    const from = await (await source.storeOf(organizationId))?.snapshot();
    if (from === undefined)
      throw new FileError(`Organization ${organizationId} at ${source.location} is no more there.`);
    const to = organizationId === FIRST_ORGANIZATION ? target.first() : await adopted(target, from.state);
    await copyStore(from, to, onCall);
    copied.organizations++;
    copied.calls += callsSinceReset(from.state);
    copied.campaigns += from.state.campaigns.length;
  }
  return copied;
}

/** An organization of the same id, with nothing in it. */
async function adopted(target: Organizations, { seed, clock, organization, next_agent_id, next_campaign_id }: State) {
  const { organization_id: organizationId, demo_agent_id: demoAgentId } = organization;
  const empty = initialState({ seed, now: clock.last, empty: true, organizationId, demoAgentId });
  await target.adopt({ ...empty, next_agent_id, next_campaign_id });
  return (await target.storeOf(organizationId)) as Store;
}

/**
 * `target` must not exist yet. `onCall` is told how many calls were copied, and of how many. Everything but the original rows is one
 * commit. Throws FileError, also if what was written is not what was read.
 */
async function copyStore(
  source: Snapshot,
  target: Store,
  onCall: (done: number, total: number) => void,
): Promise<void> {
  const { state } = source;
  await target.transact(async (transaction) => {
    const copy = transaction.state;
    const total = callsSinceReset(state);
    await transaction.issueIds(() => {
      Object.assign(copy, structuredClone(state), { next_call_number: state.next_call_number - total });
    });
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

/** The state without the ids that count up over all organizations. */
function ownOf({ next_agent_id: _agent, next_campaign_id: _campaign, ...own }: State) {
  return own;
}

async function requireSame(source: Snapshot, copy: Snapshot, location: string): Promise<void> {
  const different = (what: string) =>
    new FileError(`The copy at ${location} is not what was copied: ${what}.`, {
      hint: 'The store that was copied is as it was. Remove the copy.',
    });
  if (!isDeepStrictEqual(ownOf(copy.state), ownOf(source.state))) throw different('its state is another');
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
