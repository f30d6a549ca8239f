/** When a campaign ends in the worst case, worked out from its pace: the engine, playing it, comes to the same instant. */

import { describe, expect, test } from 'vitest';
import { LAST_INSTANT } from '../../src/contract.ts';
import { eachUnansweredCall, worstCaseFinish } from '../../src/engine/pace.ts';
import { planCampaign, rehearse } from '../../src/engine/rehearsal.ts';
import { assumedSetting } from '../../src/engine/simulation.ts';
import { checkedContacts } from '../support/contacts.ts';
import fc from '../support/properties.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const NOBODY = '+14155550193';

const rules = fc.record({
  total_contacts: fc.integer({ min: 1, max: 40 }),
  calls_per_hour: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 3_600_000 })),
  retry_attempts: fc.integer({ min: 0, max: 6 }),
  retry_delay: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 100_000 })),
});

function played({ total_contacts, ...pacing }: typeof rules extends fc.Arbitrary<infer T> ? T : never): number {
  const contacts = checkedContacts(Array.from({ length: total_contacts }, () => ({ phone_number: NOBODY })));
  const request = { campaign_name: 'Spring', agent_id: 1, call_from: '+14155550100', contacts, ...pacing };
  const plan = planCampaign(assumedSetting(1, '+14155550100', START), request, {});
  const rehearsal = rehearse(plan, 1);
  for (;;) {
    const step = rehearsal.next();
    if (step.done) return Date.parse(step.value.last_call ?? '');
  }
}

describe('the last call, if nobody is ever reached', () => {
  test('is when the engine places it', () => {
    fc.assert(
      fc.property(rules, (pacing) => {
        expect(worstCaseFinish({ ...pacing, start_time: START })).toBe(played(pacing));
      }),
      { numRuns: 300 },
    );
  });

  test('comes after each attempt of each contact, in order, none sooner than its delay', () => {
    fc.assert(
      fc.property(rules, (pacing) => {
        const calls: { contact: number; attempt: number; at: number }[] = [];
        const isStepped = eachUnansweredCall({ ...pacing, start_time: START }, (contact, attempt, at) =>
          calls.push({ contact, attempt, at }),
        );
        expect(isStepped).toBe(true);
        expect(calls.map(({ at }) => at)).toEqual(calls.map(({ at }) => at).sort((one, other) => one - other));
        for (let contact = 0; contact < pacing.total_contacts; contact++) {
          const own = calls.filter((call) => call.contact === contact);
          expect(own.map(({ attempt }) => attempt)).toEqual(own.map((_call, index) => index));
          expect(own).toHaveLength(1 + pacing.retry_attempts);
          for (const [index, { at }] of own.slice(1).entries()) {
            expect(at - (own[index]?.at as number)).toBeGreaterThanOrEqual(pacing.retry_delay * 1000);
          }
        }
      }),
    );
  });

  test('nobody is told of more calls once no more are wanted', () => {
    const pacing = { total_contacts: 9, calls_per_hour: 60, retry_attempts: 2, retry_delay: 60, start_time: START };
    let seen = 0;
    expect(eachUnansweredCall(pacing, () => ++seen < 4)).toBe(true);
    expect(seen).toBe(4);
  });

  test('of more attempts than can be gone through is not before it, and found at once', () => {
    const pacing = { total_contacts: 1_000_000, calls_per_hour: 3600, retry_attempts: 1_000_000_000, retry_delay: 60 };
    expect(worstCaseFinish({ ...pacing, start_time: START })).toBe(LAST_INSTANT);
  });

  test('is within the calendar', () => {
    const pacing = { total_contacts: 3, calls_per_hour: 1, retry_attempts: 2, retry_delay: 3600 };
    expect(worstCaseFinish({ ...pacing, start_time: LAST_INSTANT - 5_400_000 })).toBe(LAST_INSTANT - 1_800_000);
  });
});
