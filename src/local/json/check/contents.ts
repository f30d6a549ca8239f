/**
 * Checks that every segment of the call log has what the root commits, with every call in its place; and that every campaign has
 * the contacts and retries that are still to be dialled.
 */
import * as z from 'zod/mini';
import { CALL_STATUSES, type Contact, contact, documentedCall } from '../../../contract.ts';
import type { Retry } from '../../../engine/campaigns.ts';
import { callId, callNumber } from '../../../engine/policy.ts';
import { retryFlaw } from '../../../engine/soundness.ts';
import { type Campaign, count, instant } from '../../../engine/state.ts';
import { FileError, systemCode } from '../../../errors.ts';
import { segmentPath } from '../call-log.ts';
import { queuePath, readRowsOf } from '../queues.ts';
import type { QueueExtent, Root, Segment } from '../root.ts';
import type { Inspection, SuspectFile } from './inspection.ts';

/** The lines of one segment, compared with what the root says about it. */
interface SegmentFindings extends SuspectFile {
  expected: Segment;
  lines: number;
  /** The root's record of the segment, recomputed from the sound lines. */
  found: Pick<Segment, 'first' | 'last' | 'by_agent'>;
}

/** An entry as the engine writes it, with all fields by which the log is ordered and counted. */
const placedCall = z.strictObject({
  ...documentedCall.shape,
  call_id: z.string().check(z.regex(/^call_(\d{1,15}_)?\d{10,15}$/)),
  timestamp: z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
  agent_id: count,
  call_duration: count,
  call_status: z.enum(CALL_STATUSES),
});

interface Position {
  /** The number in the call_id. */
  number: number;
  /** Milliseconds since the epoch. */
  instant: number;
}

interface Candidate extends Position {
  segment: SegmentFindings;
  call: z.output<typeof placedCall>;
  line: number;
}

/** Returns how many calls are sound. */
export async function checkCalls(inspection: Inspection, root: Root): Promise<number> {
  let calls = 0;
  const place = callsInOrder(
    ({ segment: { found }, call: { agent_id, timestamp } }) => {
      calls++;
      found.first ||= timestamp;
      found.last = timestamp;
      found.by_agent[agent_id] = (found.by_agent[agent_id] ?? 0) + 1;
    },
    ({ segment, line }) => inspection.brokenLine(segment, line, 'is out of order by its call_id or timestamp'),
  );
  const total = root.segments.reduce((sum, { count }) => sum + count, 0);
  const segments: SegmentFindings[] = [];
  let done = 0;
  for (const expected of root.segments) {
    const file = inspection.suspectFile(segmentPath('', expected.seq), expected.bytes);
    const segment = { ...file, expected, lines: 0, found: { first: '', last: '', by_agent: {} } };
    segments.push(segment);
    await inspection.eachLine(segment, placedCall, 'call log entry', (call, { number: line }) => {
      segment.lines++;
      inspection.options.onCall(++done, total);
      if (call === undefined) return undefined;
      const number = callNumber(call.call_id);
      const candidate = { segment, call, line, number, instant: Date.parse(call.timestamp) };
      const wrong = impossibility(candidate, root);
      if (wrong === undefined) place(candidate);
      return wrong;
    });
  }
  place(undefined);
  for (const segment of segments) compareSegment(inspection, segment);
  return calls;
}

/** Why a call is impossible, wherever it is; undefined if it is not. */
function impossibility({ call, number, instant }: Candidate, { state }: Root): string | undefined {
  const isOwn = call.call_id === callId(state.organization.organization_id, number);
  if (!isOwn || number >= state.next_call_number) return 'has a call_id that was never given';
  return instant > state.clock.last ? "is later than the store's clock" : undefined;
}

/** Even if every line is sound, the root may contradict them. */
function compareSegment(inspection: Inspection, { name, expected, found, lines, isWhole }: SegmentFindings): void {
  if (!isWhole) return;
  const agents = new Set([...Object.keys(expected.by_agent), ...Object.keys(found.by_agent)]);
  const miscounted = [...agents].filter((id) => (expected.by_agent[id] ?? 0) !== (found.by_agent[id] ?? 0));
  if (lines !== expected.count) {
    inspection.problem(name, null, `holds ${lines} calls, but ${expected.count} were committed`);
  } else if (miscounted.length > 0) {
    inspection.problem(name, null, `differs from the root in the number of calls of agent ${miscounted.join(', ')}`);
  } else if (found.first !== expected.first || found.last !== expected.last) {
    const range = `runs from ${found.first} to ${found.last}`;
    inspection.problem(name, null, `${range}, but the root says ${expected.first} to ${expected.last}`);
  }
}

/**
 * Decides which calls of the log are in order: call_ids rise, and timestamps never fall. If two lines contradict each other,
 * the one that agrees with neither neighbour is refused, so that one wrong digit is no damage of all the calls after it. A call
 * is kept or refused when the next one is known, or that there is none.
 */
function callsInOrder(keep: (call: Candidate) => void, refuse: (call: Candidate) => void) {
  let kept: Position = { number: 0, instant: Number.NEGATIVE_INFINITY };
  let pending: Candidate | undefined;
  return (next: Candidate | undefined) => {
    const call = pending;
    pending = next;
    if (call === undefined) return;
    const isBehind = !follows(call, kept);
    const isAhead = next !== undefined && !follows(next, call) && follows(next, kept);
    if (isBehind || isAhead) return refuse(call);
    kept = call;
    keep(call);
  };
}

function follows(later: Position, earlier: Position): boolean {
  return later.number > earlier.number && later.instant >= earlier.instant;
}

/** The remaining lines of a file of contacts or retries. */
interface QueueFindings<T> extends SuspectFile {
  /** Sound lines still to be taken, and the value of the first. */
  left: number;
  first: T | undefined;
}

/** What has another field lacks one of its own, as whoever changed it by hand may not see. */
const writtenContact = z.strictObject(contact.shape);
const retry = z.strictObject({ index: count, attempt: count, due: instant, contact: writtenContact });

export async function checkCampaigns(
  inspection: Inspection,
  { queues, state }: Root,
  wasRepaired: boolean,
): Promise<void> {
  for (const [at, extent] of queues.entries()) {
    // A root whose campaigns and files differ was refused before.
    const campaign = state.campaigns[at] as Campaign;
    const { total_contacts, next_contact, retries_waiting, retry_due } = campaign;
    const people: number[] = [];
    const contacts = await checkQueue(inspection, extent, 'contacts', writtenContact, (person) => {
      people.push(hashOf(person));
      return undefined;
    });
    // After a repair there may be fewer than there were.
    const isComplete = contacts.isWhole && people.length === total_contacts;
    const damageOf = retriesInOrder(campaign, isComplete ? people : undefined);
    const retries = await checkQueue(inspection, extent, 'retries', retry, damageOf);
    checkRows(inspection, extent);

    // Even if every line is sound, the root may count differently.
    const waiting = total_contacts - next_contact;
    const ofContacts = (what: string) => contacts.isWhole && inspection.problem(contacts.name, null, what);
    if (contacts.left !== waiting)
      ofContacts(`holds ${contacts.left} contacts to be dialled, but the root counts ${waiting}`);
    else if (!isComplete && !wasRepaired)
      ofContacts(`does not hold the ${total_contacts} contacts that the root counts`);
    const ofRetries = (what: string) => retries.isWhole && inspection.problem(retries.name, null, what);
    if (retries.left !== retries_waiting)
      ofRetries(`holds ${retries.left} retries to come, but the root counts ${retries_waiting}`);
    else if ((retries.first?.due ?? null) !== retry_due)
      ofRetries('continues with a retry due at another time than the root says');
  }
}

/**
 * Tells of each retry why it cannot be one of those that wait: of contacts that were dialled, each once, with another attempt
 * left, in the order of time. `people` are the campaign's contacts by their hashes, if all are known.
 */
function retriesInOrder(campaign: Campaign, people: readonly number[] | undefined) {
  const seen = new Set<number>();
  let before: Retry | undefined;
  return (next: Retry): string | undefined => {
    const { index, contact: person } = next;
    if (seen.has(index)) return 'is a retry of a contact that waits for none';
    const isOther = people !== undefined && people[index] !== hashOf(person);
    const flaw =
      retryFlaw(next, campaign, before) ?? (isOther ? 'is a retry of another contact than it names' : undefined);
    if (flaw !== undefined) return flaw;
    seen.add(index);
    before = next;
    return undefined;
  };
}

/** Of a contact, so that a million need little memory. */
function hashOf(person: Contact): number {
  const { phone_number, custom_first_line, custom_instruction, custom_identifiers } = person;
  const text = JSON.stringify([phone_number, custom_first_line, custom_instruction, custom_identifiers]);
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

function checkRows(inspection: Inspection, { campaign_id, has_rows }: QueueExtent): void {
  const { fs, folder } = inspection.options;
  try {
    for (const _cells of readRowsOf(fs, folder, campaign_id, has_rows)?.rows ?? []);
  } catch (error) {
    // The contacts are missing, which is a problem of its own.
    if (systemCode(error) === 'ENOENT') return;
    if (!(error instanceof FileError)) throw error;
    inspection.problem(queuePath('', campaign_id, 'rows'), null, 'does not hold the original row of each contact');
  }
}

async function checkQueue<T>(
  inspection: Inspection,
  extent: QueueExtent,
  kind: 'contacts' | 'retries',
  schema: z.ZodMiniType<T>,
  damageOf: (value: T) => string | undefined,
): Promise<QueueFindings<T>> {
  const { bytes, taken } = extent[kind];
  const file = inspection.suspectFile(queuePath('', extent.campaign_id, kind), bytes);
  const queue: QueueFindings<T> = { ...file, left: 0, first: undefined };
  let isBoundary = taken === bytes;
  await inspection.eachLine(queue, schema, kind === 'contacts' ? 'contact' : 'retry', (value, { start }) => {
    isBoundary ||= start === taken;
    const isLeft = start >= taken;
    // Retries of the past are never read again.
    const isLookedAt = value !== undefined && (kind === 'contacts' || isLeft);
    const damage = isLookedAt ? damageOf(value) : undefined;
    if (value !== undefined && damage === undefined && isLeft && queue.left++ === 0) queue.first = value;
    return damage;
  });
  if (!isBoundary && !queue.isShort) {
    inspection.problem(queue.name, null, `has no line at byte ${taken}, where the root continues to read`);
  }
  return queue;
}
