/** What came of a campaign, concluded from the register and the call log of a real service: the local engine, over HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CampaignResults } from '../../src/calls/campaign-results.ts';
import type { CallLogEntry } from '../../src/contract.ts';
import { EPOCH, serveEngine, testEngine } from '../support/engine.ts';
import { Operator } from '../support/program.ts';

const FIRST = '+14155550190';
const BUSY = '+14155550191';
const LATER = '+14155550123';
const START = EPOCH;
const FACTS = { agent_id: 3, call_from: '+14155550100', start: START, attempts: 2 };

const aCall = (called_to: string, call_status: string, more: Partial<CallLogEntry> = {}): CallLogEntry => ({
  call_id: `call-${called_to}-${call_status}`,
  agent_id: 3,
  call_from: '+14155550100',
  called_to,
  call_status,
  timestamp: new Date(START + 60_000).toISOString(),
  ...more,
});

interface Case {
  calls: CallLogEntry[];
  /** Of the contact FIRST. */
  state: string;
  attempts: number;
  call_status: string | null;
}

const cases: Record<string, Case> = {
  'no call': { calls: [], state: 'waiting', attempts: 0, call_status: null },
  'one failed attempt of two': { calls: [aCall(FIRST, 'busy')], state: 'waiting', attempts: 1, call_status: 'busy' },
  'both failed': {
    calls: [aCall(FIRST, 'busy'), aCall(FIRST, 'failed', { timestamp: new Date(START + 120_000).toISOString() })],
    state: 'exhausted',
    attempts: 2,
    call_status: 'failed',
  },
  'reached, then something later, in any order': {
    calls: [aCall(FIRST, 'busy', { timestamp: new Date(START + 9e6).toISOString() }), aCall(FIRST, 'completed')],
    state: 'reached',
    attempts: 2,
    call_status: 'completed',
  },
  'a status nobody knows': { calls: [aCall(FIRST, 'ringing')], state: 'waiting', attempts: 1, call_status: 'ringing' },
  'no status': { calls: [aCall(FIRST, 'x', { call_status: null })], state: 'waiting', attempts: 1, call_status: null },
  'another agent': {
    calls: [aCall(FIRST, 'completed', { agent_id: 4 })],
    state: 'waiting',
    attempts: 0,
    call_status: null,
  },
  'another number calling': {
    calls: [aCall(FIRST, 'completed', { call_from: '+442079460100' })],
    state: 'waiting',
    attempts: 0,
    call_status: null,
  },
  'somebody else': { calls: [aCall(LATER, 'completed')], state: 'waiting', attempts: 0, call_status: null },
  'before the campaign': {
    calls: [aCall(FIRST, 'completed', { timestamp: new Date(START - 600_000).toISOString() })],
    state: 'waiting',
    attempts: 0,
    call_status: null,
  },
  'by a clock that is a minute behind': {
    calls: [aCall(FIRST, 'completed', { timestamp: new Date(START - 60_000).toISOString() })],
    state: 'reached',
    attempts: 1,
    call_status: 'completed',
  },
  'at a time that cannot be read': {
    calls: [aCall(FIRST, 'completed', { timestamp: 'yesterday' })],
    state: 'reached',
    attempts: 1,
    call_status: 'completed',
  },
};

test.each(Object.entries(cases))('%s', (_name, { calls, ...expected }) => {
  const results = new CampaignResults([{ phone_number: FIRST }, { phone_number: BUSY }], FACTS);
  for (const call of calls) results.take(call);
  const [row] = [...results.rows()];
  expect(row).toMatchObject(expected);
  const summary = results.summary();
  expect(summary.attempts).toBe(expected.attempts);
  expect(summary.reached + summary.exhausted + summary.waiting).toBe(2);
});

const engine = testEngine();
const server = await serveEngine(engine);
afterAll(() => server.close());

const operator = new Operator({
  env: { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'local-demo-key' },
  frozenAt: new Date(EPOCH).toISOString(),
});

test('a campaign on a real service, from its beginning to its end', async () => {
  const rows = ['phone_number,custom_identifiers', `${FIRST},crm-1`, `${BUSY},crm-2`, '+14155550192,'];
  writeFileSync(join(operator.home, 'c.csv'), `${rows.join('\n')}\n`);
  const flags = ['--name', 'Spring', '--agent', '1', '--from', '+14155550100', '--retry-attempts', '1', '--yes'];
  expect(await operator.run(['campaign', 'create', ...flags, '--contacts', 'c.csv'])).toMatchObject({ code: 0 });

  // The first contact is called at once, the others a minute apart.
  expect(await operator.json(['campaign', 'status', '1'])).toMatchObject({
    campaign_id: 1,
    campaign_name: 'Spring',
    total_contacts: 3,
    reached: 1,
    exhausted: 0,
    waiting: 2,
    attempts: 1,
    by_status: { completed: 1 },
  });

  engine.clock.now += 86_400_000;
  expect(await operator.json(['campaign', 'status', '1'])).toMatchObject({
    reached: 1,
    exhausted: 2,
    waiting: 0,
    attempts: 5,
    by_status: { completed: 1, busy: 2, no_answer: 2 },
  });
  const fields = ['--fields', 'phone_number,custom_identifiers,state,attempts,call_status'];
  expect(await operator.run(['campaign', 'results', '1', ...fields])).toMatchObject({
    code: 0,
    stdout: [
      `${FIRST}\tcrm-1\treached\t1\tcompleted`,
      `${BUSY}\tcrm-2\texhausted\t2\tbusy`,
      '+14155550192\t\texhausted\t2\tno_answer',
      '',
    ].join('\n'),
  });
});

test('a campaign that was not created from here: exit 5', async () => {
  const { code, stderr } = await operator.run(['campaign', 'results', '2']);
  expect(code).toBe(5);
  expect(stderr).toMatch(/There is no campaign 2 that was created from here\.\n {2}→ vagent campaign list\n/);
});
