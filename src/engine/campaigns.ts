/**
 * How campaigns run: pacing, retries and the moves between their states. Every instant is in milliseconds since the epoch.
 *
 *     scheduled → running → completed
 *         ↕         ↕
 *            paused
 */
import type { Contact, DocumentedCall } from '../contract.ts';
import { type Attempt, type Call, placeCall } from './calls.ts';
import { CALLING_AGENT_STATUS, MINIMUM_BALANCE } from './policy.ts';
import type { AgentRecord, Campaign, State } from './state.ts';

const HOUR_MS = 3_600_000;

/** A contact that was not reached and is to be dialled again. */
export interface Retry {
  /** Position of the contact in its campaign, from 0. */
  index: number;
  /** The number of the attempt to come; the first attempt of a contact is 1. */
  attempt: number;
  due: number;
  contact: Contact;
}

/**
 * A campaign's contacts and waiting retries, held by whoever drives the engine. Both are read strictly in order: with one
 * retry delay per campaign, retries fall due in the order in which they were added.
 */
export interface CampaignQueues {
  takeContact(): Contact;
  takeRetry(): Retry;
  /** When the retry that would be taken next is due, or null if none waits. */
  retryDue(): number | null;
  addRetry(retry: Retry): void;
}

export type QueuesOf = (campaignId: number) => CampaignQueues;

/** How an attempt is made: charges the wallet and says what came of it. A rehearsal writes no log entry. */
export type Place<Placed> = (state: State, call: Call, attempt: Attempt) => Placed;

type Status = Pick<DocumentedCall, 'call_status'>;

/** When the next dial slot of a campaign opens. */
export function nextSlot({ pace, calls_per_hour }: Campaign): number {
  return pace.anchor + Math.floor((pace.dials * HOUR_MS) / calls_per_hour);
}

/** When something next happens in a campaign by itself, or undefined if nothing ever will. */
export function nextEvent(campaign: Campaign): number | undefined {
  if (campaign.status === 'scheduled') return campaign.start_time;
  if (campaign.status !== 'running') return undefined;
  const slot = nextSlot(campaign);
  return campaign.next_contact < campaign.total_contacts ? slot : Math.max(slot, campaign.retry_due ?? slot);
}

/** The campaign whose event comes next, the lower id first at the same instant. */
function firstDue(campaigns: Campaign[]): { campaign: Campaign; at: number } | undefined {
  let first: { campaign: Campaign; at: number } | undefined;
  for (const campaign of campaigns) {
    const at = nextEvent(campaign);
    if (at !== undefined && (first === undefined || at < first.at)) first = { campaign, at };
  }
  return first;
}

/** When the next thing falls due in the whole state, or undefined if nothing ever will. */
export function nextDue(state: State): number | undefined {
  return firstDue(state.campaigns)?.at;
}

/**
 * Lets everything that falls due until `until` (included) happen, in order, each at its own instant, and yields the calls.
 * The clock ends at `until`, or with `until` 'idle' at the last thing that happened.
 */
export function advance(state: State, until: number | 'idle', queuesOf: QueuesOf): Generator<DocumentedCall, void> {
  return advanceWith(placeCall, state, until, queuesOf);
}

/** The same, with calls placed in another way. */
export function* advanceWith<Placed extends Status>(
  place: Place<Placed>,
  state: State,
  until: number | 'idle',
  queuesOf: QueuesOf,
): Generator<Placed, void> {
  const live = state.campaigns.filter((campaign) => nextEvent(campaign) !== undefined);
  for (;;) {
    const due = firstDue(live);
    if (due === undefined || (until !== 'idle' && due.at > until)) break;
    const { campaign, at } = due;
    state.clock.last = Math.max(state.clock.last, at);
    if (campaign.status === 'scheduled') {
      campaign.status = 'running';
      campaign.pace = { anchor: at, dials: 0 };
    } else if (state.organization.balance < MINIMUM_BALANCE) {
      pause(campaign, 'insufficient_balance');
    } else {
      yield dial(place, state, campaign, at, queuesOf(campaign.campaign_id));
    }
    if (nextEvent(campaign) === undefined) live.splice(live.indexOf(campaign), 1);
  }
  if (until !== 'idle') state.clock.last = Math.max(state.clock.last, until);
}

/** One attempt: a retry that is due goes before a new contact. */
function dial<Placed extends Status>(
  place: Place<Placed>,
  state: State,
  campaign: Campaign,
  at: number,
  queues: CampaignQueues,
): Placed {
  const isRetry = campaign.retry_due !== null && campaign.retry_due <= at;
  const { index, attempt, contact } = isRetry
    ? queues.takeRetry()
    : { index: campaign.next_contact++, attempt: 1, contact: queues.takeContact() };
  if (isRetry) campaign.retries_waiting--;

  const placed = place(
    state,
    {
      agent: agentOf(state, campaign),
      callFrom: campaign.call_from,
      firstLine: contact.custom_first_line,
      instruction: contact.custom_instruction,
      at,
    },
    { stream: 'campaign', id: campaign.campaign_id, contact: index, attempt, calledTo: contact.phone_number },
  );

  // A slot that waited for a retry to fall due is gone: the spacing goes on from here.
  if (at > nextSlot(campaign)) campaign.pace = { anchor: at, dials: 0 };
  campaign.pace.dials++;
  campaign.attempts++;
  if (placed.call_status === 'completed') {
    campaign.reached++;
  } else if (attempt > campaign.retry_attempts) {
    campaign.exhausted++;
  } else {
    queues.addRetry({ index, attempt: attempt + 1, due: at + campaign.retry_delay * 1000, contact });
    campaign.retries_waiting++;
  }
  campaign.retry_due = queues.retryDue();
  if (campaign.reached + campaign.exhausted === campaign.total_contacts) campaign.status = 'completed';
  return placed;
}

function agentOf(state: State, campaign: Campaign): AgentRecord {
  const agent = state.agents.find(({ agent_id }) => agent_id === campaign.agent_id);
  if (agent === undefined) throw new Error(`campaign ${campaign.campaign_id} has no agent`);
  return agent;
}

export function pause(campaign: Campaign, reason: NonNullable<Campaign['reason']>): void {
  campaign.status = 'paused';
  campaign.reason = reason;
}

/** Pauses what can no longer call because its agent has left the calling status. */
export function pauseCampaignsOf(state: State, agentId: number): void {
  const agent = state.agents.find(({ agent_id }) => agent_id === agentId);
  if (agent?.status === CALLING_AGENT_STATUS) return;
  for (const campaign of state.campaigns) {
    if (campaign.agent_id === agentId && (campaign.status === 'running' || campaign.status === 'scheduled')) {
      pause(campaign, 'agent_not_active');
    }
  }
}
