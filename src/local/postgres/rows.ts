/** The engine's state as rows of tables, and back. Numbers of the database come as texts, because they may be larger than ours. */
import { type Contact, type DocumentedCall, isCallStatus } from '../../contract.ts';
import { nextDue } from '../../engine/campaigns.ts';
import { callId } from '../../engine/policy.ts';
import { flawsOf } from '../../engine/soundness.ts';
import {
  type AgentRecord,
  type Campaign,
  callsSinceReset,
  type Scenario,
  type State,
  stateSchema,
} from '../../engine/state.ts';
import type { Row } from '../store.ts';
import { damaged } from './damage.ts';
import type { ReadAheadQueues } from './queues.ts';

/** The ids that the next agent and the next campaign of any organization get. */
export interface EngineRow {
  next_agent_id: string;
  next_campaign_id: string;
}

export interface OrganizationRow {
  organization_id: string;
  api_key: string;
  balance: string;
  numbers: string[];
  demo_agent_id: string;
  seed: string;
  clock_offset: string;
  clock_last: string;
  next_call_number: string;
  calls_before_reset: string;
  next_campaign_number: string;
  scenario: Scenario;
  commit_id: string;
  /** The ends of its log; null if it is empty. */
  oldest_call: string | null;
  newest_call: string | null;
  newest_at: Date | null;
  due_at: string | null;
}

export interface AgentRow extends Omit<AgentRecord, 'agent_id' | 'voice_id'> {
  agent_id: string;
  voice_id: string;
  calls: string;
}

export interface CampaignRow {
  campaign_id: string;
  campaign_number: string;
  campaign_name: string;
  agent_id: string;
  call_from: string;
  status: Campaign['status'];
  reason: Campaign['reason'];
  total_contacts: string;
  start_time: string;
  calls_per_hour: string;
  retry_attempts: string;
  retry_delay: string;
  pace_anchor: string;
  pace_dials: string;
  next_contact: string;
  retries_waiting: string;
  retry_due: string | null;
  attempts: string;
  reached: string;
  /** Tables of an older version lack it. */
  voicemail?: string | null;
  exhausted: string;
  retries_added: string;
  retries_taken: string;
}

/** What a store keeps of one organization besides what the engine sees. */
export interface Kept {
  state: State;
  commitId: string;
  /** By agent, how many calls of it are in the log. */
  callsOf: Map<number, number>;
  /** By campaign, how many retries were added and taken. */
  retriesOf: Map<number, { added: number; taken: number }>;
  /** By campaign, its contacts and retries as far as they were read ahead. */
  queues: Map<number, ReadAheadQueues>;
  /** What the rows say, to see what has changed. */
  written: { organization: string; agents: Map<number, string>; campaigns: Map<number, string> };
}

/** Throws FileError if the rows do not hold together. */
export function keptOf(
  engine: EngineRow,
  organization: OrganizationRow,
  agents: readonly AgentRow[],
  campaigns: readonly CampaignRow[],
): Kept {
  const state = {
    seed: Number(organization.seed),
    clock: { offset: Number(organization.clock_offset), last: Number(organization.clock_last) },
    organization: {
      organization_id: Number(organization.organization_id),
      api_key: organization.api_key,
      balance: Number(organization.balance),
      numbers: organization.numbers,
      demo_agent_id: Number(organization.demo_agent_id),
    },
    agents: agents.map(({ calls: _counted, ...agent }) => ({
      ...agent,
      agent_id: Number(agent.agent_id),
      voice_id: Number(agent.voice_id),
    })),
    campaigns: campaigns.map(campaignOf),
    next_agent_id: Number(engine.next_agent_id),
    next_campaign_id: Number(engine.next_campaign_id),
    next_call_number: Number(organization.next_call_number),
    next_campaign_number: Number(organization.next_campaign_number),
    calls_before_reset: Number(organization.calls_before_reset),
    scenario: organization.scenario,
  };
  const checked = stateSchema.safeParse(state);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw damaged(`${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { data } = checked;
  const [flaw = timeFlaw(data, organization) ?? countFlaw(data, organization, agents, campaigns)] = flawsOf(data);
  if (flaw !== undefined) throw damaged(`organization ${organization.organization_id} ${flaw}`);
  return {
    state: data,
    commitId: organization.commit_id,
    callsOf: new Map(agents.map((agent) => [Number(agent.agent_id), Number(agent.calls)])),
    retriesOf: new Map(
      campaigns.map((campaign) => [
        Number(campaign.campaign_id),
        { added: Number(campaign.retries_added), taken: Number(campaign.retries_taken) },
      ]),
    ),
    queues: new Map(),
    written: {
      organization: JSON.stringify(organizationColumns(data)),
      agents: new Map(data.agents.map((agent) => [agent.agent_id, JSON.stringify(agent)])),
      campaigns: new Map(data.campaigns.map((campaign) => [campaign.campaign_id, JSON.stringify(campaign)])),
    },
  };
}

function timeFlaw(state: State, { newest_at, due_at }: OrganizationRow): string | undefined {
  if (newest_at !== null && !(newest_at.getTime() <= state.clock.last))
    return 'has a call that is later than its clock';
  const due = dueAt(state);
  return (due_at === null ? null : Number(due_at)) === due
    ? undefined
    : 'says another time at which something falls due';
}

/** Of rows that are counted in others: whoever changed one by hand has seldom changed both. */
function countFlaw(
  state: State,
  { oldest_call, newest_call }: OrganizationRow,
  agents: readonly AgentRow[],
  campaigns: readonly CampaignRow[],
): string | undefined {
  const counted = callsSinceReset(state);
  const first = state.calls_before_reset + 1;
  const hasEnds =
    counted === 0
      ? newest_call === null
      : Number(oldest_call) === first && Number(newest_call) === state.next_call_number - 1;
  const ofAgents = agents.reduce((sum, { calls }) => sum + Number(calls), 0);
  if (!hasEnds || ofAgents !== counted) return 'counts another number of calls than there are';
  const other = campaigns.find(
    ({ retries_waiting, retries_added, retries_taken }) =>
      Number(retries_waiting) !== Number(retries_added) - Number(retries_taken),
  );
  return other && `has campaign ${other.campaign_id} count other retries than there are`;
}

function campaignOf(row: CampaignRow): Campaign {
  return {
    campaign_id: Number(row.campaign_id),
    campaign_number: Number(row.campaign_number),
    campaign_name: row.campaign_name,
    agent_id: Number(row.agent_id),
    call_from: row.call_from,
    status: row.status,
    reason: row.reason,
    total_contacts: Number(row.total_contacts),
    start_time: Number(row.start_time),
    calls_per_hour: Number(row.calls_per_hour),
    retry_attempts: Number(row.retry_attempts),
    retry_delay: Number(row.retry_delay),
    pace: { anchor: Number(row.pace_anchor), dials: Number(row.pace_dials) },
    next_contact: Number(row.next_contact),
    retries_waiting: Number(row.retries_waiting),
    retry_due: row.retry_due === null ? null : Number(row.retry_due),
    attempts: Number(row.attempts),
    reached: Number(row.reached),
    ...(typeof row.voicemail === 'string' && { voicemail: Number(row.voicemail) }),
    exhausted: Number(row.exhausted),
  };
}

/** The columns of `organizations` that the engine changes, and their values. */
export function organizationColumns(state: State): Record<string, unknown> & { organization_id: number } {
  const { organization, clock } = state;
  return {
    ...organization,
    seed: state.seed,
    clock_offset: clock.offset,
    clock_last: clock.last,
    next_call_number: state.next_call_number,
    calls_before_reset: state.calls_before_reset,
    next_campaign_number: state.next_campaign_number,
    scenario: JSON.stringify(state.scenario),
    due_at: dueAt(state),
  };
}

/** By the system's clock, which the engine's is ahead of. */
function dueAt(state: State): number | null {
  const due = nextDue(state);
  if (due === undefined) return null;
  return due <= state.clock.last ? 0 : due - state.clock.offset;
}

/** The columns of `campaigns` that the engine changes, and their values. */
export function campaignColumns({ pace, ...campaign }: Campaign): Record<string, unknown> {
  const { voicemail = null } = campaign;
  return { ...campaign, voicemail, pace_anchor: pace.anchor, pace_dials: pace.dials };
}

export interface ContactRow {
  campaign_id: string;
  contact: string;
  phone_number: string;
  custom_first_line: string | null;
  custom_instruction: string | null;
  custom_identifiers: string | null;
}

/** A retry with the contact that it is of. */
export interface RetryRow extends ContactRow {
  number: string;
  attempt: string;
  due: string;
  /** Whom the attempt before called; null where it is not known. */
  called_before: string | null;
  /** Whether somebody took that call, and whether the calls of the campaign are known from its first. */
  was_reached: boolean;
  is_known: boolean;
  /** Whether the attempt was made already. */
  is_made: boolean;
}

/** With the documented fields in the order in which the other store writes them, and only those that were given. */
export function contactOf(row: Omit<ContactRow, 'campaign_id' | 'contact'>): Contact {
  const contact: Contact = { phone_number: row.phone_number };
  if (row.custom_first_line !== null) contact.custom_first_line = row.custom_first_line;
  if (row.custom_instruction !== null) contact.custom_instruction = row.custom_instruction;
  if (row.custom_identifiers !== null) contact.custom_identifiers = row.custom_identifiers;
  return contact;
}

export function contactRow(campaign_id: number, place: number, contact: Contact): Row {
  const { phone_number, custom_first_line = null, custom_instruction = null, custom_identifiers = null } = contact;
  return { campaign_id, contact: place, phone_number, custom_first_line, custom_instruction, custom_identifiers };
}

export interface CallRow {
  call_number: string;
  agent_id: string;
  at: Date;
  called_to: string;
  call_from: string;
  call_duration: number;
  call_status: string;
  call_outcome: string;
  transcript: string;
  recording_url: string | null;
}

/** Throws FileError where its time or its status is none. */
export function callOf(organizationId: number, row: CallRow): DocumentedCall {
  const name = `call ${row.call_number} of organization ${organizationId}`;
  if (!(row.at instanceof Date)) throw damaged(`${name} has no time`);
  if (!isCallStatus(row.call_status)) throw damaged(`${name} has a status that is none`);
  const call: DocumentedCall = {
    call_id: callId(organizationId, Number(row.call_number)),
    agent_id: Number(row.agent_id),
    called_to: row.called_to,
    call_from: row.call_from,
    call_duration: row.call_duration,
    call_status: row.call_status,
    call_outcome: row.call_outcome,
    timestamp: row.at.toISOString(),
    transcript: row.transcript,
  };
  if (row.recording_url !== null) call.recording_url = row.recording_url;
  return call;
}
