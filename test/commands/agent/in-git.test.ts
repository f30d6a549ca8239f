/** Agents as files: shown, exported, and created from what was exported. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Answer, sendJson } from '../../support/http.ts';
import { Operator } from '../../support/program.ts';
import { shopOf } from '../../support/shop.ts';

const LOCAL = { VAGENT_LOCAL: '1' };
const PROMPT = `You answer the calls of a clinic.\nBe brief, and never promise a time.\n\n${'Ask twice. '.repeat(20).trim()}`;

describe('on the local engine', () => {
  test('what is exported, created and exported again is the same, byte for byte', async () => {
    const operator = new Operator({ env: LOCAL });
    const given = ['--name', 'Ünïcode "desk"', '--prompt', PROMPT, '--voice', '3', '--language', 'es'];
    const rest = ['--description', 'tab\there', '--greeting', 'Hello.', '--goal', 'qualify_lead'];
    expect((await operator.run(['agent', 'create', ...given, ...rest])).code).toBe(0);
    for (const [id, created] of [
      [1, 3],
      [2, 4],
    ]) {
      const file = join(operator.home, `${id}.json`);
      const exported = await operator.run(['agent', 'export', `${id}`, '--out', file]);
      expect(exported).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringContaining(`1 agent written to ${file}.`),
      });
      const answer = await operator.run(['agent', 'create', '--input', file, '--json']);
      expect(JSON.parse(answer.stdout)).toMatchObject({ agent_id: created });
      const again = await operator.run(['agent', 'export', `${created}`]);
      expect(again.stdout).toBe(readFileSync(file, 'utf8'));
      expect(again.stdout).toMatch(/^\{\n {2}"agent_name": /);
      expect(again.stdout.endsWith('}\n')).toBe(true);
    }
    const piped = await operator.run(['agent', 'export', '2']);
    const fromPipe = await operator.run(['agent', 'create', '--input', '-', '--name', 'Other', '--json'], {
      input: piped.stdout,
    });
    expect(JSON.parse(fromPipe.stdout)).toMatchObject({ agent_name: 'Other' });
    const all = JSON.parse((await operator.run(['agent', 'export'])).stdout);
    expect(all.map(({ agent_name }: { agent_name: string }) => agent_name).slice(1)).toEqual([
      'Ünïcode "desk"',
      'Demo Agent',
      'Ünïcode "desk"',
      'Other',
    ]);
    expect(all[1]).toEqual(JSON.parse(piped.stdout));
  });

  test('show lays the instructions out for a person, and gives programs all fields', async () => {
    const operator = new Operator({ env: LOCAL });
    await operator.run(['agent', 'create', '--name', 'Desk', '--prompt', PROMPT, '--voice', '3']);
    const json = JSON.parse((await operator.run(['agent', 'show', '2', '--json'])).stdout);
    expect(json).toMatchObject({ agent_id: 2, agent_name: 'Desk', base_prompt: PROMPT, status: 'active' });
    const person = await operator.run(['agent', 'show', '2'], { isTerminal: true, columns: 40 });
    expect(person.stdout).toContain(
      '\n\nYou answer the calls of a clinic.\nBe brief, and never promise a time.\n\nAsk twice.',
    );
    const instructions = person.stdout.slice(person.stdout.indexOf('\n\n')).split('\n');
    expect(Math.max(...instructions.map((line) => line.length))).toBeLessThanOrEqual(40);
    const ids = await operator.run(['agent', 'show', '2', '-o', 'ids']);
    expect(ids.stdout).toBe('2\n');
  });
});

test('a list in a file is refused, with the command that takes its first', async () => {
  const operator = new Operator({ env: LOCAL });
  const file = join(operator.home, 'agent.json');
  writeFileSync(file, '[{"agent_name": "A"}]');
  const { code, stderr } = await operator.run(['agent', 'create', '--input', file]);
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(`jq '.[0]' ${file} | vagent agent`) });
});

test('what a file leaves out is missing, unless a flag gives it', async () => {
  const operator = new Operator({ env: LOCAL });
  const file = join(operator.home, 'agent.json');
  writeFileSync(file, '{"agent_name": "A", "greeting": null}');
  const missing = await operator.run(['agent', 'create', '--input', file]);
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Missing: --prompt or --prompt-file, --voice.'),
  });
  const given = await operator.run(['agent', 'create', '--input', file, '--prompt', 'Be brief.', '--voice', '1']);
  expect(given.code).toBe(0);
});

describe('on a real service', () => {
  const LISTED = { agent_id: 4, agent_name: 'Front desk', status: 'active', voice_id: 3, language: 'en' };
  const OTHER = { ...LISTED, agent_id: 5, agent_name: 'Recall', agent_description: '' };

  async function serviceWith(answer: object) {
    const listing: Answer = ({ path }, response) => sendJson(response, path === '/get-agents' ? 200 : 500, answer);
    return (await shopOf(listing)).operator;
  }

  test('export leaves out what the service does not show, and says it', async () => {
    const operator = await serviceWith({ success: true, agents: [LISTED, OTHER], total: 2 });
    const { code, stdout, stderr } = await operator.run(['agent', 'export', '4']);
    expect({ code, agent: JSON.parse(stdout) }).toEqual({
      code: 0,
      agent: { agent_name: 'Front desk', voice_id: 3, language: 'en' },
    });
    expect(stderr).toContain(
      'the service does not show agent_description, base_prompt, greeting, conversation_goal. ' +
        'An agent cannot be created without base_prompt: add it.\n',
    );
    const all = await operator.run(['agent', 'export']);
    expect(JSON.parse(all.stdout)).toHaveLength(2);
    const shown = await operator.run(['agent', 'show', '5', '--json']);
    expect(JSON.parse(shown.stdout)).toEqual(OTHER);
    expect(shown.stderr).toContain('The service does not show base_prompt, greeting, conversation_goal.\n');
  });

  test('a service that shows more is believed', async () => {
    const texts = { base_prompt: 'Be brief.', greeting: 'Hi.', conversation_goal: '', agent_description: '' };
    const agent = { ...LISTED, ...texts };
    const operator = await serviceWith({ success: true, agents: [agent], total: 1 });
    const { stdout, stderr } = await operator.run(['agent', 'export', '4']);
    expect(JSON.parse(stdout)).toMatchObject({ base_prompt: 'Be brief.', greeting: 'Hi.' });
    expect(stderr).not.toContain('does not show');
  });

  test('a list that ends too early is no list of all agents', async () => {
    const operator = await serviceWith({ success: true, agents: [LISTED], total: 3 });
    const { code, stderr } = await operator.run(['agent', 'export']);
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining('shows 1 of its 3 agents') });
  });
});

test.each(['-o csv', '--fields agent_name'])('agent export %s is refused', async (flags) => {
  const { code, stderr } = await new Operator({ env: LOCAL }).run(['agent', 'export', ...flags.split(' ')]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('An agent is exported as JSON') });
});
