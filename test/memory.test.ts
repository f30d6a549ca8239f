/** What a command keeps of each call and contact: by the living memory of this process while it reads a log, not by a clock. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { resultOf } from '../src/campaigns/results.ts';
import { showResults } from '../src/commands/shared/results.ts';
import { testContext } from './support/context.ts';
import { sendJson, startServer } from './support/http.ts';
import { Operator } from './support/program.ts';

const CONTACTS = 2_000;
const CALLS = 41_000;
const PAGE = 1_000;
/** Calls after which what is loaded on demand is loaded. */
const SETTLED = 10_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function living(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What lived when the pages from these offsets on were asked for. */
const at = new Map<number, number>();
const server = await startServer(({ path, query }, response) => {
  if (path === '/create-campaign') {
    const created = { campaign_id: 1, campaign_name: 'Spring', status: 'running', total_contacts: CONTACTS };
    return sendJson(response, 200, { success: true, ...created });
  }
  if (path !== '/get-call-logs') return sendJson(response, 404, { success: false });
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 100)];
  if (offset === SETTLED || offset === CALLS - PAGE) at.set(offset, living());
  const calls = Array.from({ length: Math.min(limit, CALLS - offset) }, (_none, nth) => callAt(offset + nth));
  sendJson(response, 200, { success: true, calls, total: CALLS, limit: calls.length, offset });
});
const operator = new Operator({
  env: { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' },
  frozenAt: '2026-11-20T09:00:00Z',
});

function numberOf(row: number): string {
  return `+1415556${String(row).padStart(4, '0')}`;
}

function callAt(nth: number) {
  const id = `call_${String(nth).padStart(10, '0')}`;
  return {
    ...{ call_id: id, agent_id: 4, called_to: numberOf(nth % CONTACTS), call_from: '+14155550100' },
    ...{ call_duration: 60, call_status: 'completed', call_outcome: 'lead_qualified', transcript: `Hello ${nth}` },
    timestamp: new Date(Date.parse('2026-11-20T09:00:01Z') + nth * 1000).toISOString(),
    recording_url: `https://recordings.example/${id}.mp3`,
  };
}

/** Bytes that were kept of each call, between the first pages and the last. */
function keptOfEach(): number {
  const [first, last] = [at.get(SETTLED), at.get(CALLS - PAGE)];
  return ((last as number) - (first as number)) / (CALLS - PAGE - SETTLED);
}

test('an export keeps little more of a call than its id', async () => {
  const outcome = await operator.run(['logs', 'export', '--out', 'calls.csv', '--concurrency', '1']);
  expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining(`${CALLS} calls written`) });
  expect(keptOfEach()).toBeLessThan(55);
});

test('results keep of a call what they tell of it', async () => {
  const rows = Array.from({ length: CONTACTS }, (_none, row) => `${numberOf(row)},crm-${row}\n`);
  writeFileSync(join(operator.home, 'c.csv'), `phone_number,custom_identifiers\n${rows.join('')}`);
  const create = ['campaign', 'create', '--name', 'Spring', '--agent', '4', '--from', '+14155550100', '--yes'];
  expect(await operator.run([...create, '--contacts', 'c.csv', '--retry-attempts', '20'])).toMatchObject({ code: 0 });
  const outcome = await operator.run(['campaign', 'results', '1', '--out', 'results.csv']);
  expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining(`${CONTACTS} contacts written`) });
  expect(keptOfEach()).toBeLessThan(180);
});

test('a table of results keeps of a row no more than it shows', async () => {
  const cells: WeakRef<object>[] = [];
  async function* results() {
    for (let row = 0; row < 500; row++) {
      const cell = { row };
      cells.push(new WeakRef(cell));
      const contact = { phone_number: numberOf(row) };
      const result = resultOf({ contact, cells: [] }, { state: 'waiting', calls: [], isAmbiguous: false }, []);
      yield { ...result, row: { note: cell } };
    }
  }
  const { context, written } = testContext({ flags: { fields: ['phone_number'] } });
  const draw = context.io.screen.bind(context.io);
  let most = 0;
  context.io.screen = async (text) => {
    await nextTurn();
    collect();
    most = Math.max(most, cells.filter((cell) => cell.deref() !== undefined).length);
    await draw(text);
  };
  const none = async function* () {};
  const shown = { madeFrom: [], of: {}, columns: ['note'], rows: none, results, asked: undefined };
  await showResults(shown, 'table', {}, context);
  expect((await written()).stdout.split('\n')).toHaveLength(500 + 2);
  expect(most).toBeLessThan(100);
});
