/** Keys and texts that were damaged on their way here are refused: nothing is sent that nobody wrote. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../support/http.ts';
import { Operator, type RunOptions } from '../support/program.ts';

const LATIN_1 = Buffer.from('Grüß Gott', 'latin1');

describe('a key that no service has', async () => {
  const server = await startServer((_request, response) => sendJson(response, 200, { success: true, voices: [] }));
  const operator = new Operator({ env: { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7' } });
  writeFileSync(join(operator.home, 'control'), 'sk-a\u0001bcdefgh');
  writeFileSync(join(operator.home, 'latin1'), LATIN_1.subarray(0, 4));
  writeFileSync(join(operator.home, 'long'), 'k'.repeat(1 << 17));
  const LIST = ['voice', 'list'];
  test.each<[what: string, args: string[], options: RunOptions]>([
    ['in a file, with a control character', [...LIST, '--api-key-file', 'control'], {}],
    ['in a file that is not UTF-8', [...LIST, '--api-key-file', 'latin1'], {}],
    ['in a file that is too long', [...LIST, '--api-key-file', 'long'], {}],
    ['in a file that never ends', [...LIST, '--api-key-file', '/dev/zero'], {}],
    ['piped', [...LIST, '--api-key-file', '-'], { input: 'sk-a\u001b[31mbcdef' }],
    ['in the environment', LIST, { env: { VAGENT_API_KEY: 'sk-a\u007fbcdefgh' } }],
    ['in the environment, not UTF-8', LIST, { env: { VAGENT_API_KEY: 'sk-a\ufffdbcdefgh' } }],
    ['for a profile', ['profile', 'add', 'x', '--api-key-file', 'control', '--base-url', server.url, '--org', '7'], {}],
  ])('%s: exit 4', async (_what, args, options) => {
    const { code, stderr } = await operator.run(args, options);
    expect(code, stderr).toBe(4);
    expect(stderr).not.toContain('bcdef');
    expect(server.received).toEqual([]);
  });
});

describe('a text that is not UTF-8', () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  writeFileSync(join(operator.home, 'prompt'), LATIN_1);
  const agent = ['agent', 'create', '--name', 'Ana', '--voice', '1'];
  const typed = LATIN_1.toString('utf8');
  test.each<[what: string, args: string[], options: RunOptions]>([
    ['of a flag', ['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', typed], {}],
    ['of a flag and its sign', [...agent, '--prompt', 'x', `--greeting=${typed}`], {}],
    ['of a field', ['api', 'create-agent', `agent_name=${typed}`, 'base_prompt=x', 'voice_id=1'], {}],
    ['in a file', [...agent, '--prompt-file', 'prompt'], {}],
    ['piped', [...agent, '--prompt-file', '-'], { input: LATIN_1 }],
    ['piped as JSON', ['api', 'create-agent', '--input', '-'], { input: LATIN_1 }],
  ])('%s: exit 3', async (_what, args, options) => {
    const { code, stderr } = await operator.run(args, options);
    expect(code, stderr).toBe(3);
    expect(stderr).toContain('not UTF-8');
  });
});
