/** What came of a campaign, concluded from the register and the call log of a real service: the local engine, over HTTP. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EPOCH, serveEngine, testEngine } from '../../support/engine.ts';
import { Operator } from '../../support/program.ts';

const FIRST = '+14155550190';
const BUSY = '+14155550191';
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
    reached: 0,
    waiting: 2,
    states: { waiting: 2, not_reached: 1 },
    last_results: { voicemail: 1 },
    attempts: 1,
    by_status: { completed: 1 },
  });

  engine.clock.now += 86_400_000;
  expect(await operator.json(['campaign', 'status', '1'])).toMatchObject({
    reached: 0,
    waiting: 0,
    attempts: 5,
    by_status: { completed: 1, busy: 2, no_answer: 2 },
    states: { not_reached: 3, no_result: 0 },
    last_results: { busy: 1, no_answer: 1, voicemail: 1 },
    ambiguous: 0,
  });
  const fields = ['--fields', 'phone_number,custom_identifiers,state,last_result,attempts'];
  expect(await operator.run(['campaign', 'results', '1', ...fields])).toMatchObject({
    code: 0,
    stdout: [
      `${FIRST}\tcrm-1\tnot_reached\tvoicemail\t1`,
      `${BUSY}\tcrm-2\tnot_reached\tbusy\t2`,
      '+14155550192\t\tnot_reached\tno_answer\t2',
      '',
    ].join('\n'),
  });
});

describe('into a file', () => {
  const at = (name: string) => join(operator.home, name);
  const results = (...flags: string[]) => operator.run(['campaign', 'results', 'Own', ...flags]);

  beforeAll(async () => {
    writeFileSync(at('own.csv'), `State;7;Phone\nCA; x ;${FIRST}\n"N;Y";y;${BUSY}\n`);
    const flags = ['--agent', '1', '--from', '+442079460100', '--retry-attempts', '0', '--yes', '--again'];
    const file = ['--name', 'Own', '--contacts', 'own.csv'];
    expect(await operator.run(['campaign', 'create', ...file, ...flags])).toMatchObject({ code: 0 });
    engine.clock.now += 3_600_000;
  });

  test('the columns of the file come first, as they were, and a name that it has gets a prefix', async () => {
    expect(await results('--out', 'own-results.csv')).toMatchObject({ code: 0, stdout: '' });
    const [header, first, second] = readFileSync(at('own-results.csv'), 'utf8').split('\r\n');
    expect(header).toMatch(/^State,7,Phone,result_state,last_result,attempts,last_status,/);
    expect(first).toMatch(/^CA, x ,\+14155550190,(reached,completed|not_reached,voicemail),1,completed,/);
    expect(second).toMatch(/^N;Y,y,\+14155550191,not_reached,busy,1,busy,/);
  });

  test('one state, with transcripts, as lines of JSON', async () => {
    const flags = ['--result', 'completed,voicemail', '--transcripts', '--out', 'own.ndjson'];
    const { stderr } = await results(...flags);
    expect(stderr).toMatch(
      /1 contact written to own\.ndjson\.\n2 contacts: (1 reached, 1 not reached|2 not reached)\./,
    );
    const result = JSON.parse(readFileSync(at('own.ndjson'), 'utf8'));
    expect(result).toMatchObject({
      phone_number: FIRST,
      row: { State: 'CA', '7': ' x ' },
      call_ids: [expect.stringMatching(/^call_/)],
    });
    expect(result.transcript).toMatch(/^Agent: /);
    expect(existsSync(at('.own.ndjson.vagent'))).toBe(false);
  });

  test('JSON is one document that names the campaign', async () => {
    const document = JSON.parse((await results('--format', 'json')).stdout);
    expect(document).toMatchObject({
      campaign_id: 2,
      campaign_name: 'Own',
      contacts: [{ attempts: 1 }, { state: 'not_reached', last_result: 'busy' }],
    });
  });

  test('a table has no room for transcripts: exit 2', async () => {
    const { code, stderr } = await results('--transcripts', '-o', 'table');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/a table has no room for them\./) });
  });
});
