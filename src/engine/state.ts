/**
 * The engine's small state: everything it knows except contacts, retries and call log entries, whose number is not limited. The
 * store keeps it in its root file and checks it against these schemas when reading.
 */
import * as z from 'zod/mini';
import { AGENT_STATUSES, FIRST_INSTANT, FIRST_ORGANIZATION, LAST_INSTANT, localCredentials } from '../contract.ts';
import { isoTime } from '../text/iso.ts';
import { DEFAULT_SCENARIO, PAUSE_REASONS, withinCalendar } from './policy.ts';

const text = z.string();
export const count = z.int().check(z.minimum(0));
const NO_SPAN = 'is not a span that ends before the year 10000';
const NO_INSTANT = 'is not a time before the year 10000';
/** Milliseconds since the epoch. */
export const instant = z
  .int(NO_INSTANT)
  .check(z.minimum(FIRST_INSTANT, NO_INSTANT), z.maximum(LAST_INSTANT, NO_INSTANT));
/** Millionths; conversations are not cut off, so a balance may be slightly below zero. */
const amount = z.int();
const rate = z.number().check(z.minimum(0), z.maximum(1));

const agentRecord = z.object({
  agent_id: count,
  agent_name: text,
  agent_description: text,
  base_prompt: text,
  voice_id: count,
  language: text,
  greeting: text,
  conversation_goal: text,
  status: z.enum(AGENT_STATUSES),
  created_at: text,
  updated_at: text,
});

/** With no other field: whoever misspells one by hand may not see that it is lost. */
const campaign = z.strictObject({
  campaign_id: count,
  /**
   * Counted from 1 in its organization since the last reset. Random draws use it, because ids count up over all organizations and
   * go on after a reset: so a reset store behaves like a new one, and every organization like the first.
   */
  campaign_number: count,
  campaign_name: text,
  agent_id: count,
  call_from: text,
  status: z.enum(['scheduled', 'running', 'paused', 'completed']),
  /** Why it is paused; null in every other status. */
  reason: z.nullable(z.enum(PAUSE_REASONS)),
  total_contacts: count,
  start_time: instant,
  calls_per_hour: z.int().check(z.minimum(1)),
  retry_attempts: count,
  /** Seconds. */
  retry_delay: count,
  /**
   * Dial number n since `anchor` happens at anchor + floor(n × 3,600,000 / calls_per_hour): rounding errors do not add up, and
   * dial n + calls_per_hour comes exactly an hour after dial n.
   */
  pace: z.object({ anchor: instant, dials: count }),
  /** The index of the first contact not yet dialled. */
  next_contact: count,
  /** Contacts waiting for another attempt, and when the first of them is due (null if none waits). */
  retries_waiting: count,
  retry_due: z.nullable(instant),
  attempts: count,
  /** Contacts whose call was completed, whoever took it. */
  reached: count,
  /** Those of them whose call a machine took; absent from a campaign that was begun before they were counted. */
  voicemail: z.optional(count),
  exhausted: count,
});

const scenario = z.object({
  answer_rate: rate,
  busy_rate: rate,
  no_answer_rate: rate,
  failed_rate: rate,
  median_duration: count,
  min_duration: count,
  max_duration: count,
  price_per_minute: amount,
});

export const stateSchema = z.object({
  seed: count,
  clock: z.object({
    /** Milliseconds that `local advance` has added to the system's clock. */
    offset: z.int(NO_SPAN).check(z.minimum(0, NO_SPAN), z.maximum(LAST_INSTANT - FIRST_INSTANT, NO_SPAN)),
    /** The latest instant that the engine has reached: its clock never shows an earlier one. */
    last: instant,
  }),
  organization: z.object({
    organization_id: count,
    api_key: text,
    balance: amount,
    numbers: z.array(text),
    /** The id of its demo agent, which has it again after a reset. */
    demo_agent_id: count,
  }),
  agents: z.array(agentRecord),
  campaigns: z.array(campaign),
  next_agent_id: count,
  next_campaign_id: count,
  next_campaign_number: count,
  next_call_number: count,
  /** How many calls had been placed when the store was last reset. */
  calls_before_reset: count,
  scenario,
});

export type State = z.output<typeof stateSchema>;
export type AgentRecord = z.output<typeof agentRecord>;
export type Campaign = z.output<typeof campaign>;
export type Scenario = z.output<typeof scenario>;

/** How many calls were placed since the last reset, which is how many the log should hold. */
export function callsSinceReset({ next_call_number, calls_before_reset }: State): number {
  return next_call_number - 1 - calls_before_reset;
}

/** A new state in place of another: no id is used twice, except that of the demo agent, who stays the same. */
export function stateAfterReset(fresh: State, before: State): State {
  const { next_agent_id, next_campaign_id, next_call_number } = before;
  return {
    ...fresh,
    next_agent_id: Math.max(next_agent_id, fresh.next_agent_id),
    next_campaign_id,
    next_call_number,
    calls_before_reset: next_call_number - 1,
  };
}

export const DEFAULT_SEED = 1;
const DEMO_BALANCE = 100_000_000;
const DEMO_NUMBERS = ['+14155550100', '+442079460100'];
/** Of the first organization's demo agent. */
export const FIRST_AGENT_ID = 1;

export interface Beginning {
  seed: number;
  /** The system's time in milliseconds. */
  now: number;
  /** Only its key, without agents, numbers or money. */
  empty: boolean;
  /** By default the first organization, with the first agent. */
  organizationId?: number | undefined;
  demoAgentId?: number | undefined;
}

/** The state of a new organization: the demo organization, unless it is to be empty. */
export function initialState(beginning: Beginning): State {
  const { seed, empty, organizationId = FIRST_ORGANIZATION, demoAgentId = FIRST_AGENT_ID } = beginning;
  const now = withinCalendar(beginning.now);
  const createdAt = isoTime(now);
  const demoAgent: AgentRecord = {
    agent_id: demoAgentId,
    agent_name: 'Demo Agent',
    agent_description: 'Books appointments for a small clinic',
    base_prompt: 'You are a friendly assistant who offers appointments and answers short questions.',
    voice_id: 1,
    language: 'en',
    greeting: 'Hello, this is Ava from the Harbour Clinic.',
    conversation_goal: 'schedule_appointment',
    status: 'active',
    created_at: createdAt,
    updated_at: createdAt,
  };
  return {
    seed,
    clock: { offset: 0, last: now },
    organization: {
      ...localCredentials(organizationId),
      balance: empty ? 0 : DEMO_BALANCE,
      numbers: empty ? [] : [...DEMO_NUMBERS],
      demo_agent_id: demoAgentId,
    },
    agents: empty ? [] : [demoAgent],
    campaigns: [],
    // Of a further organization nobody else may have it: it is that of its demo agent, even if there is none yet.
    next_agent_id: empty && organizationId === FIRST_ORGANIZATION ? demoAgentId : demoAgentId + 1,
    next_campaign_id: 1,
    next_campaign_number: 1,
    next_call_number: 1,
    calls_before_reset: 0,
    scenario: { ...DEFAULT_SCENARIO },
  };
}
