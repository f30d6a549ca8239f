/** A service may log a call under the spelling of today: it is the call to the contact all the same. */
import { describe, expect, test } from 'vitest';
import { CampaignResults } from '../../src/calls/campaign-results.ts';
import { selector } from '../../src/calls/select.ts';
import { mayBe } from '../../src/calls/wait.ts';
import type { CallLogEntry, RequestOf } from '../../src/contract.ts';

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
    const facts = { agent_id: 1, call_from: '+14155550100', start: AT, attempts: 3 };
    const results = new CampaignResults([{ phone_number: sent }], facts);
    results.take(entry(logged));
    expect([...results.rows()]).toMatchObject([{ phone_number: sent, state: 'reached', call_id: 'c1' }]);
  });

  test('is found by --to', () => {
    expect(selector({ called_to: sent })?.(entry(logged))).toBe(true);
    expect(selector({ called_to: '+525512345679' })?.(entry(logged))).toBe(false);
  });
});
