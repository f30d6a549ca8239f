/**
 * The engine's small state: everything it knows but contacts, retries and call log entries, whose number has no bound.
 * The store keeps it in its root file and checks it against these schemas when it is read.
 */
import * as z from 'zod/mini';
import { AGENT_STATUSES } from '../contract.ts';
import { DEFAULT_SCENARIO, PAUSE_REASONS } from './policy.ts';

const count = z.int().check(z.minimum(0));
/** Milliseconds since the epoch. */
const instant = z.int();
/** Millionths; a conversation is not cut off, so a balance may be a little below zero. */
const amount = z.int();
const rate = z.number().check(z.minimum(0), z.maximum(1));

const agentRecord = z.object({
  agent_id: count,
  agent_name: z.string(),
  agent_description: z.string(),
  base_prompt: z.string(),
  voice_id: count,
  language: z.string(),
  greeting: z.string(),
  conversation_goal: z.string(),
  status: z.enum(AGENT_STATUSES),
  created_at: z.string(),
  updated_at: z.string(),
});

const campaign = z.object({
  campaign_id: count,
  campaign_name: z.string(),
  agent_id: count,
  call_from: z.string(),
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
   * Dial number n since `anchor` happens at anchor + floor(n × 3,600,000 / calls_per_hour): no rounding error adds up, and
   * dial n + calls_per_hour comes exactly an hour after dial n.
   */
  pace: z.object({ anchor: instant, dials: count }),
  /** Index of the first contact not yet dialled. */
  next_contact: count,
  /** Contacts waiting for another attempt, and when the first of them is due (null: none waits). */
  retries_waiting: count,
  retry_due: z.nullable(instant),
  attempts: count,
  reached: count,
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
    offset: count,
    /** The latest instant the engine has lived through: its clock never shows an earlier one. */
    last: instant,
  }),
  organization: z.object({
    organization_id: count,
    api_key: z.string(),
    balance: amount,
    numbers: z.array(z.string()),
  }),
  agents: z.array(agentRecord),
  campaigns: z.array(campaign),
  next_agent_id: count,
  next_campaign_id: count,
  next_call_number: count,
  scenario,
});

export type State = z.output<typeof stateSchema>;
export type AgentRecord = z.output<typeof agentRecord>;
export type Campaign = z.output<typeof campaign>;
export type Scenario = z.output<typeof scenario>;

export const DEFAULT_SEED = 1;
export const DEMO_ORGANIZATION_ID = 1;
/** No secret: it opens nothing but a folder of the operator's own. */
export const DEMO_API_KEY = 'local-demo-key';
const DEMO_BALANCE = 100_000_000;
const DEMO_NUMBERS = ['+14155550100', '+442079460100'];

/** The state of a new store: the demo organization, or with `empty` only its key, without agents, numbers or money. */
export function initialState({ seed, now, empty }: { seed: number; now: number; empty: boolean }): State {
  const createdAt = new Date(now).toISOString();
  const demoAgent: AgentRecord = {
    agent_id: 1,
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
      organization_id: DEMO_ORGANIZATION_ID,
      api_key: DEMO_API_KEY,
      balance: empty ? 0 : DEMO_BALANCE,
      numbers: empty ? [] : [...DEMO_NUMBERS],
    },
    agents: empty ? [] : [demoAgent],
    campaigns: [],
    next_agent_id: empty ? 1 : 2,
    next_campaign_id: 1,
    next_call_number: 1,
    scenario: { ...DEFAULT_SCENARIO },
  };
}
