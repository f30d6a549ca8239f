/** The expected finish of campaigns, against when the local engine really places their last call. */
import { describe, expect, test } from 'vitest';
import { expectedFinish, type Standing } from '../../../src/campaigns/progress/progress.ts';
import { advance } from '../../../src/engine/campaigns.ts';
import { MemoryQueues } from '../../../src/engine/pace.ts';
import { type Campaign, initialState } from '../../../src/engine/state.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const HOUR = 3_600_000;

interface Setting {
  contacts: number;
  callsPerHour: number;
  retries: number;
  /** Seconds. */
  delay: number;
  seed: number;
}

/** What can be known after each call, and when the last one was. */
function play({ contacts, callsPerHour, retries, delay, seed }: Setting) {
  const state = initialState({ seed, now: START, empty: false });
  state.organization.balance = 1_000_000_000_000;
  const campaign: Campaign = {
    ...{ campaign_id: 1, campaign_number: 1, campaign_name: 'Spring', agent_id: 1, call_from: '+14155550100' },
    status: 'scheduled',
    ...{ reason: null, total_contacts: contacts, start_time: START, calls_per_hour: callsPerHour },
    ...{ retry_attempts: retries, retry_delay: delay, pace: { anchor: START, dials: 0 }, next_contact: 0 },
    ...{ retries_waiting: 0, retry_due: null, attempts: 0, reached: 0, exhausted: 0 },
  };
  state.campaigns.push(campaign);
  const queues = new MemoryQueues((index) => ({ phone_number: `+1415${String(5_550_000 + index).padStart(7, '0')}` }));
  const times: number[] = [];
  const standings: Standing[] = [];
  for (const { timestamp } of advance(state, 'idle', () => queues)) {
    const at = Date.parse(timestamp);
    times.push(at);
    standings.push({
      ...{ contacts, waiting: contacts - campaign.reached - campaign.exhausted, connected: campaign.reached },
      ...{ attempts: campaign.attempts, callsPerHour, attemptsEach: retries + 1, retryDelay: delay * 1000 },
      ...{ callsLastHour: times.filter((time) => time > at - HOUR).length, start: START },
      firstCall: START,
    });
  }
  return { times, standings, end: times.at(-1) as number };
}

const SETTINGS: [contacts: number, callsPerHour: number, retries: number, delay: number][] = [
  [200, 60, 0, 60],
  [200, 60, 2, 3_600],
  [500, 100, 4, 600],
  [300, 1_000, 2, 3_600],
  [1_000, 3_600, 1, 86_400],
];

describe.each(SETTINGS)(
  '%i contacts at %i an hour, %i retries after %i s',
  (contacts, callsPerHour, retries, delay) => {
    test.each([1, 2, 3])('seed %i', (seed) => {
      const { times, standings, end } = play({ contacts, callsPerHour, retries, delay, seed });
      for (const share of [0.25, 0.5, 0.75]) {
        const at = Math.floor(times.length * share);
        const now = times[at] as number;
        const finish = expectedFinish(standings[at] as Standing, now) as number;
        const off = (finish - end) / (end - START);
        expect(
          Math.abs(off),
          `${share}: ${new Date(finish).toISOString()} for ${new Date(end).toISOString()}`,
        ).toBeLessThan(0.3);
      }
      expect(expectedFinish(standings.at(-1) as Standing, end)).toBeUndefined();
    });
  },
);

describe('what is expected', () => {
  const standing: Standing = {
    ...{ contacts: 100, waiting: 100, connected: 0, attempts: 0, callsPerHour: 60, callsLastHour: 0 },
    ...{ attemptsEach: 1, retryDelay: 0, start: START, firstCall: undefined },
  };
  const hours = (given: Partial<Standing>, now = START) =>
    ((expectedFinish({ ...standing, ...given }, now) ?? Number.NaN) - START) / HOUR;
  test('before it begins, it ends its length after the start', () => {
    expect(hours({}, START - 24 * HOUR)).toBeCloseTo(100 / 60);
  });
  test('a service that is half as fast as it may be takes twice as long', () => {
    const slow = { waiting: 70, attempts: 30, connected: 30, callsLastHour: 30, firstCall: START };
    expect(hours(slow, START + HOUR)).toBeCloseTo(1 + 70 / 30);
  });
  test('the first hour says nothing about the pace', () => {
    expect(hours({ waiting: 99, attempts: 1, callsLastHour: 1, firstCall: START }, START + 60_000)).toBeCloseTo(
      1 / 60 + 99 / 60,
    );
  });
  test('who waits for a retry waits for the delay', () => {
    const tail = { contacts: 10, waiting: 1, connected: 9, attempts: 10, attemptsEach: 2, retryDelay: 6 * HOUR };
    expect(hours({ ...tail, firstCall: START }, START)).toBeCloseTo(6, 0);
  });
});
