/**
 * Answers that are not quite as documented: one odd field costs nobody the page, what is shown is what came, and only what
 * could be taken for something else is refused, by name.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { casesBeside } from '../../support/cases.ts';
import { aCall, type LogCall } from '../../support/hostile-log.ts';
import { type Answer, sendJson, startServer } from '../../support/http.ts';
import { Operator } from '../../support/program.ts';

const cases = casesBeside(import.meta.filename);
const KEY = 'key-of-tests';

async function operatorAt(answer: Answer): Promise<Operator> {
  const { url } = await startServer(answer);
  return new Operator({ env: { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: KEY } });
}

/** `body` is sent as it stands: what matters is how a number is written. */
const answering = (body: string) =>
  operatorAt((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });

// One odd field ---------------------------------------------------------------------------------------------------------

const turns = [{ text: 'Hello, "you".' }, { text: 'Card 4111111111111111.' }];

/** As the service sends them, by their fields, as JSON. */
const ODD = cases<[field: string, sent: string]>('an odd field');

/** The cell of a CSV. */
function cellOf(sent: unknown): string {
  if (typeof sent === 'object' && sent !== null) return JSON.stringify(sent);
  return sent === null || sent === undefined ? '' : String(sent);
}

const oddFields = ODD.flatMap(([field, all]) =>
  [...JSON.parse(all), ...(field === 'recording_url' ? [undefined] : [])].map((sent) => ({
    field,
    sent,
    cell: cellOf(sent),
  })),
);

const idOf = (at: number) => `call_${at}`;

function oddCalls(): LogCall[] {
  return oddFields.map(({ field, sent }, at) => aCall({ call_id: idOf(at), call_duration: 10, [field]: sent }));
}

describe('a page whose every call has an odd field', async () => {
  const calls = oddCalls();
  const operator = await operatorAt(({ query }, response) => {
    const shown = calls.slice(Number(query.get('offset') ?? 0));
    sendJson(response, 200, { success: true, calls: shown, total: calls.length, limit: shown.length, offset: 0 });
  });
  const listed = await operator.json<{ calls: LogCall[] }>(['logs', 'list']);
  const exported = await operator.run(['logs', 'export', '--format', 'csv']);
  const lines = await operator.run(['logs', 'export', '--format', 'ndjson']);
  const rows: Record<string, string>[] = parse(exported.stdout, { columns: true });
  const counted = await operator.run(['logs', 'stats', '--json', '--html', 'report.html']);

  for (const [at, { field, sent, cell }] of oddFields.entries()) {
    test(`${field} ${JSON.stringify(sent)} is shown as it came`, () => {
      const expected = JSON.parse(JSON.stringify(aCall({ call_id: idOf(at), call_duration: 10, [field]: sent })));
      expect(listed.calls[at]).toEqual(expected);
      expect(JSON.parse(lines.stdout.split('\n')[at] ?? '')).toEqual(expected);
      expect(rows[at]).toMatchObject({ call_id: idOf(at), [field]: cell });
    });
  }

  test('is counted, and what is no number or time is left out of those, and said', () => {
    const statistics = JSON.parse(counted.stdout);
    expect(counted.code).toBe(0);
    expect(statistics).toMatchObject({
      calls: oddFields.length,
      by_status: { completed: oddFields.length - 3, '3': 1, true: 1, ringing: 1 },
      by_outcome: { lead_qualified: oddFields.length - 3, '0': 1, false: 1, '{"label":"lead"}': 1 },
      duration: { p50: 10, max: 42 },
      talk_seconds: 42 + 12.5 + 12.5 + (oddFields.length - 3 - 8) * 10,
      without_duration: 5,
      without_time: 4,
    });
    expect(statistics.by_agent.map(({ agent_id }: { agent_id: unknown }) => agent_id)).toEqual([
      3,
      null,
      -7,
      7,
      '007',
      'agt_7',
    ]);
    expect(counted.stderr).toContain('4 calls without a time that can be read: counted, but in no day and hour.');
    expect(counted.stderr).toContain('5 calls completed without a duration that can be read');
    const report = readFileSync(join(operator.home, 'report.html'), 'utf8');
    expect(report).toContain('4 without a readable time');
    expect(report).toContain('agt_7');
  });

  test('is drawn', async () => {
    expect(await operator.run(['logs', 'stats', '-o', 'table'])).toMatchObject({ code: 0 });
  });

  describe.concurrent('shows one call', () => {
    for (const [at, { field, sent, cell }] of oddFields.entries()) {
      if (field !== 'transcript' && field !== 'timestamp') continue;
      test(`${field} ${JSON.stringify(sent)}`, async () => {
        expect(await operator.json(['logs', 'show', idOf(at)])).toMatchObject({ call_id: idOf(at), [field]: sent });
        const { code, stdout } = await operator.run(['logs', 'show', idOf(at), '-o', 'table']);
        expect(code).toBe(0);
        expect(stdout).toContain(cell);
      });
    }
  });

  const found = async (...flags: string[]) => {
    const { stdout } = await operator.run(['logs', 'list', ...flags, '-o', 'ids']);
    return stdout
      .trim()
      .split('\n')
      .map((id) => oddFields[Number(id.slice('call_'.length))]?.sent);
  };

  describe.concurrent('is filtered', () => {
    test('by a status that is a number', async () => expect(await found('--status', '3')).toEqual([3]));
    test('by an outcome that is false', async () => expect(await found('--outcome', 'false')).toEqual([false]));
    test('by a number that came without its plus', async () => {
      expect(await found('--to', '+14155550123', '--limit', '7')).toContain(14155550123);
    });
    test('by what is said in a list of turns', async () => {
      expect(await found('--search', 'hello, \\"YOU')).toEqual([turns]);
    });
    test('by time, where none is lost whose time cannot be read', async () => {
      const frozen = { frozenAt: '2027-01-01T00:00:00Z' };
      const { code, stdout } = await operator.run(['logs', 'list', '--since', '1d', '-o', 'ids'], frozen);
      const unreadable = oddFields.flatMap(({ field }, at) => (field === 'timestamp' ? [idOf(at)] : []));
      expect({ code, ids: stdout.trim().split('\n') }).toEqual({ code: 0, ids: unreadable });
    });
  });

  test.each(['ndjson', 'csv'])('is kept in a file of %s, each call once', async (format) => {
    const sync = () => operator.run(['logs', 'sync', '--out', `calls.${format}`]);
    expect((await sync()).stderr).toContain(`${oddFields.length} new calls added`);
    expect((await sync()).stderr).toContain('0 new calls added');
  });
});

describe('numbers that a double would round', async () => {
  const operator = await answering(`{"success": true, "total": 2, "calls": [
    {"call_id": "900719925474099312345", "agent_id": 9007199254740991},
    {"call_id": 12, "invoice": 9007199254740993}]}`);
  test('are exact where they are identifiers, and nowhere shown as another number', async () => {
    const { stdout } = await operator.run(['logs', 'list', '--fields', 'call_id,agent_id']);
    expect(stdout).toBe('900719925474099312345\t9007199254740991\n12\t\n');
    expect((await operator.run(['logs', 'list', '--json'])).stdout).not.toContain('9007199254740992');
  });
});

describe('fields that every object of JavaScript has', async () => {
  const calls = [aCall({ constructor: 5, toString: 'a' }), aCall({ call_id: 'call_2' })];
  const operator = await operatorAt((_request, response) =>
    sendJson(response, 200, { success: true, calls, total: 2 }),
  );
  test('are empty cells where a call lacks them', async () => {
    expect(await operator.run(['logs', 'export', '--columns', 'all', '--out', 'all.csv'])).toMatchObject({ code: 0 });
    const [header, ...rows]: string[][] = parse(readFileSync(join(operator.home, 'all.csv')));
    expect([header, ...rows].map((row) => row?.slice(-2))).toEqual([
      ['constructor', 'toString'],
      ['5', 'a'],
      ['', ''],
    ]);
  });
});

// Odd answers -----------------------------------------------------------------------------------------------------------

describe.concurrent('a page that is odd around its calls', () => {
  for (const [name, json] of cases<[string, string]>('a page that is odd around its calls')) {
    const rest: object = JSON.parse(json);
    describe(name, async () => {
      const operator = await operatorAt(({ query }, response) => {
        const calls = query.get('offset') === '0' || !query.has('offset') ? [aCall()] : [];
        sendJson(response, 200, { success: true, calls, ...rest });
      });
      test('is shown, and read to its end', async () => {
        expect(await operator.json(['logs', 'list'])).toEqual({ success: true, calls: [aCall()], ...rest });
        const { code, stdout } = await operator.run(['logs', 'export', '--format', 'ndjson']);
        expect({ code, call: JSON.parse(stdout) }).toEqual({ code: 0, call: aCall() });
      });
    });
  }
});

describe.concurrent('lists with odd items', () => {
  type List = [key: string, items: string, ids: string];
  for (const [key, json, ids] of cases<List>('lists with odd items')) {
    const items = JSON.parse(json);
    const args = [key.slice(0, -1), 'list'];
    describe(key, async () => {
      const operator = await operatorAt((_request, response) =>
        sendJson(response, 200, { success: true, [key]: items }),
      );
      test('are shown as they came', async () => {
        expect(await operator.json(args)).toEqual({ success: true, [key]: items });
        expect(await operator.run([...args, '-o', 'ids'])).toMatchObject({ code: 0, stdout: ids });
        expect(await operator.run([...args, '-o', 'table'])).toMatchObject({ code: 0 });
      });
    });
  }

  describe('agents without an id on every page, and no total', async () => {
    const agents = [{ agent_id: null, agent_name: 'Ava' }, { agent_name: 'Ben' }];
    const operator = await operatorAt((_request, response) => sendJson(response, 200, { success: true, agents }));
    test('come to an end', async () => {
      expect(await operator.json(['agent', 'list', '--all'])).toMatchObject({ agents });
    });
  });
});

const CALL = ['call', '+14155550123', '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
const CAMPAIGN = [
  ...['api', 'create-campaign', 'campaign_name=x', 'agent_id=3', 'call_from=+14155550100'],
  'contacts=[{"phone_number":"+14155550123"}]',
];
const ARGS: Record<string, string[]> = { call: CALL, campaign: CAMPAIGN };
const input = 'phone_number\n+14155550123\n';

describe.concurrent('what a POST made, told oddly', () => {
  for (const [name, what, json] of cases<[string, string, string]>('what a POST made')) {
    const args = ARGS[what] ?? ['agent', 'create', '--name', 'a', '--prompt', 'b', '--voice', '1'];
    const rest: object = JSON.parse(json);
    const answer = { success: true, ...rest };
    describe(name, async () => {
      const operator = await operatorAt((_request, response) => sendJson(response, 200, answer));
      test('is shown', async () => {
        expect(await operator.json(args, { input })).toEqual(answer);
      });
    });
  }
});

describe('a call that is waited for', async () => {
  const entry = { call_id: 'c9', called_to: 14155550123, call_from: 14155550100, timestamp: 1795165200 };
  const odd = { ...aCall(entry), agent_id: '3', call_duration: 4.5, transcript: turns };
  let isPlaced = false;
  const operator = await operatorAt(({ method }, response) => {
    isPlaced ||= method === 'POST';
    sendJson(response, 200, method === 'POST' ? { success: true } : { success: true, calls: isPlaced ? [odd] : [] });
  });
  test('is known by its numbers, and over with a list of turns', async () => {
    expect(await operator.json([...CALL, '--wait', '--wait-timeout', '20s'])).toEqual(odd);
  });
});

// What is refused -------------------------------------------------------------------------------------------------------

type Refused = [name: string, operation: string, code: number, body: string, says: string];
const refusals: Refused[] = [
  ...cases<Refused>('refused'),
  [
    'what is nested without end',
    ...(['logs', 7] as const),
    `{"success": true, "calls": [{"x": ${'['.repeat(1e5)}${']'.repeat(1e5)}}]}`,
    'but not as the interface says',
  ],
];
describe.concurrent('refused by name', () => {
  for (const [name, operation, code, body, says] of refusals) {
    describe(name, async () => {
      const operator = await answering(body);
      test(`exit ${code}: ${says}`, async () => {
        const outcome = await operator.run(ARGS[operation] ?? [operation, 'list'], { input });
        expect(outcome).toMatchObject({ code, stdout: '' });
        expect(outcome.stderr).toContain(says);
        expect(outcome.stderr).not.toContain(KEY);
      });
    });
  }
});
