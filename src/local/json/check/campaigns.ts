/** Checks that every campaign has the contacts and retries that are still to be dialled. */
import * as z from 'zod/mini';
import { type Contact, contact } from '../../../contract.ts';
import type { Retry } from '../../../engine/campaigns.ts';
import { retryFlaw } from '../../../engine/soundness.ts';
import { type Campaign, count, instant } from '../../../engine/state.ts';
import { FileError, systemCode } from '../../../errors.ts';
import { queuePath, readRowsOf } from '../queues.ts';
import type { QueueExtent, Root } from '../root.ts';
import { type Inspection, readValue, type SuspectFile } from './inspection.ts';

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
    const people: number[] = [];
    const contacts = await checkQueue(inspection, extent, 'contacts', writtenContact, (person) => {
      people.push(hashOf(person));
      return undefined;
    });
    // After a repair there may be fewer than there were.
    const isComplete = contacts.isWhole && people.length === campaign.total_contacts;
    const damageOf = inOrder(campaign, isComplete ? people : undefined);
    const retries = await checkQueue(inspection, extent, 'retries', retry, damageOf);
    checkRows(inspection, extent);
    compareContacts(inspection, campaign, contacts, isComplete || wasRepaired);
    compareRetries(inspection, campaign, retries);
  }
}

/**
 * Tells of each retry why it cannot be one of those that wait: of contacts that were dialled, each once, with another attempt
 * left, in the order of time. `people` are the campaign's contacts by their hashes, if all are known.
 */
function inOrder(campaign: Campaign, people: readonly number[] | undefined): (next: Retry) => string | undefined {
  const seen = new Set<number>();
  let before: Retry | undefined;
  return (next) => {
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
  const expected = extent[kind];
  const file = inspection.suspectFile(queuePath('', extent.campaign_id, kind), expected.bytes);
  const queue: QueueFindings<T> = { ...file, left: 0, first: undefined };
  let isBoundary = expected.taken === expected.bytes;
  for (const line of inspection.linesOf(queue.name, expected.bytes)) {
    isBoundary ||= line.start === expected.taken;
    const read = readValue(line, schema, kind === 'contacts' ? 'contact' : 'retry');
    // Retries of the past are never read again.
    const isLookedAt = read.damage === undefined && (kind === 'contacts' || line.start >= expected.taken);
    const damage = isLookedAt ? damageOf(read.value) : read.damage;
    if (damage !== undefined) inspection.brokenLine(queue, line.number, damage);
    else if (line.start >= expected.taken && queue.left++ === 0) queue.first = read.value;
    const rest = inspection.turn();
    if (rest !== undefined) await rest;
  }
  if (!isBoundary && !queue.isShort) {
    inspection.problem(queue.name, null, `has no line at byte ${expected.taken}, where the root continues to read`);
  }
  return queue;
}

/** Even if every line is sound, the root may count differently. */
function compareContacts(
  inspection: Inspection,
  { total_contacts, next_contact }: Campaign,
  { name, isWhole, left }: QueueFindings<Contact>,
  hasEachContact: boolean,
): void {
  const waiting = total_contacts - next_contact;
  if (!isWhole) return;
  if (left !== waiting) {
    inspection.problem(name, null, `holds ${left} contacts to be dialled, but the root counts ${waiting}`);
  } else if (!hasEachContact) {
    inspection.problem(name, null, `does not hold the ${total_contacts} contacts that the root counts`);
  }
}

function compareRetries(
  inspection: Inspection,
  { retries_waiting, retry_due }: Campaign,
  { name, isWhole, left, first }: QueueFindings<z.output<typeof retry>>,
): void {
  if (!isWhole) return;
  if (left !== retries_waiting) {
    inspection.problem(name, null, `holds ${left} retries to come, but the root counts ${retries_waiting}`);
  } else if ((first?.due ?? null) !== retry_due) {
    inspection.problem(name, null, 'continues with a retry due at another time than the root says');
  }
}
