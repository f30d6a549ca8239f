/**
 * What is shown is what the service sent: the same fields in the same order, of the same types, to the digit. Whatever the
 * program reads out of it, integers in texts for one, shows nowhere. Blank texts go out as they were given, too.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { startServer } from '../support/http.ts';
import { Operator } from '../support/program.ts';

/** The parts of a text of JSON, so that only spaces between them and the spelling of its strings may differ. */
function partsOf(json: string): string[] {
  const parts = json.match(/"(?:\\.|[^"\\])*"|[^\s,:[\]{}"]+|[[\]{},:]/g) ?? [];
  return parts.map((part) => (part.startsWith('"') ? JSON.stringify(JSON.parse(part)) : part));
}

/** What JavaScript would change: digits, the order of names, a name that means something to it. */
const ODD = [
  String.raw`"zeta": 1.10, "10": 12345678901234567890, "2": -0, "caf\u00e9": "\u001b[2J\/\ud83d\ude00", "e": 1E400`,
  '"f": [35.0, 1e5, {"9": 0.10, "1": null}], "__proto__": {"a": 1.0}, "empty": {}, "none": []',
].join(', ');
const ENDED = '"call_id": "c1", "agent_id": "7", "timestamp": "2026-11-20T09:00:00Z", "call_status": "completed"';
const CALL_1 = `{"transcript": "It is 1.10.", "call_duration": "42", ${ODD}, ${ENDED}}`;
const CALL_2 =
  '{"call_id": 17, "agent_id": 7.0, "call_duration": 35.0, "note": null, ' +
  '"timestamp": 1795165200.0, "call_status": "busy"}';

/** One answer that pleases every operation. */
const BODY = `{ ${ODD.replace('"zeta"', '"alpha"')},
  "voices": [{"voice_name": "Ava", "voice_id": "2", ${ODD}}],
  "agents": [{"status": "active", "agent_id": "3", ${ODD}}, {"agent_name": "Ben", "agent_id": 4.0}],
  "calls": [${CALL_1}, ${CALL_2}],
  "offset": "0", "total": "2", "limit": 2.0,
  "campaign_id": "9", "agent_id": "3", "room_name": 5, "total_contacts": "1", "success": true }`;

async function operatorAt(bodyOf: (offset: number, path: string) => string) {
  const { url, received } = await startServer(({ query, path }, response) => {
    const body = bodyOf(Number(query.get('offset') ?? 0), path);
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const operator = new Operator({ env: { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' } });
  return { operator, received };
}

const CALL = ['call', '+14155550123', '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.', '--force'];
const CAMPAIGN = ['campaign', 'create', '--name', 'x', '--agent', '3', '--from', '+14155550100', '--contacts', '-'];
const AGENT = ['agent', 'create', '--name', 'Ana', '--prompt', 'Be brief.', '--voice', '2'];

describe.concurrent('--json is the body of the answer', () => {
  test.each([
    ...['voice list', 'agent list', 'logs list', 'api get-voices', 'api get-call-logs', 'api get-agents'].map(
      (words) => [words.split(' ')],
    ),
    [['api', 'create-agent', 'agent_name=Ana', 'base_prompt=Be brief.', 'voice_id=2']],
    ...[[CALL], [[...CAMPAIGN, '--yes', '--again', '--force']], [AGENT]],
  ])('%j', async (args) => {
    const { operator } = await operatorAt(() => BODY);
    const input = 'phone_number\n+14155550123\n';
    const { code, stdout, stderr } = await operator.run([...args, '--json'], { input });
    expect(code, stderr).toBe(0);
    expect(partsOf(stdout)).toEqual(partsOf(BODY));
  });
});

describe.concurrent('several pages', async () => {
  const page = (calls: string, rest: string) =>
    `{"meta": {"2": 1.0, "1": 2}, "total": "2", "calls": [${calls}], ${rest}, "success": true}`;
  const log = (offset: number) =>
    offset > 1 ? page('', '"page": 3.0') : page(offset === 0 ? CALL_1 : CALL_2, `"page": ${offset + 1}.0`);
  const agents = (offset: number) => {
    const [agent = ''] = ['{"agent_name": "Ava", "agent_id": "1", "cost": 0.10}', '{"agent_id": 2.0}'].slice(offset);
    return `{"total": 2, "agents": [${agent}], "success": true}`;
  };
  const { operator } = await operatorAt((offset, path) => (path === '/get-agents' ? agents(offset) : log(offset)));

  const [first = '', second = ''] = [CALL_1, CALL_2].map((call) => partsOf(call).join(''));
  const columns = '--no-header --fields call_id,call_duration,agent_id,zeta';
  test.each([
    ['logs export --format ndjson', `${first}\n${second}\n`],
    ['logs list --all -o ndjson', `${first}\n${second}\n`],
    ['logs export --format json', `[\n${first},\n${second}\n]\n`],
    [`logs list --all -o tsv ${columns}`, 'c1\t42\t7\t1.10\n17\t35.0\t7.0\t\n'],
    [`logs list --all -o csv ${columns}`, 'c1,42,7,1.10\r\n17,35.0,7.0,\r\n'],
    [
      'logs list --all -o ndjson --fields 10,zeta,2',
      '{"10":12345678901234567890,"zeta":1.10,"2":-0}\n{"10":null,"zeta":null,"2":null}\n',
    ],
  ])('%s: each call as it came', async (line, shown) => {
    expect(await operator.run(line.split(' '))).toMatchObject({ code: 0, stdout: shown });
  });

  test.each([
    [
      'logs list',
      /^\{"meta":\{"2":1\.0,"1":2\},"total":2,"calls":\[$/,
      `${first},${second}`,
      /^\],"page":\d\.0,"success":true,"limit":2,"offset":0\}$/,
    ],
    [
      'agent list',
      /^\{"total":2,"agents":\[$/,
      '{"agent_name":"Ava","agent_id":"1","cost":0.10},{"agent_id":2.0}',
      /^\],"success":true,"limit":2,"offset":0\}$/,
    ],
  ])('%s --all --json: one document, its fields where the service has them', async (line, begins, items, ends) => {
    const { stdout } = await operator.run([...line.split(' '), '--all', '--json']);
    const [before, after] = partsOf(stdout).join('').split(items);
    expect(before).toMatch(begins);
    expect(after).toMatch(ends);
  });

  test('logs export as CSV with all columns: every digit, also of what is below', async () => {
    const out = join(operator.home, 'all.csv');
    const { code, stderr } = await operator.run(['logs', 'export', '--columns', 'all', '--out', out]);
    expect(code, stderr).toBe(0);
    const [one, other] = parse(readFileSync(out), { columns: true }) as Record<string, string>[];
    expect(one).toMatchObject({
      ...{ call_duration: '42', agent_id: '7', zeta: '1.10', 10: '12345678901234567890', 2: '-0', e: '1E400' },
      f: '[35.0,1e5,{"9":0.10,"1":null}]',
    });
    expect(other).toMatchObject({ call_id: '17', agent_id: '7.0', call_duration: '35.0', timestamp: '1795165200.0' });
  });

  test('logs sync: each call as it came, and known again', async () => {
    const out = join(operator.home, 'calls.ndjson');
    for (const added of [2, 0]) {
      const { code, stderr } = await operator.run(['logs', 'sync', '--out', out]);
      expect(code, stderr).toBe(0);
      expect(stderr).toContain(`${added} new calls`);
    }
    const written = readFileSync(out, 'utf8').trim().split('\n');
    expect(written.sort()).toEqual([first, second].sort());
  });

  test('are gone by as the numbers that they are', async () => {
    const { stdout } = await operator.run(['logs', 'stats', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ calls: 2, talk_seconds: 42, by_agent: [{ agent_id: 7, calls: 2 }] });
  });
});

describe.concurrent('a field that nobody documented', () => {
  const beyond = ['12345678901234567890', '-9007199254740993', '1e999', '123456789012345678901234567890.10'];
  test.each(beyond)('%s makes no answer unreadable, also to a POST', async (number) => {
    const body = `{"success": true, "calls": [{"call_id": "c1", "deep": [{"deal": ${number}}]}], "score": ${number}}`;
    const { operator } = await operatorAt(() => body);
    for (const args of [['logs', 'list'], CALL]) {
      const { code, stdout, stderr } = await operator.run([...args, '--json']);
      expect(code, stderr).toBe(0);
      expect(partsOf(stdout)).toEqual(partsOf(body));
    }
  });

  test('is masked where it holds a key of digits, and the rest stays as it came', async () => {
    const { operator } = await operatorAt(
      () => '{"success": true, "voices": [{"voice_id": 1, "10": 1.10, "2": 123456789012345678}]}',
    );
    const env = { VAGENT_API_KEY: '123456789012345678' };
    const { stdout } = await operator.run(['voice', 'list', '--json'], { env });
    expect(partsOf(stdout).join('')).toBe('{"success":true,"voices":[{"voice_id":1,"10":1.10,"2":"<API_KEY>"}]}');
  });
});

describe.concurrent('a blank text', () => {
  const answer = () => '{"success": true, "agent_id": 1, "voices": []}';
  const blank = [' ', ''];
  const optional = blank.flatMap((text): [args: string[], sent: Record<string, string>][] => [
    [
      [...AGENT, '--language', text, '--description', text, '--greeting', text, '--goal', text],
      { language: text, agent_description: text, greeting: text, conversation_goal: text },
    ],
    [
      [...CALL, '--instruction', text, '--identifier', text, '--account', text],
      { custom_instruction: text, custom_identifiers: text, called_by_account: text },
    ],
    [['api', 'create-agent', 'agent_name=a', 'base_prompt=b', 'voice_id=1', `language=${text}`], { language: text }],
  ]);
  test.each(optional)('that is optional goes out as it was given: %j', async (args, fields) => {
    const served = await operatorAt(answer);
    const { code, stderr } = await served.operator.run(args);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(served.received.at(-1)?.body ?? '')).toMatchObject(fields);
  });
  test.each([
    ['voice', 'list', '--language', ''],
    ['api', 'get-voices', 'language='],
  ])('and in a query: %s %s', async (...args) => {
    const served = await operatorAt(answer);
    expect(await served.operator.run(args)).toMatchObject({ code: 0 });
    expect(served.received.at(-1)?.query.toString()).toMatch(/&language=$/);
  });
});
