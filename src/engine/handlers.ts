/**
 * One handler for each operation: a function from the small state and a checked request to a response and its effects. A
 * handler checks everything before it changes anything, so one that throws has changed nothing.
 */
import {
  type AnswerOf,
  type CheckedRequest,
  type Contact,
  type DocumentedAgent,
  type DocumentedCall,
  type DocumentedVoice,
  E164,
  type OperationName,
} from '../contract.ts';
import { type ErrorDetails, OutcomeUnknownError, ServiceError } from '../errors.ts';
import { isoTime } from '../text/iso.ts';
import { placeCall } from './calls.ts';
import { UNDIALLED } from './campaigns.ts';
import { draw, keyBits } from './chance.ts';
import { fromMicros } from './money.ts';
import {
  alwaysFailsToPlace,
  CALLING_AGENT_STATUS,
  dayRange,
  MINIMUM_BALANCE,
  NEW_AGENT_STATUS,
  startInstant,
} from './policy.ts';
import { type AgentRecord, callsSinceReset, type State } from './state.ts';
import catalog from './voices.json' with { type: 'json' };

/** Which call log entries belong to a listing: [from, until) in milliseconds, newest first. */
export interface CallFilter {
  from: number;
  until: number;
  agentId: number | undefined;
}

export const EVERY_CALL: CallFilter = { ...dayRange(undefined, undefined), agentId: undefined };

export interface CallPage {
  calls: DocumentedCall[];
  /** Of all pages. */
  total: number;
}

/** What a handler needs besides the state. */
export interface Reads {
  /** Milliseconds since the epoch, by the engine's clock. */
  now: number;
  /** For get-call-logs, what `callsAsked` names. */
  page?: CallPage | undefined;
}

/** What must be stored besides the changed state. */
interface Effects {
  call?: DocumentedCall;
  contacts?: { campaignId: number; contacts: readonly Contact[] };
}

export type Handler<K extends OperationName> = (
  state: State,
  request: CheckedRequest<K>,
  reads: Reads,
) => { response: AnswerOf<K>; effects?: Effects };

export const handlers: { [K in OperationName]: Handler<K> } = {
  triggerCall(state, request, { now }) {
    const agent = callingAgent(state, request.use_agent_id);
    requireNumber(state, request.call_from);
    requireBalance(state);
    if (alwaysFailsToPlace(request.called_to)) {
      const message = `The service failed while it placed the call to ${request.called_to}.`;
      throw new OutcomeUnknownError(message, { code: 'server_error' }, 500);
    }
    const call = placeCall(
      state,
      { agent, callFrom: request.call_from, texts: request, at: now },
      { stream: 'call', id: callsSinceReset(state) + 1, contact: 0, attempt: 1, calledTo: request.called_to },
    );
    const response = {
      success: true as const,
      sip_trunk_id: sipTrunkId(state),
      sip_call_to: request.called_to,
      room_name: `call-${call.call_id}`,
      participant_identity: `sip_${request.called_to.slice(1)}`,
      participant_name: request.called_to,
    };
    return { response, effects: { call } };
  },

  createCampaign(state, request, { now }) {
    callingAgent(state, request.agent_id);
    requireNumber(state, request.call_from);
    requireBalance(state);
    const startTime = startInstant(request.start_time, now);
    const campaign = {
      campaign_id: state.next_campaign_id++,
      campaign_number: state.next_campaign_number++,
      campaign_name: request.campaign_name,
      agent_id: request.agent_id,
      call_from: request.call_from,
      status: startTime > now ? ('scheduled' as const) : ('running' as const),
      reason: null,
      total_contacts: request.contacts.length,
      start_time: startTime,
      calls_per_hour: request.calls_per_hour,
      retry_attempts: request.retry_attempts,
      retry_delay: request.retry_delay,
      pace: { anchor: startTime, dials: 0 },
      ...UNDIALLED,
    };
    state.campaigns.push(campaign);
    const { campaign_id, campaign_name, status, total_contacts } = campaign;
    return {
      response: { success: true, campaign_id, campaign_name, status, total_contacts },
      effects: { contacts: { campaignId: campaign_id, contacts: request.contacts } },
    };
  },

  getCallLogs(_state, { offset }, { page }) {
    if (page === undefined) throw new Error('the page was not read');
    const { calls, total } = page;
    return { response: { success: true, calls, total, limit: calls.length, offset } };
  },

  createAgent(state, request, { now }) {
    if (!VOICES.some(({ voice_id }) => voice_id === request.voice_id)) {
      throw new ServiceError(404, 'voice_not_found', `There is no voice ${request.voice_id}.`, {
        issues: [{ field: 'voice_id', message: 'names no voice of get-voices' }],
      });
    }
    const createdAt = isoTime(now);
    const agent: AgentRecord = {
      agent_id: state.next_agent_id++,
      agent_name: request.agent_name,
      agent_description: request.agent_description ?? '',
      base_prompt: request.base_prompt,
      voice_id: request.voice_id,
      language: request.language,
      greeting: request.greeting ?? '',
      conversation_goal: request.conversation_goal ?? '',
      status: NEW_AGENT_STATUS,
      created_at: createdAt,
      updated_at: createdAt,
    };
    state.agents.push(agent);
    const { agent_id, agent_name, status } = agent;
    return { response: { success: true, agent_id, agent_name, status } };
  },

  getAgents(state, { status, limit, offset }) {
    const matching = state.agents.filter((agent) => status === undefined || agent.status === status);
    const agents = matching.slice(offset, offset + limit).map(publicAgent);
    return { response: { success: true, agents, total: matching.length, limit: agents.length, offset } };
  },

  getVoices(_state, { language, gender }) {
    const voices = VOICES.filter(
      (voice) =>
        (language === undefined || voice.language === language) && (gender === undefined || voice.gender === gender),
    );
    return { response: { success: true, voices, total: voices.length } };
  },
};

/** The calls that get-call-logs asks for. Throws its 400. */
export function callsAsked({ start_date, end_date, agent_id }: CheckedRequest<'getCallLogs'>): CallFilter {
  return { ...dayRange(start_date, end_date), agentId: agent_id };
}

/** An agent as get-agents shows it, without the fields that the service only takes when creating it. */
function publicAgent(record: AgentRecord): DocumentedAgent {
  const { agent_id, agent_name, agent_description, status, voice_id, language, created_at, updated_at } = record;
  return { agent_id, agent_name, agent_description, status, voice_id, language, created_at, updated_at };
}

export function agentIn({ agents }: State, agentId: number, details?: ErrorDetails): AgentRecord {
  const agent = agents.find(({ agent_id }) => agent_id === agentId);
  if (agent !== undefined) return agent;
  throw new ServiceError(404, 'agent_not_found', `Agent ${agentId} does not exist.`, details);
}

function callingAgent(state: State, agentId: number): AgentRecord {
  const agent = agentIn(state, agentId);
  if (agent.status === CALLING_AGENT_STATUS) return agent;
  throw new ServiceError(400, 'agent_not_active', `Agent ${agentId} is ${agent.status}; only an active agent calls.`);
}

function requireNumber(state: State, callFrom: string): void {
  if (state.organization.numbers.includes(callFrom)) return;
  const number = E164.test(callFrom) ? callFrom : 'call_from';
  throw new ServiceError(404, 'call_from_not_registered', `${number} is not one of the organization's agent numbers.`);
}

export function requireBalance({ organization: { balance } }: State, details?: ErrorDetails): void {
  if (balance >= MINIMUM_BALANCE) return;
  const message = `The wallet balance is ${fromMicros(balance)}, below the minimum of ${fromMicros(MINIMUM_BALANCE)}.`;
  throw new ServiceError(402, 'insufficient_balance', message, details);
}

const TRUNK_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** `ST_` and twelve letters and digits, the same for every call of a store, because it names the trunk and not the call. */
function sipTrunkId(state: State): string {
  const bits = keyBits(state.seed, 'identifier', 0, 0, 0);
  let id = 'ST_';
  for (let at = 0; at < 12; at++) id += TRUNK_CHARACTERS[Math.floor(draw(bits, at) * TRUNK_CHARACTERS.length)];
  return id;
}

const { languages, voices } = catalog;

type Row = [language: keyof typeof languages, name: string, gender: 'female' | 'male', accent: string, style: string];

/**
 * Every voice, by voice_id ascending from 1: numbered by their position. The catalogue is fixed, because the interface has no
 * operation that changes it. Agents refer to a voice by its number, so new voices go to the end.
 */
export const VOICES: readonly DocumentedVoice[] = (voices as Row[]).map(
  ([language, voice_name, gender, accent, style], index) => ({
    voice_id: index + 1,
    voice_name,
    language,
    language_name: languages[language],
    gender,
    accent,
    style,
    preview_url: `https://voices.example/${voice_name.toLowerCase()}.mp3`,
  }),
);
