/** A service may log a call under the spelling of today: it is the call to the contact all the same. */
import { describe, expect, test } from 'vitest';
import { selector } from '../../src/calls/select.ts';
import { mayBe } from '../../src/calls/wait.ts';
import type { CallLogEntry, RequestOf } from '../../src/contract.ts';
import { phoneKeyOfDigits } from '../../src/text/phone.ts';
import { attribute } from '../support/worlds/keyed.ts';

const AT = Date.parse('2026-11-20T10:00:00Z');
const entry = (called_to: unknown) =>
  ({
    call_id: 'c1',
    agent_id: 1,
    called_to,
    call_from: '+14155550100',
    call_status: 'completed',
    timestamp: '2026-11-20T10:00:05Z',
  }) as unknown as CallLogEntry;

describe.each([
  ['+5215512345678', '+525512345678'],
  ['+525512345678', '+5215512345678'],
  ['+5215512345678', 525512345678],
])('%s, logged as %s', (sent, logged) => {
  test('is the call that is waited for', () => {
    const request = { use_agent_id: 1, called_to: sent, call_from: '+14155550100' } as RequestOf<'triggerCall'>;
    expect(mayBe(entry(logged), { request, at: AT, earlier: new Set() })).toBe(true);
  });

  test('is a result of the contact, who is not to be called again', () => {
    const phones = Float64Array.of(phoneKeyOfDigits(Number(sent.slice(1))));
    const attribution = attribute({
      campaigns: [
        {
          ...{ key: 1, campaignId: 1, agentId: 1, from: '+14155550100', start: AT },
          ...{ span: { from: AT, until: AT + 1e8 }, callsPerHour: 60, attempts: 3, retryDelay: 3_600_000 },
          contacts: { phones, identifierOf: () => undefined },
        },
      ],
      calls: [],
    });
    attribution.take(entry(logged));
    attribution.resolve(AT + 10_000);
    expect([...attribution.outcomesOf(1)]).toMatchObject([{ state: 'reached', calls: [{ callId: 'c1' }] }]);
  });

  test('is found by --to', () => {
    expect(selector({ called_to: sent })?.(entry(logged))).toBe(true);
    expect(selector({ called_to: '+525512345679' })?.(entry(logged))).toBe(false);
  });
});
