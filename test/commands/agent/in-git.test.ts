/** Agents as files, as a real service shows them; those of the local engine are in `in-git.session`. */
import { describe, expect, test } from 'vitest';
import { type Answer, sendJson } from '../../support/http.ts';
import { shopOf } from '../../support/shop.ts';

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
