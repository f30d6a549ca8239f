/** The latest calls of a campaign: the same whatever the order of the log. */
import { expect, test } from 'vitest';
import { Attribution } from '../../../src/campaigns/attribution/attribution.ts';
import { HOUR } from '../../../src/text/units.ts';
import { callAt } from '../../support/dated-log.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const COUNT = 3_000;
const to = (row: number) => ({ agent_id: 3, call_from: '+14155550100', called_to: `+${14155550000 + row}` });

function campaign() {
  const phones = Float64Array.from({ length: COUNT }, (_none, row) => 14155550000 + row);
  const span = { from: START - 5 * HOUR, until: START + 100 * HOUR };
  const party = {
    ...{ agentId: 3, from: '+14155550100', campaignId: 1, start: START, span, callsPerHour: 1800, attempts: 1 },
    ...{ retryDelay: 0, contacts: { phones, identifierOf: () => undefined } },
  };
  return { party, attribution: new Attribution([party]) };
}

test.each([1, -1, 7])('of a log in an order of its own (%i)', (order) => {
  const calls = Array.from({ length: COUNT }, (_none, row) => callAt(START + row * 2_000, `call_${row}`, to(row)));
  const given = calls.map((call, at) => ({ call, place: (at * order) % COUNT })).sort((a, b) => a.place - b.place);
  const { party, attribution } = campaign();
  for (const { call } of given) attribution.take(call);
  const now = START + COUNT * 2_000;
  attribution.resolve(now);
  const { last, inLastHour } = attribution.recentlyOf(party, 10, now);
  expect(last.map(({ callId }) => callId)).toEqual(
    Array.from({ length: 10 }, (_none, nth) => `call_${COUNT - 1 - nth}`),
  );
  expect(inLastHour).toBe(HOUR / 2_000 - 1);
});

test('one that is completed later replaces itself, is waited for only so long, and has a time', () => {
  const { party, attribution } = campaign();
  const now = START + 60_000;
  const recently = () => {
    attribution.resolve(now);
    return attribution.recentlyOf(party, 10, now);
  };
  attribution.take(
    callAt(START, 'one', { ...to(1), called_to: 14155550001, call_status: 'in_progress', call_outcome: '' }),
  );
  attribution.take(callAt(START - HOUR, 'old', { ...to(2), call_status: 'ringing', call_outcome: '' }));
  attribution.take(callAt(START, 'none', { ...to(3), timestamp: 'soon' }));
  expect(recently()).toMatchObject({
    ...{ open: 1, inLastHour: 1 },
    last: [
      { callId: 'one', number: '14155550001' },
      { callId: 'old', number: '+14155550002' },
    ],
  });
  attribution.take(
    callAt(START, 'one', { ...to(1), call_status: 'completed', call_outcome: 'lead', transcript: 'Hi.' }),
  );
  expect(recently()).toMatchObject({ open: 0, last: [{ status: 'completed', number: '+14155550001' }, {}] });
});
