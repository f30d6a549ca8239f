/**
 * How campaigns run: pacing, retries and the changes between their states. Every instant is in milliseconds since the epoch.
 *
 *     scheduled → running → completed
 *         ↕         ↕
 *            paused
 */
import type { Contact, DocumentedCall } from '../contract.ts';
import { HOUR, SECOND } from '../text/units.ts';
import { type Attempt, type Call, placeCall } from './calls.ts';
import { VOICEMAIL } from './conversation.ts';
import { isWithinCalendar, MINIMUM_BALANCE } from './policy.ts';
import type { AgentRecord, Campaign, State } from './state.ts';

/** A contact that was not reached and is to be dialled again. */
export interface Retry {
  /** Position of the contact in its campaign, from 0. */
  index: number;
  /** The number of the attempt to come; the first attempt of a contact is 1. */
  attempt: number;
  due: number;
  contact: Contact;
}

/** The phones that a campaign has still to call, in order: numbers only, no texts. */
export interface Waiting {
  /** Numbers of the contacts that were not dialled yet. */
  numbers: string[];
  retries: Retry[];
}

/**
 * A campaign's contacts and waiting retries, kept by the program that drives the engine. Both are read strictly in order: a
 * campaign has one retry delay, so retries fall due in the order in which they were added.
 */
export interface CampaignQueues {
  takeContact(): Contact;
  takeRetry(): Retry;
  /** When the next retry is due, or null if none waits. */
  retryDue(): number | null;
  addRetry(retry: Retry): void;
}

type QueuesOf = (campaignId: number) => CampaignQueues;

/** How an attempt is made: it charges the wallet and returns the result. A rehearsal writes no log entry. */
type PlaceCall<Result> = (state: State, call: Call, attempt: Attempt) => Result;

type Status = Pick<DocumentedCall, 'call_status' | 'call_outcome'>;

/** A campaign as far as its pace and its retries go. */
type Dialling = Omit<
  Campaign,
  'campaign_id' | 'campaign_number' | 'campaign_name' | 'agent_id' | 'call_from' | 'reason'
>;

/** When the next dial slot of a campaign opens. */
export function nextSlot({ pace, calls_per_hour }: Pick<Campaign, 'pace' | 'calls_per_hour'>): number {
  return pace.anchor + Math.floor((pace.dials * HOUR) / calls_per_hour);
}

/** When the latest dial of a campaign was, if it has dialled since its pace began. */
export function lastSlot({ pace, calls_per_hour }: Pick<Campaign, 'pace' | 'calls_per_hour'>): number {
  return nextSlot({ pace: { ...pace, dials: Math.max(0, pace.dials - 1) }, calls_per_hour });
}

/** When the next event of a campaign happens by itself, or undefined if there is none. */
export function nextEvent(campaign: Dialling): number | undefined {
  if (campaign.status === 'scheduled') return campaign.start_time;
  if (campaign.status !== 'running') return undefined;
  const slot = nextSlot(campaign);
  const at = campaign.next_contact < campaign.total_contacts ? slot : Math.max(slot, campaign.retry_due ?? slot);
  return isWithinCalendar(at) ? at : undefined;
}

/** Whether a campaign has contacts left but will never call them, because its next slot is beyond the calendar. */
export function isStranded(campaign: Campaign): boolean {
  return campaign.status === 'running' && nextEvent(campaign) === undefined;
}

/** What is counted of a campaign, before its first dial. */
export const UNDIALLED = {
  next_contact: 0,
  retries_waiting: 0,
  retry_due: null,
  attempts: 0,
  reached: 0,
  voicemail: 0,
  exhausted: 0,
};

/** The campaign with the next event; at the same instant, the one with the lower id. */
function firstDue(campaigns: Campaign[]): { campaign: Campaign; at: number } | undefined {
  let first: { campaign: Campaign; at: number } | undefined;
  for (const campaign of campaigns) {
    const at = nextEvent(campaign);
    if (at !== undefined && (first === undefined || at < first.at)) first = { campaign, at };
  }
  return first;
}

/** When the next event of the whole state falls due, or undefined if there is none. */
export function nextDue(state: State): number | undefined {
  return firstDue(state.campaigns)?.at;
}

/**
 * Runs every event that falls due up to and including `until`, in order, each at its own instant, and yields the calls. The
 * clock ends at `until`, or at the last event if `until` is 'idle'.
 */
export function advance(state: State, until: number | 'idle', queuesOf: QueuesOf): Generator<DocumentedCall, void> {
  for (const campaign of state.campaigns) putOff(campaign, state.clock.last);
  return advanceWith(placeCall, state, until, queuesOf);
}

/** A store that was changed by hand may say that something fell due before what has happened already: then it happens now. */
function putOff(campaign: Campaign, now: number): void {
  if ((nextEvent(campaign) ?? now) >= now) return;
  if (campaign.status === 'scheduled') campaign.start_time = now;
  else campaign.pace = { anchor: now, dials: 0 };
}

/** The same, with another way to make attempts. */
export function* advanceWith<Result extends Status>(
  place: PlaceCall<Result>,
  state: State,
  until: number | 'idle',
  queuesOf: QueuesOf,
): Generator<Result, void> {
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
      const agent = agentOf(state, campaign);
      yield dial(campaign, at, queuesOf(campaign.campaign_id), ({ index, attempt, contact }) =>
        place(
          state,
          { agent, callFrom: campaign.call_from, texts: contact, at },
          { stream: 'campaign', id: campaign.campaign_number, contact: index, attempt, calledTo: contact.phone_number },
        ),
      );
    }
    if (nextEvent(campaign) === undefined) live.splice(live.indexOf(campaign), 1);
  }
  if (until !== 'idle') state.clock.last = Math.max(state.clock.last, until);
}

/** One attempt: a retry that is due comes before a new contact. */
export function dial<Result extends Status>(
  campaign: Dialling,
  at: number,
  queues: CampaignQueues,
  place: (next: Retry) => Result,
): Result {
  const isRetry = campaign.retry_due !== null && campaign.retry_due <= at;
  const next = isRetry
    ? queues.takeRetry()
    : { index: campaign.next_contact++, attempt: 1, due: at, contact: queues.takeContact() };
  if (isRetry) campaign.retries_waiting--;
  const { index, attempt, contact } = next;
  const placed = place(next);

  // The slot passed while a retry was not yet due, so the spacing starts again here.
  if (at > nextSlot(campaign)) campaign.pace = { anchor: at, dials: 0 };
  campaign.pace.dials++;
  campaign.attempts++;
  const due = at + campaign.retry_delay * SECOND;
  if (placed.call_status === 'completed') {
    campaign.reached++;
    if (campaign.voicemail !== undefined && placed.call_outcome === VOICEMAIL) campaign.voicemail++;
  } else if (attempt > campaign.retry_attempts || !isWithinCalendar(due)) {
    campaign.exhausted++;
  } else {
    queues.addRetry({ index, attempt: attempt + 1, due, contact });
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

/** Whether it calls, or will when it begins. */
export function isCalling({ status }: Pick<Campaign, 'status'>): boolean {
  return status === 'running' || status === 'scheduled';
}

export function pause(campaign: Campaign, reason: NonNullable<Campaign['reason']>): void {
  campaign.status = 'paused';
  campaign.reason = reason;
}
