/** One attempt to reach somebody: what comes of it, what it costs, and its entry in the call log. */
import type { CallLogEntry } from '../contract.ts';
import { type ChanceKey, draw, keyBits } from './chance.ts';
import { converse } from './conversation.ts';
import { callId, fixedStatus, NOT_CONNECTED, RECORDED_SHARE } from './policy.ts';
import type { AgentRecord, Scenario, State } from './state.ts';

export interface Attempt {
  key: Omit<ChanceKey, 'seed'>;
  agentId: number;
  calledTo: string;
  callFrom: string;
  firstLine: string | undefined;
  instruction: string | undefined;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Which draw of an attempt's key decides what: one place, so that no two questions share an answer. */
const SLOT = { status: 0, durationRadius: 1, durationAngle: 2, recording: 3, conversation: 16 };

/** Settles an attempt at once: takes the next call number, charges the wallet and returns the log entry. */
export function placeCall(state: State, attempt: Attempt): CallLogEntry {
  const agent = state.agents.find(({ agent_id }) => agent_id === attempt.agentId);
  const number = state.next_call_number++;
  const bits = keyBits({ ...attempt.key, seed: state.seed });
  const status = fixedStatus(attempt.calledTo, attempt.key.attempt) ?? drawnStatus(bits, state.scenario);
  const entry: CallLogEntry = {
    call_id: callId(number),
    agent_id: attempt.agentId,
    called_to: attempt.calledTo,
    call_from: attempt.callFrom,
    call_duration: 0,
    call_status: status,
    call_outcome: NOT_CONNECTED,
    timestamp: new Date(attempt.at).toISOString(),
    transcript: '',
  };
  if (status === 'completed') complete(entry, agent, attempt, bits, state);
  return entry;
}

function complete(
  entry: CallLogEntry,
  agent: AgentRecord | undefined,
  attempt: Attempt,
  bits: number,
  state: State,
): void {
  const duration = drawnDuration(bits, state.scenario);
  const { outcome, transcript } = converse({
    language: agent?.language ?? 'en',
    goal: agent?.conversation_goal ?? '',
    firstLine: attempt.firstLine || agent?.greeting || '',
    instruction: attempt.instruction ?? '',
    duration,
    bits,
    slot: SLOT.conversation,
  });
  entry.call_duration = duration;
  entry.call_outcome = outcome;
  entry.transcript = transcript;
  if (draw(bits, SLOT.recording) < RECORDED_SHARE) {
    entry.recording_url = `https://recordings.example/${entry.call_id}.mp3`;
  }
  state.organization.balance -= Math.ceil(duration / 60) * state.scenario.price_per_minute;
}

function drawnStatus(bits: number, scenario: Scenario): string {
  let chance = draw(bits, SLOT.status);
  chance -= scenario.answer_rate;
  if (chance < 0) return 'completed';
  chance -= scenario.busy_rate;
  if (chance < 0) return 'busy';
  chance -= scenario.no_answer_rate;
  return chance < 0 ? 'no_answer' : 'failed';
}

/** How far durations spread around their median, in the logarithm: about 7 in 10 lie between half and twice the median. */
const DURATION_SPREAD = 0.65;

/** Seconds of a conversation: log-normal around the scenario's median, held within its bounds. */
function drawnDuration(bits: number, { median_duration, min_duration, max_duration }: Scenario): number {
  const radius = Math.sqrt(-2 * Math.log(1 - draw(bits, SLOT.durationRadius)));
  const normal = radius * Math.cos(2 * Math.PI * draw(bits, SLOT.durationAngle));
  const duration = Math.round(median_duration * Math.exp(DURATION_SPREAD * normal));
  return Math.min(max_duration, Math.max(min_duration, duration));
}
