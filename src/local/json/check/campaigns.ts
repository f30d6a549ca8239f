/** Checks that every campaign has the contacts and retries that are still to be dialled. */
import * as z from 'zod/mini';
import { contact } from '../../../contract.ts';
import { type Campaign, instant } from '../../../engine/state.ts';
import { queuePath } from '../queues.ts';
import { type QueueExtent, ROOT_NAME, type Root } from '../root.ts';
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
  /** Whether the agent for its next call exists. */
  canCall: boolean;
  contacts: QueueFindings;
  retries: QueueFindings;
}

const count = z.int().check(z.minimum(0));
const retry = z.object({ index: count, attempt: count, due: instant, contact });

export async function checkCampaigns(inspection: Inspection, { queues, state }: Root): Promise<CampaignFindings[]> {
  const all: CampaignFindings[] = [];
  const agents = new Set(state.agents.map(({ agent_id }) => agent_id));
  for (const [at, extent] of queues.entries()) {
    // A root whose campaigns and files differ was refused before.
    const campaign = state.campaigns[at] as Campaign;
    const isCalling = campaign.status === 'running' || campaign.status === 'scheduled';
    const findings = {
      campaign,
      canCall: !isCalling || agents.has(campaign.agent_id),
      contacts: await checkQueue(inspection, extent, 'contacts', contact),
      retries: await checkQueue(inspection, extent, 'retries', retry),
    };
    compare(inspection, findings);
    all.push(findings);
  }
  return all;
}

async function checkQueue(
  inspection: Inspection,
  extent: QueueExtent,
  kind: 'contacts' | 'retries',
  schema: z.ZodMiniType,
): Promise<QueueFindings> {
  const name = queuePath('', extent.campaign_id, kind);
  const expected = extent[kind];
  const found = { bytes: 0, taken: 0 };
  const isShort = inspection.isShort(name, expected.bytes);
  const queue: QueueFindings = { name, expected, found, left: 0, first: undefined, broken: new Set(), isShort };
  let isBoundary = expected.taken === expected.bytes;
  for (const line of inspection.linesOf(name, expected.bytes)) {
    isBoundary ||= line.start === expected.taken;
    const { value, damage } = readValue(line, schema, kind === 'contacts' ? 'contact' : 'retry');
    if (damage !== undefined) {
      queue.broken.add(line.number);
      inspection.brokenLine(queue, line.number, damage);
    } else {
      found.bytes += line.length;
      if (line.start < expected.taken) found.taken += line.length;
      else if (queue.left++ === 0) queue.first = value;
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
function compare(inspection: Inspection, { campaign, canCall, contacts, retries }: CampaignFindings): void {
  const { campaign_id, agent_id, total_contacts, next_contact, reached, exhausted, retries_waiting, retry_due } =
    campaign;
  const waiting = total_contacts - next_contact;
  if (isWhole(contacts) && contacts.left !== waiting) {
    const message = `holds ${contacts.left} contacts to be dialled, but the root counts ${waiting}`;
    inspection.problem(contacts.name, null, message);
  }
  if (isWhole(retries) && retries.left !== retries_waiting) {
    const message = `holds ${retries.left} retries to come, but the root counts ${retries_waiting}`;
    inspection.problem(retries.name, null, message);
  } else if (isWhole(retries) && dueOf(retries) !== retry_due) {
    inspection.problem(retries.name, null, 'continues with a retry due at another time than the root says');
  }
  if (reached + exhausted + retries_waiting !== next_contact) {
    inspection.problem(ROOT_NAME, null, `has two different counts for the contacts of campaign ${campaign_id}`);
  }
  if (!canCall) {
    inspection.problem(
      ROOT_NAME,
      null,
      `has campaign ${campaign_id} call with agent ${agent_id}, which does not exist`,
    );
  }
}

function isWhole({ broken, isShort }: QueueFindings): boolean {
  return !isShort && broken.size === 0;
}

/** When the first remaining retry is due; null if none waits. */
export function dueOf({ first }: QueueFindings): number | null {
  return (first as z.output<typeof retry> | undefined)?.due ?? null;
}
