/** The engine's state as rows of tables, and back. */
import { type Contact, type DocumentedCall, isCallStatus } from '../../contract.ts';
import { nextDue } from '../../engine/campaigns.ts';
import { callId } from '../../engine/policy.ts';
import type { AgentRecord, Campaign, State } from '../../engine/state.ts';
import { damaged } from '../damage.ts';
import type { Row } from './insert.ts';

type Counters = 'seed' | 'next_call_number' | 'calls_before_reset' | 'next_campaign_number' | 'scenario';

export type OrganizationRow = Pick<State, Counters> &
  State['organization'] & {
    clock_offset: number;
    clock_last: number;
    commit_id: string;
    /** The ends of its log; null if it is empty. */
    oldest_call: number | null;
    newest_call: number | null;
    newest_at: Date | null;
    due_at: number | null;
  };

export interface AgentRow extends AgentRecord {
  calls: number;
}

export interface CampaignRow extends Omit<Campaign, 'pace' | 'voicemail'> {
  organization_id: number;
  pace_anchor: number;
  pace_dials: number;
  /** Tables of an older version lack it. */
  voicemail?: number | null;
  retries_added: number;
  retries_taken: number;
}

export function campaignOf({
  organization_id: _organization,
  pace_anchor: anchor,
  pace_dials: dials,
  voicemail,
  retries_added: _added,
  retries_taken: _taken,
  ...campaign
}: CampaignRow): Campaign {
  return { ...campaign, pace: { anchor, dials }, ...(typeof voicemail === 'number' && { voicemail }) };
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
    scenario: state.scenario,
    due_at: dueAt(state),
  };
}

/** By the system's clock, which the engine's is ahead of. */
export function dueAt(state: State): number | null {
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
  campaign_id: number;
  contact: number;
  phone_number: string;
  custom_first_line: string | null;
  custom_instruction: string | null;
  custom_identifiers: string | null;
}

/** A retry with the contact that it is of. */
export interface RetryRow extends ContactRow {
  number: number;
  attempt: number;
  due: number;
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

export function* contactRows(campaign_id: number, contacts: Iterable<Contact>): Generator<Row> {
  let contact = 0;
  for (const one of contacts) {
    const { phone_number, custom_first_line = null, custom_instruction = null, custom_identifiers = null } = one;
    yield { campaign_id, contact: contact++, phone_number, custom_first_line, custom_instruction, custom_identifiers };
  }
}

export interface CallRow {
  call_number: number;
  agent_id: number;
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
    call_id: callId(organizationId, row.call_number),
    agent_id: row.agent_id,
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
