/** The root that a repair writes: the old one reduced to what is sound, or a new one if the old one cannot be used. */
import { join } from 'node:path';
import { FIRST_ORGANIZATION, LAST_INSTANT, localCredentials } from '../../../contract.ts';
import { withinCalendar } from '../../../engine/policy.ts';
import { type Campaign, callsSinceReset, DEFAULT_SEED, initialState } from '../../../engine/state.ts';
import { segmentPath } from '../call-log.ts';
import { sizeOf } from '../extents.ts';
import { newRoot, type Root, type Segment } from '../root.ts';
import { type CampaignFindings, dueOf } from './campaigns.ts';
import type { Findings } from './check-store.ts';
import type { InspectionOptions } from './inspection.ts';
import { campaignsOnDisk, segmentsOnDisk } from './names.ts';
import { begunBefore, clockAfterCalls, knownBefore } from './times.ts';

/** The root that matches the sound lines. */
export function repairedRoot(
  systemNow: number,
  organizationId: number | undefined,
  { root, segments, campaigns, hasNoTimes }: Findings,
): Root {
  const repaired = structuredClone(root as Root);
  Object.assign(repaired.state.organization, localCredentials(organizationId ?? FIRST_ORGANIZATION));
  // Tells a reader who is reading a page right now not to trust it.
  repaired.resets++;
  repaired.segments = kept(segments);
  repaired.state.campaigns = campaigns.map(repairedCampaign);
  const missing = callsSinceReset(repaired.state) - repaired.segments.reduce((sum, { count }) => sum + count, 0);
  // More calls than are counted: those before the reset were fewer.
  if (missing < 0) repaired.state.calls_before_reset += missing;
  if (hasNoTimes) {
    const { state } = repaired;
    state.clock = clockAfterCalls(repaired.segments.at(-1)?.last, withinCalendar(systemNow));
    state.agents = state.agents.map((agent) => knownBefore(state.clock.last, agent));
    state.campaigns = state.campaigns.map((campaign) => begunBefore(state.clock.last, campaign));
  }
  repaired.queues = campaigns.map(({ campaign, contacts, retries, damagedRows }, at) => ({
    ...repaired.queues[at],
    campaign_id: campaign.campaign_id,
    contacts: contacts.found,
    retries: retries.found,
    ...(damagedRows !== undefined && { has_rows: false }),
  }));
  return repaired;
}

function kept(segments: Findings['segments']): Segment[] {
  return segments.map(({ found }) => found).filter(({ count }) => count > 0);
}

/** A lost contact counts as if it had never existed; one whose retry is lost has had its last attempt. */
function repairedCampaign({ campaign, canCall, contacts, retries }: CampaignFindings): Campaign {
  const next_contact = Math.max(campaign.next_contact, retries.left);
  const reached = Math.min(campaign.reached, next_contact - retries.left);
  const repaired = {
    ...campaign,
    total_contacts: next_contact + contacts.left,
    next_contact,
    retries_waiting: retries.left,
    retry_due: dueOf(retries),
    reached,
    ...(campaign.voicemail !== undefined && { voicemail: Math.min(campaign.voicemail, reached) }),
    exhausted: next_contact - reached - retries.left,
  };
  const attempts = Math.min(Math.max(campaign.attempts, next_contact), next_contact * (1 + campaign.retry_attempts));
  const counted = { ...repaired, attempts, pace: { ...campaign.pace, dials: Math.min(campaign.pace.dials, attempts) } };
  const isDone = contacts.left === 0 && retries.left === 0;
  if (isDone) return { ...counted, status: 'completed', reason: null };
  if (!canCall) return { ...counted, status: 'paused', reason: 'agent_not_active' };
  // Nobody is called by a repair who was not to be called before.
  if (campaign.status === 'completed') return { ...counted, status: 'paused', reason: 'operator' };
  return { ...counted, reason: campaign.status === 'paused' ? (campaign.reason ?? 'operator') : null };
}

/** A root that names every segment on disk without trusting its content. */
export function rootOnDisk({ fs, folder, organizationId }: InspectionOptions): Root {
  const root = newRoot(initialState({ seed: DEFAULT_SEED, now: 0, empty: true, organizationId }));
  root.state.next_call_number = Number.MAX_SAFE_INTEGER;
  root.state.clock.last = LAST_INSTANT;
  root.segments = segmentsOnDisk(fs, folder).map((seq) => {
    const bytes = sizeOf(fs, join(folder, segmentPath('', seq))) ?? 0;
    return { seq, count: 0, bytes, first: '', last: '', by_agent: {} };
  });
  return root;
}

/**
 * The root of a new demo organization with the calls that were found. Numbers that may have been given already, and folders of
 * campaigns, are not used again, and the clock continues where the calls end.
 */
export function rebuiltRoot(
  { fs, folder, organizationId }: InspectionOptions,
  { systemNow, demoAgentId }: { systemNow: number; demoAgentId: number | undefined },
  { segments, newest }: Findings,
): Root {
  const now = withinCalendar(systemNow);
  const root = newRoot(initialState({ seed: DEFAULT_SEED, now, empty: false, organizationId, demoAgentId }));
  const { state } = root;
  root.segments = kept(segments);
  state.clock = clockAfterCalls(root.segments.at(-1)?.last, now);
  state.next_call_number = newest + lostAtTheEnd(segments) + 1;
  const agents = root.segments.flatMap(({ by_agent }) => Object.keys(by_agent).map(Number));
  state.next_agent_id = agents.reduce((next, id) => Math.max(next, id + 1), state.next_agent_id);
  state.next_campaign_id = campaignsOnDisk(fs, folder).reduce((next, id) => Math.max(next, id + 1), 1);
  state.next_campaign_number = state.next_campaign_id;
  return root;
}

/** How many damaged lines follow the last sound one: these calls have used numbers too. */
function lostAtTheEnd(segments: Findings['segments']): number {
  let lost = 0;
  for (const { broken, lines } of segments.toReversed()) {
    let line = lines;
    while (broken.has(line)) line--;
    lost += lines - line;
    if (line > 0) break;
  }
  return lost;
}
