/**
 * Every command that asks, from its first question to its last, as a person types: at a pseudo-terminal of three widths, where what
 * the screen shows at the end is compared with stored screens (`test/screens/prompts`); and left at each of its questions.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../support/http.ts';
import { Operator, ROOT } from '../support/program.ts';
import { shownBy } from '../support/screen.ts';
import { CTRL_C, type Played, play, playHere, type Step } from '../support/terminal.ts';

const ENTER = '\r';
const DOWN = '\u001b[B';
/** Milliseconds in which a question of the same words takes the place of another. */
const SOON = 300;
const NOW = '2026-11-20T09:00:00Z';
const TO = '+14155550190';
const FROM = '+14155550100';
const KEY = 'typed-in-the-dark-4471';
const CONTACTS = `phone_number\n${TO}\n+14155550191\n`;
const CALL = ['call', TO, '--agent', '1', '--from', FROM, '--first-line', 'Hello.'];
const CAMPAIGN = ['campaign', 'create', '--agent', '1', '--from', FROM, '--contacts', 'contacts.csv'];
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;

const service = await startServer(({ path, query }, response) => {
  const isRight = path.startsWith('/get-') ? query.get('api_key') === KEY : true;
  if (!isRight) return sendJson(response, 401, { message: 'This key is not known.' });
  if (path === '/get-agents') {
    const agents = [
      { agent_id: 4, agent_name: 'Front desk', language: 'en', status: 'active' },
      { agent_id: 5, agent_name: 'Empfang \u001b[31m日本 👩‍💻', language: 'de', status: 'active' },
    ];
    return sendJson(response, 200, { success: true, agents, total: 2 });
  }
  const calls = [{ call_id: 'c1', call_from: FROM, called_to: TO, call_status: 'completed' }];
  return sendJson(response, 200, { success: true, calls, total: 1, limit: 1, offset: 0 });
});
const REMOTE = { VAGENT_LOCAL: '', VAGENT_BASE_URL: service.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: KEY };
const WORK = ['profile', 'add', 'work', '--base-url', service.url, '--org', '7', '--api-key-file', 'key.txt'];

interface Flow {
  name: string;
  args: string[];
  env?: Record<string, string>;
  before?: string[][];
  /** Each question, and the keys that answer it. A question that is answered wrongly comes again. */
  questions: [question: RegExp, ...keys: Step[]][];
}

const flows: Flow[] = [
  {
    name: 'call',
    args: ['call'],
    questions: [
      [/Number to call/, `list${ENTER}`, /E\.164/, '\u0015', `${TO}${ENTER}`],
      [/Agent/, ENTER],
      [/Number to call from/, `+4420${ENTER}`],
      [/First line/, `Hello, this is Ava of the Harbour Clinic.${ENTER}`],
      [/Instruction/, ENTER],
      [/Place this call on the local engine\?/, ENTER],
    ],
  },
  {
    name: 'call on a real service',
    args: ['call'],
    env: REMOTE,
    questions: [
      [/Number to call/, `${TO}${ENTER}`],
      [/Agent/, 'empf', ENTER],
      [/Number to call from/, DOWN, ENTER, () => sleep(SOON), `${FROM}${ENTER}`],
      [/First line/, `Hello.${ENTER}`],
      [/Instruction/, pasted('Offer a time.\rBe brief.'), ENTER],
      [/Call \+14155550190\?/, ENTER],
    ],
  },
  {
    name: 'agent create',
    args: ['agent', 'create'],
    questions: [
      [/Name of the agent/, `Recall${ENTER}`],
      [/Base instructions/, pasted('You are Ava.\rBe brief.'), ENTER],
      [/Voice/, 'hindi', ENTER],
      [/Create this agent\?/, ENTER],
    ],
  },
  {
    name: 'campaign create',
    args: ['campaign', 'create'],
    questions: [
      [/Name of the campaign/, `Spring${ENTER}`],
      [/Agent/, ENTER],
      [/Number to call from/, ENTER],
      [/CSV of contacts/, `nowhere${ENTER}`, /Cannot read/, '\u0015', `contacts${ENTER}`],
      [/Start/, `yesterday${ENTER}`, /not a time/, '\u0015', `2h${ENTER}`],
      [/Calls per hour/, `0${ENTER}`, /1 or more/, '\u0015', `30${ENTER}`],
      [/Retries of a failed call/, ENTER],
      [/Create this campaign/, ENTER],
    ],
  },
  {
    name: 'plan create',
    args: ['plan', 'create'],
    questions: [
      [/Name of the plan/, `Spring${ENTER}`],
      [/Agent/, ENTER],
      [/Number to call from/, ENTER],
      [/CSV of contacts/, `contacts${ENTER}`],
      [/Local hours of calls/, `20:00-09:00${ENTER}`, /The window/, '\u0015', `09:00-20:00${ENTER}`],
    ],
  },
  {
    name: 'campaign status',
    args: ['campaign', 'status'],
    before: [
      [...CAMPAIGN, '--name', 'Spring'],
      [...CAMPAIGN, '--name', 'Summer'],
    ],
    questions: [[/Campaign/, `spring${ENTER}`]],
  },
  {
    name: 'campaign rehearse',
    args: ['campaign', 'rehearse'],
    questions: [
      [/Agent/, ENTER],
      [/Number to call from/, ENTER],
      [/CSV of contacts/, ENTER],
    ],
  },
  {
    name: 'logs show',
    args: ['logs', 'show'],
    before: [CALL, CALL],
    questions: [[/Call/, DOWN, ENTER]],
  },
  { name: 'contacts check', args: ['contacts', 'check'], questions: [[/CSV of contacts/, `contacts.csv${ENTER}`]] },
  {
    name: 'profile add, the first one',
    args: ['login'],
    questions: [
      [/Connect to/, ENTER],
      [/Name of the profile/, ENTER],
      [/Base URL/, `voice${ENTER}`, /not a base/, '\u0015', `${service.url}${ENTER}`],
      [/Organization/, `7${ENTER}`],
      [/API key/, `wrong${ENTER}`, /not known/],
      [/API key/, `${KEY}${ENTER}`],
      [/Default agent/, `desk${ENTER}`],
      [/Default number to call from/, ENTER],
      [/Country/, `XX${ENTER}`, /XX/, '\u0015', `DE${ENTER}`],
      [/Save this profile\?/, ENTER],
    ],
  },
  {
    name: 'profile add, the local engine',
    args: ['profile', 'add'],
    questions: [
      [/Connect to/, DOWN, ENTER],
      [/Name of the profile/, `a b${ENTER}`, /letters/, '\u0015', `practice${ENTER}`],
      [/Default agent/, DOWN, ENTER],
      [/Default number to call from/, ENTER],
      [/Country/, ENTER],
      [/Save this profile\?/, ENTER],
    ],
  },
  {
    name: 'profile edit',
    args: ['profile', 'edit'],
    before: [[...WORK, '--agent', '4', '--from', FROM]],
    questions: [
      [/Profile/, ENTER],
      [/Connect to/, ENTER],
      [/Base URL/, ENTER],
      [/Organization/, ENTER],
      [/API key/, ENTER],
      [/Default agent/, `5${ENTER}`],
      [/Default number to call from/, DOWN, ENTER],
      [/Country/, ENTER],
      [/Save this profile\?/, ENTER],
    ],
  },
  {
    name: 'profile use',
    args: ['profile', 'use'],
    before: [
      ['profile', 'add', 'one', '--local'],
      ['profile', 'add', 'two', '--local'],
    ],
    questions: [[/Profile/, `two${ENTER}`]],
  },
  {
    name: 'profile remove',
    args: ['profile', 'remove'],
    before: [['profile', 'add', 'one', '--local']],
    questions: [
      [/Profile/, ENTER],
      [/Remove profile one/, `y${ENTER}`],
    ],
  },
  {
    name: 'local agent',
    args: ['local', 'agent'],
    questions: [
      [/Agent/, ENTER],
      [/Status/, `pau${ENTER}`],
    ],
  },
  {
    name: 'local number',
    args: ['local', 'number'],
    questions: [
      [/What to do/, `add${ENTER}`],
      [/Number to add/, `+14155550142${ENTER}`],
    ],
  },
  {
    name: 'local campaign',
    args: ['local', 'campaign'],
    before: [[...CAMPAIGN, '--name', 'Spring']],
    questions: [
      [/What to do/, `pause${ENTER}`],
      [/Campaign/, ENTER],
    ],
  },
  {
    name: 'local topup',
    args: ['local', 'topup'],
    questions: [[/Amount/, `x${ENTER}`, /decimal/, '\u007f', `5${ENTER}`]],
  },
  { name: 'local advance', args: ['local', 'advance'], questions: [[/How far/, `2h${ENTER}`]] },
  { name: 'api', args: ['api'], questions: [[/Operation/, `voices${ENTER}`]] },
];

/** Somebody with two contacts and a key in files, to whom it is always the same time. */
async function somebody({ before = [] }: Flow): Promise<Operator> {
  const operator = new Operator({ frozenAt: NOW, env: { VAGENT_CONFIG_DIR: 'settings' } });
  writeFileSync(join(operator.home, 'contacts.csv'), CONTACTS);
  writeFileSync(join(operator.home, 'key.txt'), KEY, { mode: 0o600 });
  for (const args of before) expect(await operator.run(args)).toMatchObject({ code: 0 });
  return operator;
}

const SCREENS = join(ROOT, 'test/screens/prompts');

describe.concurrent('as a person types', () => {
  mkdirSync(SCREENS, { recursive: true });
  for (const flow of flows) {
    test.for([40, 80, 200])(`${flow.name}, at %d columns`, async (columns, { expect }) => {
      const operator = await somebody(flow);
      const steps: Step[] = flow.questions.flat();
      const env = {
        ...flow.env,
        ...(flow.args[0] === 'login' || flow.args[0] === 'profile' ? { VAGENT_LOCAL: '' } : {}),
      };
      // A real terminal costs three times as much; only of a text that is not shown it shows something else.
      const isReal = columns === 80 || flow.questions.some(([question]) => question.test('API key'));
      const { code, output } = await (isReal ? play : playHere)(operator, flow.args, steps, { env, columns });
      const { text, isCursorVisible, marksPastes } = await shownBy(output, columns);
      expect(text).not.toContain(KEY);
      expect({ isCursorVisible, marksPastes }).toEqual({ isCursorVisible: true, marksPastes: false });
      const screen = text
        .replaceAll(service.url, 'http://127.0.0.1:12345')
        .replace(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:12345')
        // A port that is cut.
        .replace(/127\.0\.0\.1:\d{1,4}…/g, '127.0.0.1:1234…');
      const file = join(SCREENS, `${flow.name.replaceAll(/\W+/g, '-')}-${columns}.txt`);
      await expect(`${screen}[${code}]\n`).toMatchFileSnapshot(file);
    });
  }
});

describe.concurrent('left with Ctrl-C', () => {
  for (const flow of flows) {
    for (const [at, [question]] of flow.questions.entries()) {
      test(`${flow.name}, at question ${at + 1}: ${question}`, async () => {
        const operator = await somebody(flow);
        const steps: Step[] = [...flow.questions.slice(0, at).flat(), question, CTRL_C];
        const env = {
          ...flow.env,
          ...(flow.args[0] === 'login' || flow.args[0] === 'profile' ? { VAGENT_LOCAL: '' } : {}),
        };
        const { code, text, output }: Played = await playHere(operator, flow.args, steps, { env });
        expect(text).toMatch(/vagent: Interrupted/);
        expect(text).not.toMatch(/Next time/);
        expect(code).toBe(130);
        const { isCursorVisible, marksPastes } = await shownBy(output, 120);
        expect({ isCursorVisible, marksPastes }).toEqual({ isCursorVisible: true, marksPastes: false });
      });
    }
  }
});
