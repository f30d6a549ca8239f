/** A rehearsal leaves nothing behind, and is sound whatever the campaign; what it foretells is in `rehearse.session`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CheckedRequest } from '../../../src/contract.ts';
import { settle } from '../../../src/engine/calls.ts';
import { planCampaign, type Rehearsal, rehearse } from '../../../src/engine/rehearsal.ts';
import type { Expectations } from '../../../src/engine/scenario.ts';
import { type AgentRecord, initialState } from '../../../src/engine/state.ts';
import { checkedContacts } from '../../support/contacts.ts';
import { EPOCH } from '../../support/engine.ts';
import { Operator, ROOT } from '../../support/program.ts';
import fc from '../../support/properties.ts';
import { CTRL_C, play } from '../../support/terminal.ts';

const SAMPLES = join(ROOT, 'samples/contacts.csv');
const frozenAt = '2026-11-20T09:00:00Z';
const LOCAL = { frozenAt, env: { VAGENT_LOCAL: '1' } };
const CAMPAIGN = ['--name', 'Spring', '--agent', '1', '--from', '+14155550100', '--contacts', SAMPLES];
const REHEARSE = ['campaign', 'rehearse', ...CAMPAIGN];

/** Numbers whose endings fix nothing. */
function numbers(count: number): string[] {
  return Array.from({ length: count }, (_none, at) => `+1415556${String(at).padStart(4, '0')}`);
}

describe.concurrent('nothing is written', () => {
  function contentsOf(folder: string): Record<string, string> {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
    return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'latin1')]));
  }

  test('a store that does not exist is not created', async () => {
    const operator = new Operator(LOCAL);
    await operator.json([...REHEARSE, '--start', '+1h', '--runs', '5']);
    expect(readdirSync(operator.home)).toEqual([]);
  });

  test('a store keeps its bytes, also where calls of another campaign have fallen due since', async () => {
    const operator = new Operator(LOCAL);
    await operator.json(['campaign', 'create', ...CAMPAIGN]);
    const before = contentsOf(operator.home);
    const later = { frozenAt: '2026-11-20T09:30:00Z' };
    const { first_call } = await operator.json<Rehearsal>([...REHEARSE, '--start', '+1h'], later);
    expect(first_call).toBe('2026-11-20T10:30:00.000Z');
    expect(contentsOf(operator.home)).toEqual(before);
  });
});

test('Ctrl-C ends a long rehearsal: exit 130', async () => {
  const operator = new Operator(LOCAL);
  writeFileSync(join(operator.home, 'numbers.csv'), `phone_number\n${numbers(5_000).join('\n')}\n`);
  const args = 'campaign rehearse numbers.csv --agent 1 --from +14155550100 --runs 10000'.split(' ');
  const { code, text } = await play(operator, args, [/Rehearsing calls: \d+/, CTRL_C]);
  expect(text).toMatch(/vagent: Interrupted\.\n$/);
  expect(code).toBe(130);
});

// The pure part ------------------------------------------------------------------------------------------------------

interface Rules {
  contacts: string[];
  callsPerHour: number;
  retryAttempts: number;
  /** Seconds. */
  retryDelay: number;
}

function plan(
  { contacts, ...rules }: Rules,
  seed: number,
  expectations: Expectations = {},
  state = initialState({ seed, now: EPOCH, empty: false }),
) {
  const request: CheckedRequest<'createCampaign'> = {
    campaign_name: 'Test',
    agent_id: 1,
    call_from: '+14155550100',
    contacts: checkedContacts(contacts.map((phone_number) => ({ phone_number }))),
    calls_per_hour: rules.callsPerHour,
    retry_attempts: rules.retryAttempts,
    retry_delay: rules.retryDelay,
  };
  return planCampaign({ state, now: EPOCH, waitingOf: () => ({ numbers: [], retries: [] }) }, request, expectations);
}

function played(rules: Rules, seed: number, runs: number, expectations?: Expectations): Rehearsal {
  const rehearsal = rehearse(plan(rules, seed, expectations), runs);
  for (;;) {
    const step = rehearsal.next();
    if (step.done) return step.value;
  }
}

const seeds = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const rates = fc.double({ min: 0, max: 1, noNaN: true });
const someRules: fc.Arbitrary<Rules> = fc.record({
  contacts: fc.integer({ min: 1, max: 40 }).map(numbers),
  callsPerHour: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 3_600_000 })),
  retryAttempts: fc.integer({ min: 0, max: 5 }),
  retryDelay: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 86_400 })),
});

describe('whatever the campaign', () => {
  test('the percentiles are ordered and lie before the worst case, and the same seed gives the same report', () => {
    fc.assert(
      fc.property(someRules, seeds, rates, fc.integer({ min: 2, max: 30 }), (rules, seed, answerRate, runs) => {
        const report = played(rules, seed, runs, { answerRate });
        const { last_call, attempts, cost } = report.percentiles ?? expect.fail('there are no percentiles');
        const latest = Date.parse(report.worst_case_finish);
        expectOrder([last_call.p5, last_call.p50, last_call.p95].map((time) => Date.parse(time ?? '')).concat(latest));
        expectOrder([attempts.p5, attempts.p50, attempts.p95, rules.contacts.length * (1 + rules.retryAttempts)]);
        expectOrder([0, cost.p5, cost.p50, cost.p95]);
        expect(played(rules, seed, runs, { answerRate })).toEqual(report);
      }),
    );
  });

  test('run k is run 0 of a store whose seed is k more', () => {
    fc.assert(
      fc.property(someRules, fc.nat(), (rules, seed) => {
        const alone = [0, 1, 2].map((run) => played(rules, seed + run, 1));
        const [, middle] = alone.map(({ attempts }) => attempts).sort((a, b) => a - b);
        expect(played(rules, seed, 3)).toMatchObject({
          attempts: alone[0]?.attempts,
          percentiles: { attempts: { p50: middle } },
        });
      }),
    );
  });

  test('the last call of a campaign that reaches nobody is its worst case', () => {
    fc.assert(
      fc.property(someRules, seeds, (rules, seed) => {
        const { last_call, worst_case_finish, attempts } = played(rules, seed, 1, { answerRate: 0 });
        expect(last_call).toBe(worst_case_finish);
        expect(attempts).toBe(rules.contacts.length * (1 + rules.retryAttempts));
      }),
    );
  });

  function expectOrder(values: readonly number[]): void {
    expect(values).toEqual([...values].sort((a, b) => a - b));
  }
});

test('a run that rounding to milliseconds makes later than that of nobody reached is itself the worst case', () => {
  // Such a run is one in many thousands at such a pace; this is one.
  const rules = { contacts: numbers(37), callsPerHour: 14_406, retryAttempts: 4, retryDelay: 1 };
  const nobodyReached = played(rules, 794_948, 1, { answerRate: 0 });
  const { last_call, worst_case_finish } = played(rules, 794_948, 1, { answerRate: 0.02 });
  expect(nobodyReached.last_call).toBe('2026-11-20T09:00:46.732Z');
  expect(last_call).toBe('2026-11-20T09:00:47.231Z');
  expect(worst_case_finish).toBe(last_call);
});

describe('the mean of conversations', () => {
  const rules = { contacts: numbers(1), callsPerHour: 60, retryAttempts: 0, retryDelay: 0 };

  test.each([20, 35, 95, 239, 240])('%i s', (meanDuration) => {
    const { others, expected } = plan(rules, 7, { meanDuration, answerRate: 1 });
    const agent = others.state.agents[0] as AgentRecord;
    const durations = Array.from({ length: 20_000 }, (_none, contact) => {
      const attempt = { stream: 'campaign' as const, id: 3, contact, attempt: 1, calledTo: '' };
      return settle(7, expected, agent, attempt).call_duration;
    });
    const mean = durations.reduce((sum, duration) => sum + duration) / durations.length;
    expect(Math.abs(mean - meanDuration)).toBeLessThan(meanDuration * 0.02);
  });
});

test('the other rates keep their proportions, also where nothing was left for them', () => {
  const rules = { contacts: numbers(1), callsPerHour: 60, retryAttempts: 0, retryDelay: 0 };
  const { expected: scenario } = plan(rules, 1, { answerRate: 0.05 });
  expect(scenario.busy_rate).toBeCloseTo(0.3, 9);
  expect(scenario.no_answer_rate).toBeCloseTo(0.5, 9);
  expect(scenario.failed_rate).toBeCloseTo(0.15, 9);
  const allAnswered = plan(rules, 1, { answerRate: 1 });
  const state = { ...allAnswered.others.state, scenario: allAnswered.expected };
  expect(plan(rules, 1, { answerRate: 0.05 }, state).expected).toEqual(scenario);
});
