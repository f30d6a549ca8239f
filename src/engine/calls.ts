/** One attempt to reach somebody: its result, its cost, and its entry in the call log. */
import type { Contact, DocumentedCall } from '../contract.ts';
import { isoTime } from '../text/iso.ts';
import { draw, keyBits, type Stream } from './chance.ts';
import { drawnOutcome, type Outcome, transcribe } from './conversation.ts';
import { callId, fixedStatus, NOT_CONNECTED, RECORDED_SHARE } from './policy.ts';
import type { AgentRecord, Scenario, State } from './state.ts';

export interface Attempt {
  /** Which random draws it uses, together with the store's random seed: see `chance.ts`. */
  stream: Stream;
  id: number;
  contact: number;
  attempt: number;
  calledTo: string;
}

/** The result of an attempt, before anything is recorded. */
export interface Settlement {
  /** Seconds; 0 if nobody was reached. */
  call_duration: number;
  call_status: string;
  call_outcome: Outcome | typeof NOT_CONNECTED;
  /** Millionths. */
  cost: number;
  /** The key from which further random draws of this attempt are made. */
  bits: number;
}

/** Which draw of an attempt's key decides what; from 17 on they are the conversation's. No two decisions share a draw. */
const DRAWS = { status: 0, durationRadius: 1, durationAngle: 2, recording: 3, outcome: 16 };

/** Decides an attempt without changing anything, because a rehearsal does this a million times. */
export function settle(seed: number, scenario: Scenario, agent: AgentRecord, attempt: Attempt): Settlement {
  const bits = keyBits(seed, attempt.stream, attempt.id, attempt.contact, attempt.attempt);
  const call_status = fixedStatus(attempt.calledTo, attempt.attempt) ?? drawnStatus(bits, scenario);
  if (call_status !== 'completed') return { call_duration: 0, call_status, call_outcome: NOT_CONNECTED, cost: 0, bits };
  const call_duration = drawnDuration(bits, scenario);
  return {
    call_duration,
    call_status,
    call_outcome: drawnOutcome(agent.conversation_goal, bits, DRAWS.outcome),
    cost: costOf(call_status, call_duration, scenario),
    bits,
  };
}

/** Millionths. `duration`: seconds. */
export function costOf(status: string, duration: number, { price_per_minute }: Scenario): number {
  return status === 'completed' ? Math.ceil(duration / 60) * price_per_minute : 0;
}

export interface Call {
  agent: AgentRecord;
  callFrom: string;
  texts: Pick<Contact, 'custom_first_line' | 'custom_instruction'>;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Settles an attempt at once: takes the next call number, charges the wallet and returns the log entry. */
export function placeCall(state: State, call: Call, attempt: Attempt): DocumentedCall {
  const settled = settle(state.seed, state.scenario, call.agent, attempt);
  const { call_duration, call_status, call_outcome, bits } = settled;
  state.organization.balance -= settled.cost;
  const entry: DocumentedCall = {
    call_id: callId(state.organization.organization_id, state.next_call_number++),
    agent_id: call.agent.agent_id,
    called_to: attempt.calledTo,
    call_from: call.callFrom,
    call_duration,
    call_status,
    call_outcome,
    timestamp: isoTime(call.at),
    transcript: '',
  };
  if (call_outcome === NOT_CONNECTED) return entry;
  entry.transcript = transcribe({
    language: call.agent.language,
    goal: call.agent.conversation_goal,
    outcome: call_outcome,
    firstLine: call.texts.custom_first_line || call.agent.greeting,
    instruction: call.texts.custom_instruction ?? '',
    duration: call_duration,
    bits,
  });
  if (draw(bits, DRAWS.recording) < RECORDED_SHARE) {
    entry.recording_url = `https://recordings.example/${entry.call_id}.mp3`;
  }
  return entry;
}

function drawnStatus(bits: number, scenario: Scenario): string {
  let drawn = draw(bits, DRAWS.status);
  drawn -= scenario.answer_rate;
  if (drawn < 0) return 'completed';
  drawn -= scenario.busy_rate;
  if (drawn < 0) return 'busy';
  drawn -= scenario.no_answer_rate;
  return drawn < 0 ? 'no_answer' : 'failed';
}

/**
 * How far durations spread around their median, as the standard deviation of the logarithm: about 7 in 10 are between half and
 * twice the median.
 */
const DURATION_SPREAD = 0.65;

/** Seconds of a conversation: log-normal around the scenario's median, kept within its bounds. */
function drawnDuration(bits: number, { median_duration, min_duration, max_duration }: Scenario): number {
  const radius = Math.sqrt(-2 * Math.log(1 - draw(bits, DRAWS.durationRadius)));
  const normal = radius * Math.cos(2 * Math.PI * draw(bits, DRAWS.durationAngle));
  const duration = Math.round(median_duration * Math.exp(DURATION_SPREAD * normal));
  return Math.min(max_duration, Math.max(min_duration, duration));
}
