/** Answers with more items than a function can be given as arguments. */
import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../../support/http.ts';
import { Operator } from '../../support/program.ts';

const MANY = 130_000;

describe('more than may be arguments of a function', async () => {
  const numbered = <T>(make: (at: number) => T) => Array.from({ length: MANY }, (_none, at) => make(at));
  const wide = { call_id: 'wide', ...Object.fromEntries(numbered((at) => [`field_${at}`, at])) };
  const server = await startServer(({ path }, response) => {
    const body = path.endsWith('get-agents')
      ? { agents: numbered((agent_id) => ({ agent_id })), total: MANY }
      : { calls: [wide], total: 1 };
    sendJson(response, 200, { success: true, ...body });
  });
  const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
  const operator = new Operator({ env });

  test('agents of a page', async () => {
    const { code, stdout } = await operator.run(['agent', 'list', '--all', '-o', 'ids']);
    const lines = stdout.trimEnd().split('\n');
    expect([code, lines.length, lines.at(-1)]).toEqual([0, MANY, String(MANY - 1)]);
  });

  test('fields of a call', async () => {
    const { code, stdout } = await operator.run(['logs', 'show', 'wide', '-o', 'table']);
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, MANY + 1]);
  });
});
