/** What the completion scripts of shells are answered: one candidate a line, a tab, a description; and a line for the script. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { casesBeside } from '../../support/cases.ts';
import { sendJson, startServer } from '../../support/http.ts';
import { Operator, type RunOptions } from '../../support/program.ts';

const cases = casesBeside(import.meta.filename);
const KEY = 'sk-completion-key-0001';

interface Answer {
  values: string[];
  lines: string[];
  directive: string;
}

/** Completes the end of a line as bash asks for it. */
async function completed(operator: Operator, line: string, options: RunOptions = {}): Promise<Answer> {
  return asked(operator, ['bash', '--', line], options);
}

async function asked(operator: Operator, words: string[], options: RunOptions = {}): Promise<Answer> {
  const { code, stdout, stderr } = await operator.run(['complete', ...words], options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  const directive = lines.pop() ?? '';
  return { values: lines.map((text) => text.split('\t')[0] ?? ''), lines, directive };
}

/** The same, when the service has answered in time: a busy machine may need several tries. */
async function live(operator: Operator, line: string, options: RunOptions = {}): Promise<Answer> {
  for (let tries = 0; tries < 50; tries++) {
    const answer = await completed(operator, line, options);
    if (answer.lines.length > 0) return answer;
  }
  throw new Error(`nothing for ${line}`);
}

/** The file in which lists of a service are kept. */
function cacheOf({ home }: Operator): string {
  const folder = join(home, '.local/state/vagent/completion');
  return join(folder, readdirSync(folder)[0] ?? '');
}

function profiles(operator: Operator, config: object): void {
  const folder = join(operator.home, '.config/vagent');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}

describe.concurrent('what is completed', () => {
  const operator = new Operator();
  test.each(cases<[line: string, values: string[], isSome?: string]>('completed'))(
    '%s',
    async (line, values, isSome) => {
      const { values: found } = await completed(operator, line);
      expect(found).toEqual(isSome ? expect.arrayContaining(values) : values);
    },
  );

  test.each(cases<[string, string]>('files'))(
    '%s: whether names of files are wanted, and a space behind the value',
    async (line, directive) => {
      expect((await completed(operator, line)).directive).toBe(directive);
    },
  );
});

describe('the line as it was typed', () => {
  const operator = new Operator();
  const names = ["eve's:place", 'my $HOME `id` shop'];
  profiles(operator, { profiles: Object.fromEntries(names.map((name) => [name, { mode: 'local' }])) });

  test.each(cases<[shell: string, words: string[], value: string]>('as it was typed'))(
    '%s: %j',
    async (shell, words, expected) => {
      expect((await asked(operator, [shell, '--', ...words])).values).toEqual([expected]);
    },
  );
});

test('what is due does not happen', async () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  const create = 'campaign create --name Spring --agent 1 --from +14155550100 --contacts -'.split(' ');
  const input = 'phone_number,custom_first_line\n+14155550190,Hello\n+14155550191,Hello\n';
  await operator.run(create, { input });
  const root = join(operator.home, '.local/state/vagent/store/store.json');
  const before = readFileSync(root);
  const later = { frozenAt: '2999-01-01T00:00:00Z' };
  expect((await completed(operator, 'campaign status ', later)).lines).toEqual(['1\tSpring running']);
  expect((await completed(operator, 'logs show ', later)).values).toEqual([]);
  expect(readFileSync(root)).toEqual(before);
});

describe.concurrent('lists of a service', () => {
  async function service(agents: object[], { delay = 0 } = {}) {
    const pace = { delay };
    const server = await startServer(async (_request, response) => {
      if (pace.delay > 0) await sleep(pace.delay);
      sendJson(response, 200, { success: true, agents, total: agents.length });
    });
    const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: KEY };
    return { requests: server.received, env, url: server.url, pace };
  }

  const SOFIA = { agent_id: 4, agent_name: 'Sofia', status: 'active' };
  const LEO = { agent_id: 5, agent_name: 'Leo', status: 'paused' };

  test('are asked for once a minute, and kept without the key', async () => {
    const operator = new Operator();
    const { requests, env } = await service([SOFIA, LEO]);
    const at = (frozenAt: string) => live(operator, 'call --agent ', { env, frozenAt });
    const expected = ['4\tSofia', '5\tLeo (paused)'];
    expect((await at('2026-11-20T09:00:00Z')).lines).toEqual(expected);
    const asked = requests.length;
    expect((await at('2026-11-20T09:00:59Z')).lines).toEqual(expected);
    expect(requests).toHaveLength(asked);
    const file = cacheOf(operator);
    expect([dirname(file), file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
    expect((await at('2026-11-20T09:01:00Z')).lines).toEqual(expected);
    // On a busy machine it is asked after the list that was kept is shown.
    await vi.waitUntil(() => requests.length > asked, 30_000);
  });

  test('are kept for each service and organization', async () => {
    const operator = new Operator();
    const [one, other] = [await service([SOFIA]), await service([LEO])];
    const line = (url: string, org: number) => `--base-url ${url} --org ${org} call --agent `;
    const env = { VAGENT_API_KEY: KEY };
    expect((await live(operator, line(one.url, 1), { env })).values).toEqual(['4']);
    expect((await live(operator, line(other.url, 1), { env })).values).toEqual(['5']);
    const asked = one.requests.length;
    expect((await live(operator, line(one.url, 2), { env })).values).toEqual(['4']);
    expect(one.requests.length).toBeGreaterThan(asked);
  });

  test('a cache that is damaged is as good as none', async () => {
    const operator = new Operator();
    const { requests, env } = await service([SOFIA]);
    await live(operator, 'call --agent ', { env });
    writeFileSync(cacheOf(operator), '{"agents":{"at":');
    const asked = requests.length;
    expect((await live(operator, 'call --agent ', { env })).values).toEqual(['4']);
    expect(requests.length).toBeGreaterThan(asked);
  });

  test('a service that does not answer at once is not waited for; its list is there later', async () => {
    const operator = new Operator();
    const { requests, env } = await service([SOFIA], { delay: 500 });
    expect((await completed(operator, 'call --agent ', { env })).values).toEqual([]);
    expect((await completed(operator, 'call --agent ', { env })).values).toEqual([]);
    // Each completion asks, and a process that nobody waits for; that is started once.
    await vi.waitUntil(async () => (await completed(operator, 'call --agent ', { env })).values.includes('4'), 30_000);
    const asked = requests.length;
    expect((await completed(operator, 'call --agent ', { env })).values).toEqual(['4']);
    expect(requests).toHaveLength(asked);
  });

  test('a list that is older is better than none', async () => {
    const operator = new Operator();
    const { env, pace } = await service([SOFIA]);
    await live(operator, 'call --agent ', { env, frozenAt: '2026-11-20T09:00:00Z' });
    pace.delay = 1_000;
    const { values } = await completed(operator, 'call --agent ', { env, frozenAt: '2026-11-20T10:00:00Z' });
    expect(values).toEqual(['4']);
    // The process that asks once more ends after it has kept the answer.
    const keptAt = () => JSON.parse(readFileSync(cacheOf(operator), 'utf8')).lists.agents.at;
    await vi.waitUntil(() => keptAt() !== Date.parse('2026-11-20T09:00:00Z'), 30_000);
  });

  test('keys, and what acts on a terminal, are taken out of descriptions; a value with it is not offered', async () => {
    const { env } = await service([
      { agent_id: 4, agent_name: `\u001b[2JSo\tfia\n\u0007${KEY}`, status: 'active' },
      { agent_id: '\u001b]0;x', agent_name: 'Mallory', status: 'active' },
      { agent_id: 'a\nb', agent_name: 'Mallory', status: 'active' },
      { agent_name: 'without an id' },
    ]);
    const { lines } = await live(new Operator(), 'call --agent ', { env });
    expect(lines).toEqual([expect.stringMatching(/^4\t \[2JSo fia {2}<API_KEY>$/)]);
  });

  test('a command that prints the key is not run', async () => {
    const operator = new Operator();
    const { url, requests } = await service([SOFIA]);
    const ran = join(operator.home, 'ran');
    const work = { mode: 'remote', base_url: url, organization_id: 7, api_key_command: `touch ${ran}; echo ${KEY}` };
    profiles(operator, { active: 'work', profiles: { work } });
    expect((await completed(operator, 'call --agent ')).values).toEqual([]);
    expect(existsSync(ran)).toBe(false);
    expect(requests).toEqual([]);
  });

  test('numbers and campaigns are those of the profile and the register', async () => {
    const operator = new Operator();
    const calls = [{ call_id: 'c-1', call_from: '+14155550111', called_to: '+14155550190' }];
    const created = { campaign_id: 31, campaign_name: 'Autumn', status: 'running', total_contacts: 1 };
    const server = await startServer((_request, response) =>
      sendJson(response, 200, { success: true, agents: [SOFIA], calls, total: 1, ...created }),
    );
    const work = { mode: 'remote', base_url: server.url, organization_id: 7, api_key: KEY, from: '+14155550112' };
    profiles(operator, { active: 'work', profiles: { work } });
    const create = ['campaign', 'create', '--name', 'Autumn', '--agent', '4', '--from', '+14155550113', '--yes'];
    const input = 'phone_number,custom_first_line\n+14155550190,Hello\n';
    expect((await operator.run([...create, '--contacts', '-'], { input })).code).toBe(0);
    expect((await completed(operator, 'campaign status ')).lines).toEqual(['31\tAutumn']);
    const { values } = await live(operator, 'call --from ');
    expect(values).toEqual(['+14155550112', '+14155550113', '+14155550111']);
    expect((await live(operator, 'logs show ')).values).toEqual(['c-1']);
  });
});
