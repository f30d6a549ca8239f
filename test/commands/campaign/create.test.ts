import { describe, expect, test } from 'vitest';
import { setUp } from '../../support/calling-service.ts';
import { casesBeside } from '../../support/cases.ts';
import { sendJson, startServer } from '../../support/http.ts';
import { Operator } from '../../support/program.ts';
import { UnderWay } from '../../support/under-way.ts';

const cases = casesBeside(import.meta.filename);
const CONTACTS = 'phone_number\n+14155550190\n+14155550191\n';
const CREATE = ['campaign', 'create', '--name', 'Spring', '--from', '+14155550100', '--contacts', '-'];
const CALL = ['call', '+14155550190', '--agent', '3', '--from', '+14155550100', '--first-line', 'Hi'];

interface Answered {
  status?: number;
  body?: string;
}

/** A service whose agents come page by page, or which answers otherwise. */
async function withAgents(pages: object[][], { status = 200, body }: Answered = {}) {
  const total = pages.flat().length;
  const server = await startServer(({ path, query, method }, response) => {
    if (method === 'POST') return sendJson(response, 200, { success: true, campaign_id: 9 });
    if (!path.endsWith('/get-agents') || status !== 200) return sendJson(response, status, { message: 'Not now.' });
    if (body !== undefined) return void response.end(body);
    const offset = Number(query.get('offset') ?? 0);
    let from = 0;
    const page = pages.find((agents) => {
      const isHere = from === offset;
      from += agents.length;
      return isHere;
    });
    sendJson(response, 200, { success: true, agents: page ?? [], total });
  });
  const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'a-key-of-7' };
  const posts = () => server.received.filter(({ method }) => method === 'POST').length;
  return { operator: new Operator({ env }), posts };
}

describe.concurrent('the agent of a campaign is looked up before it is sent', async () => {
  type Case = [name: string, pages: (object | number)[][], code: number, says: RegExp, answer?: Answered];
  for (const [name, pages, code, says, answer] of cases<Case>(
    'the agent of a campaign is looked up before it is sent',
  )) {
    const { operator, posts } = await withAgents(
      pages.map((page) => page.flatMap(othersIn)),
      answer,
    );
    const create = [...CREATE, '--agent', '3', '--yes'];
    test(`${name}: exit ${code}, ${code === 0 ? 'sent' : 'nothing sent'}`, async () => {
      const plain = await operator.run(create, { input: CONTACTS });
      expect(plain.stderr).toMatch(says);
      expect({ code: plain.code, posts: posts() }).toEqual({ code, posts: code === 0 ? 1 : 0 });
      if (code === 0) return;
      const json = await operator.run([...create, '--json'], { input: CONTACTS });
      expect(JSON.parse(json.stderr)).toMatchObject({ error: { exit_code: code } });
    });
  }
});

/** An agent, or so many others. */
function othersIn(one: object | number): object[] {
  if (typeof one !== 'number') return [one];
  return Array.from({ length: one }, (_none, at) => ({ agent_id: at + 10, agent_name: `A${at}`, status: 'active' }));
}

describe.concurrent('before anything is sent, the service and the organization are named', async () => {
  const named = (what: string) =>
    new RegExp(`^${what} goes to http://127\\.0\\.0\\.1:\\d+/api, organization 7\\.$`, 'm');
  const commands: Record<string, { args: string[]; says: RegExp }> = {
    call: { args: CALL, says: named('The call to \\+14155550190') },
    'campaign create': { args: [...CREATE, '--agent', '3', '--yes'], says: named('Campaign "Spring"') },
    'api trigger-call': {
      args: [
        ...['api', 'trigger-call', 'use_agent_id=3', 'called_to=+14155550190', 'call_from=+14155550100'],
        ...['custom_first_line=Hi', 'custom_identifiers='],
      ],
      says: named('The call to \\+14155550190'),
    },
  };
  for (const [name, { args, says }] of Object.entries(commands)) {
    describe(name, async () => {
      const { operator, next } = await setUp();
      test('while it is not answered yet', async () => {
        next.behaviour = 'hangs';
        const command = UnderWay.here(operator, args, { input: CONTACTS });
        await command.says(says);
        await command.interrupt();
      });
    });
  }

  const { operator, next } = await setUp();
  test('not with --quiet, and where errors are JSON they stand alone', async () => {
    expect(await operator.run([...CALL, '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    expect(await operator.run([...CALL, '--json'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/goes to/),
    });
    next.behaviour = 'refuses';
    const { stderr } = await operator.run([...CALL, '--json']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { exit_code: 6 } });
    expect(await operator.run([...CALL, '--local', '--agent', '1'])).toMatchObject({ code: 0, stderr: '' });
  });
});
