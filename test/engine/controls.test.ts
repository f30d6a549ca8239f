/** The operator's controls of the local engine: what they change, what they refuse, and that a refusal changes nothing. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Contact } from '../../src/contract.ts';
import { advance, type CampaignQueues, nextSlot, type Retry } from '../../src/engine/campaigns.ts';
import { pauseCampaign, resumeCampaign, setAgentStatus } from '../../src/engine/controls.ts';
import { handlers } from '../../src/engine/handlers.ts';
import { changeScenario } from '../../src/engine/scenario.ts';
import { type Campaign, initialState, type Scenario, type State } from '../../src/engine/state.ts';
import { checkedContacts } from '../support/contacts.ts';
import { digestsIn } from '../support/files.ts';
import { Operator } from '../support/program.ts';
import fc from '../support/properties.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** An engine without a store: one campaign to numbers that never answer, its dials in milliseconds since the start. */
class Bench {
  readonly state: State = initialState({ seed: 1, now: START, empty: false });
  readonly dials: number[] = [];
  readonly #queues: CampaignQueues;

  constructor(rules: { calls_per_hour: number; retry_attempts?: number; retry_delay?: number; start?: number }) {
    const contacts: Contact[] = Array.from({ length: 40 }, () => ({ phone_number: '+14155550192' }));
    const { start, ...pace } = rules;
    handlers.createCampaign(
      this.state,
      {
        campaign_name: 'Test',
        agent_id: 1,
        call_from: '+14155550100',
        contacts: checkedContacts(contacts),
        ...(start === undefined ? {} : { start_time: new Date(START + start).toISOString() }),
        retry_attempts: 0,
        retry_delay: 600,
        ...pace,
      },
      { now: START },
    );
    this.#queues = inMemory(contacts);
  }

  get campaign(): Campaign {
    return this.state.campaigns[0] as Campaign;
  }

  /** Lets time pass until so many milliseconds after the start. */
  until(since: number): void {
    for (const call of advance(this.state, START + since, () => this.#queues)) {
      this.dials.push(Date.parse(call.timestamp ?? '') - START);
    }
  }

  pause(): void {
    pauseCampaign(this.state, 1);
  }

  resume(since: number): void {
    resumeCampaign(this.state, 1, START + since);
  }
}

function inMemory(contacts: Contact[]): CampaignQueues {
  const retries: Retry[] = [];
  let next = 0;
  return {
    takeContact: () => contacts[next++] as Contact,
    takeRetry: () => retries.shift() as Retry,
    retryDue: () => retries[0]?.due ?? null,
    addRetry: (retry) => void retries.push(retry),
  };
}

describe('pause and resume', () => {
  test('a campaign stands still from the pause to the resume', () => {
    const bench = new Bench({ calls_per_hour: 60 });
    bench.until(2 * MINUTE);
    bench.pause();
    expect(bench.campaign).toMatchObject({ status: 'paused', reason: 'operator' });
    bench.until(30 * MINUTE);
    bench.resume(30 * MINUTE);
    expect(bench.campaign).toMatchObject({ status: 'running', reason: null });
    bench.until(32 * MINUTE);
    expect(bench.dials.map((at) => at / MINUTE)).toEqual([0, 1, 2, 30, 31, 32]);
  });

  /** Minutes: a dial every 10, paused after the one at 0, resumed at, and the dials that follow. */
  test.each<[resumed: number, dials: number[]]>([
    [1, [0, 10, 20, 30]],
    [10, [0, 10, 20, 30]],
    [11, [0, 11, 21, 31]],
    [25, [0, 25, 35]],
  ])('resumed after %j minutes, the first dial is then or at its slot', (resumed, dials) => {
    const bench = new Bench({ calls_per_hour: 6 });
    bench.until(0);
    bench.pause();
    bench.until(resumed * MINUTE);
    bench.resume(resumed * MINUTE);
    bench.until(35 * MINUTE);
    expect(bench.dials.map((at) => at / MINUTE)).toEqual(dials);
  });

  test('a scheduled campaign is scheduled again while its start is ahead', () => {
    const bench = new Bench({ calls_per_hour: 60, start: HOUR });
    bench.pause();
    bench.until(MINUTE);
    bench.resume(MINUTE);
    expect(bench.campaign).toMatchObject({ status: 'scheduled', reason: null });
    bench.until(HOUR);
    expect(bench.dials).toEqual([HOUR]);
  });

  test('a scheduled campaign whose start passed during the pause begins at the resume', () => {
    const bench = new Bench({ calls_per_hour: 60, start: HOUR });
    bench.pause();
    bench.until(2 * HOUR);
    bench.resume(2 * HOUR);
    expect(bench.campaign.status).toBe('running');
    bench.until(2 * HOUR + MINUTE);
    expect(bench.dials).toEqual([2 * HOUR, 2 * HOUR + MINUTE]);
  });

  test('a retry that fell due during the pause is dialled first', () => {
    const bench = new Bench({ calls_per_hour: 60, retry_attempts: 1, retry_delay: 600 });
    bench.until(MINUTE);
    bench.pause();
    bench.until(HOUR);
    bench.resume(HOUR);
    bench.until(HOUR + MINUTE);
    expect(bench.campaign).toMatchObject({ next_contact: 2, attempts: 4, exhausted: 2 });
  });

  test('what the wallet or the agent has paused goes on when resumed, once they are there again', () => {
    const bench = new Bench({ calls_per_hour: 60 });
    bench.until(0);
    setAgentStatus(bench.state, 1, 'paused', START);
    expect(bench.campaign).toMatchObject({ status: 'paused', reason: 'agent_not_active' });
    expect(() => bench.resume(MINUTE)).toThrow(/its agent 1 is not active/);
    setAgentStatus(bench.state, 1, 'active', START);
    bench.state.organization.balance = 199_999;
    expect(() => bench.resume(MINUTE)).toThrow(/0\.199999, below the minimum of 0\.2/);
    bench.state.organization.balance = 200_000;
    bench.resume(MINUTE);
    expect(bench.campaign).toMatchObject({ status: 'running', reason: null });
  });

  test('never more dials in an hour than the pace, however often it is paused', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 * MINUTE }), fc.boolean()), { maxLength: 40 });
    const rules = fc.record({
      calls_per_hour: fc.integer({ min: 1, max: 37 }),
      retry_attempts: fc.integer({ min: 0, max: 2 }),
      retry_delay: fc.integer({ min: 0, max: 3600 }),
    });
    fc.assert(
      fc.property(rules, steps, (given, moves) => {
        const bench = new Bench(given);
        let now = 0;
        for (const [later, isPaused] of moves) {
          now += later;
          bench.until(now);
          if (isPaused && bench.campaign.status === 'running') bench.pause();
          if (!isPaused && bench.campaign.status === 'paused') {
            const slot = nextSlot(bench.campaign);
            bench.resume(now);
            expect(nextSlot(bench.campaign)).toBe(Math.max(slot, START + now));
          }
        }
        for (const [at, dial] of bench.dials.entries()) {
          const hourLater = bench.dials[at + given.calls_per_hour];
          if (hourLater !== undefined) expect(hourLater - dial).toBeGreaterThanOrEqual(HOUR);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('scenario', () => {
  function changed(changes: Partial<Scenario>, before: Partial<Scenario> = {}): Scenario {
    const state = initialState({ seed: 1, now: START, empty: false });
    Object.assign(state.scenario, before);
    return changeScenario(state, changes);
  }

  test.each<[name: string, changes: Partial<Scenario>, rates: number[], before?: Partial<Scenario>]>([
    ['nothing', {}, [0.62, 0.12, 0.2, 0.06]],
    ['half of the answers', { answer_rate: 0.81 }, [0.81, 0.06, 0.1, 0.03]],
    ['no answers', { answer_rate: 0 }, [0, 0.315789474, 0.526315789, 0.157894737]],
    ['answers alone', { answer_rate: 1 }, [1, 0, 0, 0]],
    [
      'fewer again after answers alone: as in a new store',
      { answer_rate: 0.81 },
      [0.81, 0.06, 0.1, 0.03],
      { answer_rate: 1, busy_rate: 0, no_answer_rate: 0, failed_rate: 0 },
    ],
    [
      'one kind of failure stays the only one',
      { answer_rate: 0.3 },
      [0.3, 0, 0, 0.7],
      { answer_rate: 0.9, busy_rate: 0, no_answer_rate: 0, failed_rate: 0.1 },
    ],
    ['two that leave the sum', { busy_rate: 0.2, no_answer_rate: 0.12 }, [0.62, 0.2, 0.12, 0.06]],
    ['all four', { answer_rate: 0.1, busy_rate: 0.2, no_answer_rate: 0.3, failed_rate: 0.4 }, [0.1, 0.2, 0.3, 0.4]],
    [
      'thirds',
      { answer_rate: 1 / 3, busy_rate: 1 / 3, no_answer_rate: 1 / 3, failed_rate: 0 },
      [0.333333333, 0.333333333, 0.333333333, 0],
    ],
    ['more decimals than are kept', { answer_rate: 0.81000000049 }, [0.81, 0.06, 0.1, 0.03]],
  ])('rates: %s', (_name, changes, rates, before) => {
    const { answer_rate, busy_rate, no_answer_rate, failed_rate } = changed(changes, before);
    expect([answer_rate, busy_rate, no_answer_rate, failed_rate]).toEqual(rates);
  });

  test('whatever the answer rate, the four make 1 to the last decimal', () => {
    const part = fc.integer({ min: 0, max: 1_000_000_000 });
    fc.assert(
      fc.property(part, part, part, part, (answer, busy, noAnswer, failed) => {
        const before = { busy_rate: busy / 1e9, no_answer_rate: noAnswer / 1e9, failed_rate: failed / 1e9 };
        const after = changed({ answer_rate: answer / 1e9 }, before);
        const rates = [after.answer_rate, after.busy_rate, after.no_answer_rate, after.failed_rate];
        expect(rates.every((rate) => rate >= 0 && rate <= 1)).toBe(true);
        expect(rates.reduce((sum, rate) => sum + Math.round(rate * 1e9), 0)).toBe(1e9);
      }),
    );
  });

  test.each<[name: string, changes: Partial<Scenario>, says: RegExp]>([
    ['one rate that leaves a gap', { busy_rate: 0.02 }, /add up to 0\.9, not 1: answer_rate 0\.62, busy_rate 0\.02/],
    ['two that are too much', { answer_rate: 0.7, failed_rate: 0.06 }, /add up to 1\.08, not 1/],
    ['a sum that misses by two of the last digit', { answer_rate: 0.62, busy_rate: 0.120000002 }, /1\.000000002/],
    ['a median below the shortest', { median_duration: 10 }, /must rise: they would be 20, 10 and 240 s/],
    ['a median above the longest', { median_duration: 300 }, /must rise: they would be 20, 300 and 240 s/],
    ['no conversation at all', { min_duration: 0 }, /1 to 86400 s/],
    ['a conversation of two days', { max_duration: 172_800 }, /1 to 86400 s/],
    ['a price that no wallet bears', { price_per_minute: 1_000_000_001 }, /must be 1000 or less/],
  ])('refused: %s', (_name, changes, says) => {
    const state = initialState({ seed: 1, now: START, empty: false });
    expect(() => changeScenario(state, changes)).toThrow(says);
    expect(state).toEqual(initialState({ seed: 1, now: START, empty: false }));
  });

  test('calls follow it', () => {
    const bench = new Bench({ calls_per_hour: 60 });
    const { organization } = bench.state;
    changeScenario(bench.state, {
      answer_rate: 1,
      min_duration: 61,
      median_duration: 61,
      max_duration: 61,
      price_per_minute: 250_000,
    });
    const before = organization.balance;
    const { effects } = handlers.triggerCall(
      bench.state,
      {
        use_agent_id: 1,
        called_to: '+14155552671',
        call_from: '+14155550100',
        custom_first_line: 'Hello.',
        called_by_account: 'API',
        custom_identifiers: '',
      },
      { now: START },
    );
    expect(effects?.call).toMatchObject({ call_status: 'completed', call_duration: 61 });
    expect(before - organization.balance).toBe(500_000);
  });
});

/** A store with a running campaign, a scheduled one, a paused one and one that is completed, at a time that stands still. */
const PREPARED = [
  'campaign create --name Done --agent 1 --from +14155550100 --contacts one.csv --retry-attempts 0 --local',
  'local advance 1h',
  'campaign create --name Paused --agent 1 --from +14155550100 --contacts two.csv --calls-per-hour 1 --local',
  'local campaign pause 2',
  'campaign create --name Running --agent 1 --from +14155550100 --contacts two.csv --calls-per-hour 1 --local',
  'campaign create --name Later --agent 1 --from +14155550100 --contacts two.csv --start +1h --local',
  // Whatever is due at this very instant has happened.
  'local status',
];

async function prepared(more: readonly string[] = []): Promise<Operator> {
  const operator = new Operator({ frozenAt: '2026-11-20T09:00:00Z' });
  writeFileSync(join(operator.home, 'one.csv'), 'phone_number\n+14155550190\n');
  writeFileSync(join(operator.home, 'two.csv'), 'phone_number\n+14155550190\n+14155552671\n');
  mkdirSync(join(operator.home, 'photos'));
  writeFileSync(join(operator.home, 'photos/cat.jpg'), 'miaow');
  mkdirSync(join(operator.home, 'half/unfinished'), { recursive: true });
  for (const line of [...PREPARED, ...more]) {
    const { code, stderr } = await operator.run(line.split(' '));
    expect(code, `${line}: ${stderr}`).toBe(0);
  }
  return operator;
}

describe.concurrent('what is refused changes nothing', () => {
  type Row = [args: string, exitCode: number, says: RegExp, before?: string[]];

  const rows: Row[] = [
    [
      'local campaign pause 1',
      3,
      /^vagent: Campaign 1 is completed; only a scheduled or running one can be paused\.$/m,
    ],
    ['local campaign pause 2', 3, /^vagent: Campaign 2 is paused; only a scheduled or running one can be paused\.$/m],
    ['local campaign pause 9', 5, /^vagent: There is no campaign 9\.\n {2}→ vagent local campaign list$/m],
    ['local campaign pause', 2, /vagent local campaign pause needs a campaign\./],
    ['local campaign pause first', 5, /There is no campaign called first in the store\./],
    ['local campaign resume 1', 3, /^vagent: Campaign 1 is completed; only a paused one can be resumed\.$/m],
    ['local campaign resume 3', 3, /^vagent: Campaign 3 is running; only a paused one can be resumed\.$/m],
    ['local campaign resume 4', 3, /^vagent: Campaign 4 is scheduled; only a paused one can be resumed\.$/m],
    ['local campaign resume 9', 5, /^vagent: There is no campaign 9\./m],
    [
      'local campaign resume 2',
      3,
      /^vagent: Campaign 2 cannot be resumed: its agent 1 is not active\.\n {2}→ vagent local agent 1 --status active$/m,
      ['local agent 1 --status draft'],
    ],
    ['local campaign list 1', 2, /vagent local campaign list takes no campaign\./],
    ['local campaign stop 1', 2, /"stop" is not one of list, pause, resume\./],
    ['local campaign constructor 1', 2, /"constructor" is not one of list, pause, resume\./],

    ['local scenario --answer-rate 1.5', 2, /--answer-rate must be a decimal from 0 to 1.*, not '1\.5'/],
    ['local scenario --answer-rate=-0.5', 2, /from 0 to 1/],
    ['local scenario --busy-rate 1e-3', 2, /from 0 to 1/],
    ['local scenario --busy-rate NaN', 2, /from 0 to 1/],
    ['local scenario --failed-rate 60%', 2, /from 0 to 1/],
    ['local scenario --answer-rate 0.5 --busy-rate 0.5', 2, /^vagent: The four rates add up to 1\.26, not 1/m],
    ['local scenario --min-duration 4m', 2, /must rise: they would be 240, 75 and 240 s\./],
    ['local scenario --max-duration forever', 2, /--max-duration must be a duration: .*, not 'forever'\./],
    ['local scenario --price-per-minute=-1', 2, /decimal from 0 to 1000 with at most 6 decimals/],
    ['local scenario --price-per-minute 0.0000001', 2, /at most 6 decimals/],
    ['local scenario --price-per-minute 1001', 2, /--price-per-minute must be a decimal from 0 to 1000.*, not '1001'/],
    ['local scenario 0.5', 2, /local scenario does not take 0\.5/],

    ['local advance -1h', 2, /Unknown flag '-1h'/],
    ['local advance -- -1h', 2, /"-1h" is not a duration\./],
    ['local advance 1.5h', 2, /"1\.5h" is not a duration\./],
    ['local advance 1e3', 2, /"1e3" is not a duration\./],
    ['local advance --until 2026-11-20T08:59Z', 3, /--until 2026-11-20T08:59Z has passed/],
    ['local advance --until 2026-02-30T00:00Z', 3, /is not a time\./],

    ['local topup -- -5', 2, /decimal above 0 with at most 6 decimals/],
    ['local topup 0', 2, /decimal above 0/],
    ['local topup 0.0000001', 2, /at most 6 decimals/],
    ['local topup 99999999999999999999', 2, /decimal above 0/],
    ['local topup 1e9', 2, /decimal above 0/],
    ['local topup 999999999', 3, /^vagent: A wallet holds at most 1000000000\.$/m, ['local topup 999999']],
    ['local reset --yes --seed 1.5', 2, /--seed must be an integer, 0 or more, not '1\.5'\./],
    ['local reset --yes --seed=-1', 2, /integer, 0 or more/],
    ['local reset --yes --seed 0x10', 2, /integer, 0 or more/],

    [
      'local check --store photos',
      9,
      /^vagent: photos is not a store of vagent's: it holds other files and no store\.json\.$/m,
    ],
    ...['local status', 'local advance 1h', 'local check', 'agent list --local'].map(
      (command): Row => [`${command} --store half`, 9, /half is no store yet: .* not finished\.\n.*copy again\.$/m],
    ),
    ['local campaign list --store photos', 9, /photos is not a store of vagent's/],
    ['local scenario --store one.csv', 9, /one\.csv.*a part of the path is a file/],
    ['local check --store one.csv', 9, /one\.csv.*a part of the path is a file/],
  ];

  for (const [args, exitCode, says, before] of rows) {
    test(`${args}: exit ${exitCode}`, async () => {
      const operator = await shared(before);
      const kept = digestsIn(operator.home);
      const { code, stdout, stderr } = await operator.run(args.split(' '));
      expect(stderr).toMatch(says);
      expect(stderr.match(/^vagent: /gm)).toHaveLength(1);
      expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
      expect(digestsIn(operator.home)).toEqual(kept);
    });
  }

  /** What is refused changes nothing, so that the rows can share one store. */
  let one: Promise<Operator> | undefined;
  function shared(before: string[] | undefined): Promise<Operator> {
    if (before !== undefined) return prepared(before);
    one ??= prepared();
    return one;
  }

  test('resume with an empty wallet: exit 6', async () => {
    const operator = await prepared();
    const path = join(operator.home, '.local/state/vagent/store/store.json');
    const root = JSON.parse(readFileSync(path, 'utf8'));
    root.state.organization.balance = 0;
    writeFileSync(path, `${JSON.stringify(root)}\n`);
    const kept = digestsIn(operator.home);
    const { code, stderr } = await operator.run(['local', 'campaign', 'resume', '2']);
    expect(stderr).toBe('vagent: The wallet balance is 0, below the minimum of 0.2.\n  → vagent local topup 25\n');
    expect(code).toBe(6);
    expect(digestsIn(operator.home)).toEqual(kept);
  });
});
