/** Checks that every campaign has the contacts and retries that are still to be dialled. */
import * as z from 'zod/mini';
import { type Contact, contact } from '../../../contract.ts';
import type { Retry } from '../../../engine/campaigns.ts';
import { CALLING_AGENT_STATUS } from '../../../engine/policy.ts';
import { retryFlaw } from '../../../engine/soundness.ts';
import { type Campaign, instant } from '../../../engine/state.ts';
import { FileError, systemCode } from '../../../errors.ts';
import { queuePath, readRowsOf } from '../queues.ts';
import type { QueueExtent, Root } from '../root.ts';
import type { Inspection } from './inspection.ts';
import { readValue } from './suspect-lines.ts';

/** The remaining lines of a file of contacts or retries. */
export interface QueueFindings {
  /** The file, named from the store's folder. */
  name: string;
  expected: { bytes: number; taken: number };
  /** The same for the sound lines alone. */
  found: { bytes: number; taken: number };
  /** Sound lines still to be taken, and the value of the first. */
  left: number;
  first: unknown;
  /** Numbers of the lines that cannot be kept. */
  broken: Set<number>;
  /** Whether bytes are missing at its end. */
  isShort: boolean;
}

export interface CampaignFindings {
  campaign: Campaign;
  /** Whether the agent for its next call may call. */
  canCall: boolean;
  contacts: QueueFindings;
  retries: QueueFindings;
  /** The file of the original rows, if it does not hold them. */
  damagedRows: string | undefined;
}

const count = z.int().check(z.minimum(0));
/** What has another field lacks one of its own, as whoever changed it by hand may not see. */
const writtenContact = z.strictObject(contact.shape);
const retry = z.strictObject({ index: count, attempt: count, due: instant, contact: writtenContact });

export async function checkCampaigns(
  inspection: Inspection,
  { queues, state }: Root,
  wasRepaired: boolean,
): Promise<CampaignFindings[]> {
  const all: CampaignFindings[] = [];
  const agents = new Map(state.agents.map(({ agent_id, status }) => [agent_id, status]));
  for (const [at, extent] of queues.entries()) {
    // A root whose campaigns and files differ was refused before.
    const campaign = state.campaigns[at] as Campaign;
    const agent = agents.get(campaign.agent_id);
    const people: number[] = [];
    const contacts = await checkQueue(inspection, extent, 'contacts', writtenContact, (person) => {
      people.push(hashOf(person));
      return undefined;
    });
    // After a repair there may be fewer than there were.
    const isComplete = isWhole(contacts) && people.length === campaign.total_contacts;
    const order = new RetryOrder(campaign, isComplete ? people : undefined);
    const retries = await checkQueue(inspection, extent, 'retries', retry, (next) => order.damageOf(next));
    const findings = {
      campaign,
      canCall: agent === CALLING_AGENT_STATUS || (agent !== undefined && campaign.status === 'paused'),
      contacts,
      retries,
      damagedRows: checkRows(inspection, extent),
    };
    compare(inspection, findings, isComplete || wasRepaired);
    all.push(findings);
  }
  return all;
}

/** Whether retries can be those that wait: of contacts that were dialled, each once, with another attempt left, in the order of time. */
class RetryOrder {
  readonly #campaign: Campaign;
  readonly #people: readonly number[] | undefined;
  readonly #seen = new Set<number>();
  #before: Retry | undefined;

  /** `people` are the campaign's contacts by their hashes, if all are known. */
  constructor(campaign: Campaign, people: readonly number[] | undefined) {
    this.#campaign = campaign;
    this.#people = people;
  }

  /** Completes a sentence about its line. */
  damageOf(next: Retry): string | undefined {
    const { index, contact: person } = next;
    if (this.#seen.has(index)) return 'is a retry of a contact that waits for none';
    const flaw = retryFlaw(next, this.#campaign, this.#before);
    if (flaw !== undefined) return flaw;
    if (this.#people !== undefined && this.#people[index] !== hashOf(person))
      return 'is a retry of another contact than it names';
    this.#seen.add(index);
    this.#before = next;
    return undefined;
  }
}

/** Of a contact, so that a million need little memory. */
function hashOf(person: Contact): number {
  const { phone_number, custom_first_line, custom_instruction, custom_identifiers } = person;
  const text = JSON.stringify([phone_number, custom_first_line, custom_instruction, custom_identifiers]);
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

/** The name of the file, if there is one that does not hold a row for each contact. */
function checkRows(inspection: Inspection, { campaign_id, has_rows }: QueueExtent): string | undefined {
  const name = queuePath('', campaign_id, 'rows');
  const { fs, folder } = inspection.options;
  try {
    for (const _cells of readRowsOf(fs, folder, campaign_id, has_rows)?.rows ?? []);
    return undefined;
  } catch (error) {
    // The contacts are missing, which is a problem of its own.
    if (systemCode(error) === 'ENOENT') return undefined;
    if (!(error instanceof FileError)) throw error;
    inspection.problem(name, null, 'does not hold the original row of each contact');
    return name;
  }
}

async function checkQueue<T>(
  inspection: Inspection,
  extent: QueueExtent,
  kind: 'contacts' | 'retries',
  schema: z.ZodMiniType<T>,
  damageOf: (value: T) => string | undefined,
): Promise<QueueFindings> {
  const name = queuePath('', extent.campaign_id, kind);
  const expected = extent[kind];
  const found = { bytes: 0, taken: 0 };
  const isShort = inspection.isShort(name, expected.bytes);
  const queue: QueueFindings = { name, expected, found, left: 0, first: undefined, broken: new Set(), isShort };
  let isBoundary = expected.taken === expected.bytes;
  for (const line of inspection.linesOf(name, expected.bytes)) {
    isBoundary ||= line.start === expected.taken;
    const read = readValue(line, schema, kind === 'contacts' ? 'contact' : 'retry');
    // Retries of the past are never read again.
    const isLookedAt = read.damage === undefined && (kind === 'contacts' || line.start >= expected.taken);
    const damage = isLookedAt ? damageOf(read.value) : read.damage;
    if (damage !== undefined) {
      queue.broken.add(line.number);
      inspection.brokenLine(queue, line.number, damage);
    } else {
      found.bytes += line.length;
      if (line.start < expected.taken) found.taken += line.length;
      else if (queue.left++ === 0) queue.first = read.value;
    }
    const rest = inspection.turn();
    if (rest !== undefined) await rest;
  }
  if (!isBoundary && !isShort) {
    inspection.problem(name, null, `has no line at byte ${expected.taken}, where the root continues to read`);
  }
  return queue;
}

/** Even if every line is sound, the root may count differently. */
function compare(
  inspection: Inspection,
  { campaign, contacts, retries }: CampaignFindings,
  hasEachContact: boolean,
): void {
  const { total_contacts, next_contact, retries_waiting, retry_due } = campaign;
  const waiting = total_contacts - next_contact;
  if (isWhole(contacts) && contacts.left !== waiting) {
    const message = `holds ${contacts.left} contacts to be dialled, but the root counts ${waiting}`;
    inspection.problem(contacts.name, null, message);
  } else if (isWhole(contacts) && !hasEachContact) {
    inspection.problem(contacts.name, null, `does not hold the ${total_contacts} contacts that the root counts`);
  }
  if (isWhole(retries) && retries.left !== retries_waiting) {
    const message = `holds ${retries.left} retries to come, but the root counts ${retries_waiting}`;
    inspection.problem(retries.name, null, message);
  } else if (isWhole(retries) && dueOf(retries) !== retry_due) {
    inspection.problem(retries.name, null, 'continues with a retry due at another time than the root says');
  }
}

function isWhole({ broken, isShort }: QueueFindings): boolean {
  return !isShort && broken.size === 0;
}

/** When the first remaining retry is due; null if none waits. */
export function dueOf({ first }: QueueFindings): number | null {
  return (first as z.output<typeof retry> | undefined)?.due ?? null;
}
