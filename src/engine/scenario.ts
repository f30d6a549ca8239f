/** The outcome model: how an operator changes that of a store, and what a rehearsal expects instead. */
import { UsageError } from '../errors.ts';
import { type Attempt, settle } from './calls.ts';
import { fromMicros } from './money.ts';
import { DEFAULT_SCENARIO, LONGEST_CONVERSATION, MAX_PRICE_PER_MINUTE, SHORTEST_CONVERSATION } from './policy.ts';
import { type AgentRecord, type Campaign, DEFAULT_SEED, type Scenario, type State } from './state.ts';

const OTHER_RATES = ['busy_rate', 'no_answer_rate', 'failed_rate'] as const;
const RATES = ['answer_rate', ...OTHER_RATES] as const;

/** Rates have nine decimals; their sums are computed in these units, so that they are exact. */
const RATE_PARTS = 1_000_000_000;

/**
 * Changes the outcome model: durations in seconds, the price in millionths. An answer rate alone scales the other three rates;
 * otherwise the four must add up to 1. Throws UsageError.
 */
export function changeScenario(state: State, changes: Partial<Scenario>): Scenario {
  const scenario = { ...state.scenario, ...changes, ...changedRates(state.scenario, changes) };
  requireDurations(scenario);
  if (scenario.price_per_minute > MAX_PRICE_PER_MINUTE) {
    throw new UsageError(`The price per minute must be ${fromMicros(MAX_PRICE_PER_MINUTE)} or less.`);
  }
  state.scenario = scenario;
  return scenario;
}

/** A scenario for people and JSON: its price as a decimal number. */
export function describeScenario(scenario: Scenario): Record<keyof Scenario, number> {
  return { ...scenario, price_per_minute: fromMicros(scenario.price_per_minute) };
}

function changedRates(before: Scenario, changes: Partial<Scenario>): Partial<Scenario> {
  const given = RATES.filter((rate) => changes[rate] !== undefined);
  if (given.length === 0) return {};
  if (given.length === 1 && changes.answer_rate !== undefined) {
    const scaled = withAnswerRate(before, changes.answer_rate);
    return Object.fromEntries(RATES.map((rate) => [rate, scaled[rate]]));
  }
  const parts = RATES.map((rate) => [rate, toParts(changes[rate] ?? before[rate])] as const);
  const sum = parts.reduce((total, [, part]) => total + part, 0);
  const rates = parts.map(([rate, part]) => [rate, part / RATE_PARTS] as const);
  // A third is not an exact decimal: three of them may miss 1 by the last digit.
  if (Math.abs(sum - RATE_PARTS) <= 1) return Object.fromEntries(rates);
  const list = rates.map(([rate, value]) => `${rate} ${value}`).join(', ');
  throw new UsageError(`The four rates add up to ${sum / RATE_PARTS}, not 1: ${list}.`, {
    reason: { kind: 'rates_incomplete' },
  });
}

/** A scenario with this answer rate: the other three share the rest in their proportions, exactly. */
export function withAnswerRate(scenario: Scenario, answerRate: number): Scenario {
  const isShared = OTHER_RATES.some((rate) => scenario[rate] > 0);
  const { busy_rate, no_answer_rate, failed_rate } = isShared ? scenario : DEFAULT_SCENARIO;
  const whole = busy_rate + no_answer_rate + failed_rate;
  const answered = toParts(answerRate);
  const rest = RATE_PARTS - answered;
  const busy = Math.round((rest * busy_rate) / whole);
  const noAnswer = Math.round((rest * (busy_rate + no_answer_rate)) / whole) - busy;
  return {
    ...scenario,
    answer_rate: answered / RATE_PARTS,
    busy_rate: busy / RATE_PARTS,
    no_answer_rate: noAnswer / RATE_PARTS,
    failed_rate: (rest - busy - noAnswer) / RATE_PARTS,
  };
}

function toParts(rate: number): number {
  return Math.round(rate * RATE_PARTS);
}

function requireDurations({ min_duration, median_duration, max_duration }: Scenario): void {
  const found = `they would be ${min_duration}, ${median_duration} and ${max_duration} s`;
  if (min_duration > median_duration || median_duration > max_duration) {
    throw new UsageError(`The shortest, median and longest duration must rise: ${found}.`);
  }
  if (min_duration < SHORTEST_CONVERSATION || max_duration > LONGEST_CONVERSATION) {
    throw new UsageError(`Durations are ${SHORTEST_CONVERSATION} to ${LONGEST_CONVERSATION} s: ${found}.`);
  }
}

/** What the operator expects to differ from the scenario. */
export interface Expectations {
  /** 0 to 1. */
  answerRate?: number | undefined;
  /** Millionths. */
  pricePerMinute?: number | undefined;
  /** Seconds, within the scenario's shortest and longest conversation. */
  meanDuration?: number | undefined;
}

/** The scenario that the operator expects, for the agent of a campaign. */
export function expectedScenario(
  { scenario, agents }: State,
  { agent_id }: Campaign,
  { answerRate, pricePerMinute = scenario.price_per_minute, meanDuration }: Expectations,
): Scenario {
  const priced = { ...scenario, price_per_minute: pricePerMinute };
  const answered = answerRate === undefined ? priced : withAnswerRate(priced, answerRate);
  if (meanDuration === undefined) return answered;
  const agent = agents.find((candidate) => candidate.agent_id === agent_id) as AgentRecord;
  return withMeanDuration(answered, agent, meanDuration);
}

/** How often the interval of the median is halved: the result is more exact than durations, which are whole seconds. */
const HALVINGS = 24;

/**
 * Conversations are kept within bounds, so there is no formula for their mean. It grows with the median, so the median is found
 * by halving an interval. It need not be an integer, unlike that of a store's scenario.
 */
function withMeanDuration(scenario: Scenario, agent: AgentRecord, meanDuration: number): Scenario {
  const having = (median: number): Scenario => ({ ...scenario, median_duration: median });
  let low = 0;
  let high = Math.max(1, scenario.max_duration);
  while (averageDuration(having(high), agent) < meanDuration) high *= 2;
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (low + high) / 2;
    if (averageDuration(having(middle), agent) < meanDuration) low = middle;
    else high = middle;
  }
  return having(high);
}

/** Conversations over which an average is taken: enough to be within about one percent of the true mean. */
const SAMPLED_CALLS = 20_000;

/** Seconds of an average conversation, over many of the engine's own, which are always the same ones. */
function averageDuration(scenario: Scenario, agent: AgentRecord): number {
  const answered = { ...scenario, answer_rate: 1 };
  let seconds = 0;
  for (let contact = 0; contact < SAMPLED_CALLS; contact++) {
    const attempt: Attempt = { stream: 'campaign', id: 0, contact, attempt: 1, calledTo: '' };
    seconds += settle(DEFAULT_SEED, answered, agent, attempt).call_duration;
  }
  return seconds / SAMPLED_CALLS;
}
