/** The latest calls of a log: the same whatever its order, against a plain sort of all. */
import { describe, expect, test } from 'vitest';
import { RecentCalls } from '../../../src/campaigns/progress/recent-calls.ts';
import { HOUR } from '../../../src/text/units.ts';
import { callAt } from '../../support/dated-log.ts';

const START = Date.parse('2026-11-20T09:00:00Z');

describe.each(['newest first', 'oldest first', 'in no order'])('a log that is %s', (order) => {
  test.each([1, 100, 1_000, 20_000])('of %i calls', (count) => {
    const calls = Array.from({ length: count }, (_none, at) => callAt(START + at * 2_000, `call_${at}`));
    const given = [...calls];
    if (order === 'newest first') given.reverse();
    if (order === 'in no order') given.sort((one, other) => hash(one.call_id) - hash(other.call_id));
    const recent = new RecentCalls();
    for (const call of given) recent.take(call);
    const now = START + count * 2_000;
    const times = new Map(calls.map(({ call_id, timestamp }) => [call_id, Date.parse(String(timestamp))]));
    const { last, inLastHour } = recent.look((mark) => times.get(mark), 10, now);
    expect(last.map(({ mark }) => mark)).toEqual(
      calls
        .slice(-10)
        .reverse()
        .map(({ call_id }) => call_id),
    );
    expect(inLastHour).toBe(Math.min(count, HOUR / 2_000 - 1));
    const even = recent.look((mark) => (/[02468]$/.test(mark) ? times.get(mark) : undefined), 3, now);
    expect(even.last.every(({ mark }) => /[02468]$/.test(mark))).toBe(true);
  });
});

function hash(text: string): number {
  return [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
}

test('a call that is completed later replaces itself, and is waited for only so long', () => {
  const recent = new RecentCalls();
  const now = START + 60_000;
  const all = (mark: string) => (mark === 'one' ? START : START - HOUR);
  recent.take(callAt(START, 'one', { call_status: 'in_progress', call_outcome: '' }));
  recent.take(callAt(START - HOUR, 'old', { call_status: 'ringing', call_outcome: '' }));
  expect(recent.look(all, 10, now)).toMatchObject({
    open: 1,
    last: [{ status: 'in_progress' }, { status: 'ringing' }],
  });
  recent.take(callAt(START, 'one', { call_status: 'completed', call_outcome: 'lead', transcript: 'Hi.' }));
  expect(recent.look(all, 10, now)).toMatchObject({ open: 0, last: [{ status: 'completed' }, {}] });
});

test('a call without a time is none of the latest', () => {
  const recent = new RecentCalls();
  recent.take(callAt(START, 'one', { timestamp: 'soon' }));
  expect(recent.look(() => START, 10, START)).toEqual({ last: [], inLastHour: 0, open: 0 });
});

test('the time is the one that is known by now: the zone of a log is found as it is read', () => {
  const recent = new RecentCalls();
  for (const id of ['one', 'two']) recent.take(callAt(START, id, { timestamp: '2026-11-20T11:00:00' }));
  const now = START + 60_000;
  const inZone = recent.look((mark) => (mark === 'one' ? START : undefined), 10, now);
  expect(inZone).toMatchObject({ inLastHour: 1, last: [{ at: START }] });
});
