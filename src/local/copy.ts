/** Makes a store a copy of another, whatever keeps the two: all that one knows of an organization and the other can keep. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { EVERY_CALL } from '../engine/handlers.ts';
import { callsSinceReset, type State } from '../engine/state.ts';
import { FileError } from '../errors.ts';
import type { OnCopied, Organizations, Snapshot } from './store.ts';

const CALLS_AT_ONCE = 1_000;

/** What was copied. */
export interface Copied {
  organizations: number;
  calls: number;
  campaigns: number;
}

/**
 * Copies every organization. There must be nothing at the target yet; it is all there at once, or nothing is. `onCall` is told how many
 * calls of an organization were copied, and of how many. Throws FileError, also if what was written is not what was read, or if the
 * source was changed meanwhile.
 */
export async function copyOrganizations(
  source: Organizations,
  target: Organizations,
  onCall: OnCopied,
): Promise<Copied> {
  const copied = { organizations: 0, calls: 0, campaigns: 0 };
  const states = new Map<number, string>();
  await target.receive(async (copy) => {
    for (const organizationId of await source.ids()) {
      const from = await snapshotOf(source, organizationId);
      states.set(organizationId, digestOf(from.state));
      await copy.add(from, onCall);
      await requireSame(from, await copy.snapshotOf(organizationId), target.location);
      copied.organizations++;
      copied.calls += callsSinceReset(from.state);
      copied.campaigns += from.state.campaigns.length;
    }
    await copy.countIdsFrom(await source.nextIds());
    await requireUnchanged(source, states);
  });
  return copied;
}

async function snapshotOf(source: Organizations, organizationId: number): Promise<Snapshot> {
  const snapshot = await (await source.storeOf(organizationId))?.snapshot();
  if (snapshot !== undefined) return snapshot;
  throw new FileError(`Organization ${organizationId} at ${source.location} is no more there.`);
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
async function requireUnchanged(source: Organizations, states: ReadonlyMap<number, string>): Promise<void> {
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
