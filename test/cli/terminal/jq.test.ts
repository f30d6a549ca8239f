/** `--jq`: what filters make of JSON as it was sent, when they are refused, and that nobody is called by a wrong one. */
import { expect, test, vi } from 'vitest';
import { sendJson } from '../../support/http.ts';
import { finished, Operator } from '../../support/program.ts';
import { shopOf } from '../../support/shop.ts';

const local = new Operator({ env: { VAGENT_LOCAL: '1' } });

/** A service whose answer is written by hand: JavaScript would round its numbers. */
async function serving(body: string) {
  return await shopOf((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
}

const CALLS = `{"success":true,"total":1,"limit":100,"offset":0,"calls":[{"call_id":"c1","big":12345678901234567890,
  "cost":1.10,"10":1,"2":2,"transcript":"Agent: Hi.\\n\\u001b[31m\\n"}]}`;

test('texts are raw, with every character; other values are JSON on a line', async () => {
  const { operator } = await serving(CALLS);
  const jq = async (filter: string) => (await operator.run(['logs', 'list', '--jq', filter])).stdout;
  expect(await jq('.calls[0].transcript')).toBe('Agent: Hi.\n\u001b[31m\n\n');
  expect(await jq('.total, .calls[0].call_id, null, [1], ""')).toBe('1\nc1\nnull\n[1]\n\n');
  expect(await jq('empty')).toBe('');
  expect(await jq('# only a comment\n .total')).toBe('1\n');
  expect(await jq('-1')).toBe('-1\n');
});

test('numbers beyond 2^53 pass as they are, and what is calculated with them is said to be rounded', async () => {
  const { operator } = await serving(CALLS);
  const plain = await operator.run(['logs', 'list', '--jq', '.calls[0] | .big, {big}, [.big] , (.big | tostring)']);
  const big = '12345678901234567890';
  expect(plain).toMatchObject({ code: 0, stdout: `${big}\n{"big":${big}}\n[${big}]\n${big}\n`, stderr: '' });
  const sum = await operator.run(['logs', 'list', '--jq', '.calls[0].big + 1']);
  expect(sum).toMatchObject({ code: 0, stdout: '12345678901234567000\n' });
  expect(sum.stderr).toContain('12345678901234567000 may be rounded');
});

test.each([
  ['.a b', /^vagent: --jq: syntax error, unexpected IDENT.* at column 4\.\n/],
  ['.[\n}', /^vagent: --jq: syntax error.* at line 2, column 1\.\n/],
  ['nope', /^vagent: --jq: nope\/0 is not defined at column 1\.\n/],
  ['import "x" as x; .', /^vagent: --jq: module not found: x\.\n/],
])('%s is refused before anything is sent', async (filter, says) => {
  const { operator, server } = await serving(CALLS);
  const call = ['call', '+14155550123', '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
  for (const args of [call, ['logs', 'list']]) {
    const { code, stdout, stderr } = await operator.run([...args, '--jq', filter]);
    expect(stderr).toMatch(says);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  }
  expect(server.received).toEqual([]);
});

test.each<[string[], RegExp]>([
  [['help', '--jq', '.'], /vagent help prints no JSON/],
  [['contacts', 'template', '--jq', '.'], /prints no JSON/],
  [['voice', 'list', '-o', 'csv', '--jq', '.'], /the output is csv/],
  [['logs', 'export', '--out', 'calls.json', '--jq', '.'], /not what is written to a file/],
  [['agent', 'export', '--out', 'agents.json', '--jq', '.'], /not what is written to a file/],
  [['voice', 'list', '--jq', '.voices.a'], /--jq: Cannot index array with .*a/],
])('%j: exit 2', async (args, says) => {
  const { code, stdout, stderr } = await local.run(args);
  expect(stderr).toMatch(says);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test('every kind of JSON passes through it: a list, a record, an export, and one value after the other', async () => {
  const jq = async (args: string[], filter: string) => (await local.run([...args, '--jq', filter])).stdout;
  expect(await jq(['voice', 'list'], '.voices | length > 5')).toBe('true\n');
  expect(await jq(['local', 'status'], '.balance | type')).toBe('number\n');
  expect(await jq(['agent', 'export', '1'], '.agent_name')).toBe('Demo Agent\n');
  expect(await jq(['logs', 'export'], 'length')).toBe('0\n');
  expect(await jq(['commands'], '.commands[] | select(.path == "logs list") | .operation')).toBe(
    'GET /get-call-logs\n',
  );
  const call = ['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hi.', '--wait'];
  expect(await jq(call, '.call_id')).toBe('call_0000000001\n');
});

test('a key that the service sends back is masked before the filter sees it', async () => {
  const { operator } = await shopOf(({ query }, response) => {
    sendJson(response, 200, { success: true, voices: [{ voice_id: 1, voice_name: query.get('api_key') }] });
  });
  const { stdout } = await operator.run([
    'voice',
    'list',
    '--jq',
    '.voices[0].voice_name | explode | implode, @base64',
  ]);
  expect(stdout).not.toContain('key-of-tests');
  expect(stdout).not.toContain(Buffer.from('key-of-tests').toString('base64'));
});

test('the environment of the program is not for a filter to see', async () => {
  expect((await local.run(['voice', 'list', '--jq', 'env | has("VAGENT_LOCAL")'])).stdout).toBe('false\n');
});

test('Ctrl-C ends a filter that would never end', async () => {
  const child = local.start(['voice', 'list', '--jq', 'last(repeat(1))']);
  const outcome = finished(child);
  await vi.waitFor(() => new Promise((resolve) => setTimeout(resolve, 1500)), { timeout: 5000 });
  child.kill('SIGINT');
  expect((await outcome).code).toBe(130);
});
