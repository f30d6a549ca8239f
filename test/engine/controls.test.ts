/** The operator's controls of the local engine: what they change, and what they refuse. */
import { describe, expect, test } from 'vitest';
import { pauseCampaign, resumeCampaign, setAgentStatus } from '../../src/engine/controls.ts';
import { changeScenario } from '../../src/engine/scenario.ts';
import { type Campaign, initialState, type Scenario } from '../../src/engine/state.ts';
import { casesBeside } from '../support/cases.ts';
import { EPOCH } from '../support/engine.ts';
import fc from '../support/properties.ts';
import { HOUR, instant, type Rules, Stage } from './stage.ts';

const cases = casesBeside(import.meta.filename);

const MINUTE = 60_000;

/** One campaign to numbers that never answer. */
class Bench extends Stage {
  constructor({ start, ...rules }: Omit<Rules, 'numbers'> & { start?: number }) {
    super();
    const numbers = Array.from({ length: 40 }, () => '+14155550192');
    this.create({ numbers, ...rules, ...(start && { start_time: new Date(EPOCH + start).toISOString() }) });
  }

  get campaign(): Campaign {
    return this.state.campaigns[0] as Campaign;
  }

  /** Milliseconds since the start. */
  get dials(): number[] {
    return this.calls.map((call) => instant(call) - EPOCH);
  }

  /** Lets time pass until so many milliseconds after the start. */
  until(since: number): void {
    this.play(EPOCH + since);
  }

  pause(): void {
    pauseCampaign(this.state, 1);
  }

  resume(since: number): void {
    resumeCampaign(this.state, 1, EPOCH + since);
  }
}

describe('pause and resume', () => {
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
    setAgentStatus(bench.state, 1, 'paused', EPOCH);
    expect(bench.campaign).toMatchObject({ status: 'paused', reason: 'agent_not_active' });
    expect(() => bench.resume(MINUTE)).toThrow(/its agent 1 is not active/);
    setAgentStatus(bench.state, 1, 'active', EPOCH);
    bench.state.organization.balance = 199_999;
    expect(() => bench.resume(MINUTE)).toThrow(/0\.199999, below the minimum of 0\.2/);
    bench.state.organization.balance = 200_000;
    bench.resume(MINUTE);
    expect(bench.campaign).toMatchObject({ status: 'running', reason: null });
  });
});

describe('scenario', () => {
  function changed(changes: Partial<Scenario>, before: Partial<Scenario> = {}): Scenario {
    const state = initialState({ seed: 1, now: EPOCH, empty: false });
    Object.assign(state.scenario, before);
    return changeScenario(state, changes);
  }

  test.each(cases<[name: string, changes: Partial<Scenario>, rates: number[], before?: Partial<Scenario>]>('rates'))(
    'rates: %s',
    (_name, changes, rates, before) => {
      const { answer_rate, busy_rate, no_answer_rate, failed_rate } = changed(changes, before);
      expect([answer_rate, busy_rate, no_answer_rate, failed_rate]).toEqual(rates);
    },
  );

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

  test.each(cases<[name: string, changes: Partial<Scenario>, says: RegExp]>('rates that are refused'))(
    'refused: %s',
    (_name, changes, says) => {
      const state = initialState({ seed: 1, now: EPOCH, empty: false });
      expect(() => changeScenario(state, changes)).toThrow(says);
      expect(state).toEqual(initialState({ seed: 1, now: EPOCH, empty: false }));
    },
  );
});
