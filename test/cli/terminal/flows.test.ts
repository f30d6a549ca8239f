/**
 * Every command that asks, from its first question to its last, as a person types: at a pseudo-terminal of three widths, where what
 * the screen shows at the end is compared with stored screens (`test/screens/prompts`); and left at each of its questions.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { dataIn } from '../../support/cases.ts';
import { isTurnOf } from '../../support/full-matrix.ts';
import { sendJson, startServer } from '../../support/http.ts';
import { Operator, ROOT } from '../../support/program.ts';
import { shownBy } from '../../support/screen.ts';
import { CTRL_C, type Played, play, playHere, type Step } from '../../support/terminal.ts';

const NOW = '2026-11-20T09:00:00Z';
const TO = '+14155550190';
const FROM = '+14155550100';
const KEY = 'typed-in-the-dark-4471';
const CONTACTS = `phone_number\n${TO}\n+14155550191\n`;

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

interface Flow {
  name: string;
  args: string;
  env?: Record<string, string>;
  /** Commands that were run. */
  before?: string[];
  /**
   * Each question, and the keys that answer it; a number is the milliseconds in which a question of the same words takes the
   * place of another. A question that is answered wrongly comes again.
   */
  questions: [question: RegExp, ...keys: (RegExp | string | number)[]][];
}

const flows = dataIn<Flow[]>(join(import.meta.dirname, 'flows.json'), { URL: service.url, KEY });

/** What happens at the terminal up to a question. */
const stepsOf = (questions: Flow['questions']): Step[] =>
  questions.flat().map((step) => (typeof step === 'number' ? () => sleep(step) : step));

/** Somebody with two contacts and a key in files, to whom it is always the same time. */
async function somebody({ before = [] }: Flow): Promise<Operator> {
  const operator = new Operator({ frozenAt: NOW, env: { VAGENT_CONFIG_DIR: 'settings' } });
  writeFileSync(join(operator.home, 'contacts.csv'), CONTACTS);
  writeFileSync(join(operator.home, 'key.txt'), KEY, { mode: 0o600 });
  for (const line of before) expect(await operator.run(line.split(' '))).toMatchObject({ code: 0 });
  return operator;
}

const environmentOf = ({ args, env }: Flow) => ({ ...env, ...(/^(login|profile)/.test(args) && { VAGENT_LOCAL: '' }) });

const SCREENS = join(ROOT, 'test/screens/prompts');

describe.concurrent('as a person types', () => {
  mkdirSync(SCREENS, { recursive: true });
  for (const [at, flow] of flows.entries()) {
    test.for([40, 80, 200])(`${flow.name}, at %d columns`, async (columns, { expect }) => {
      const operator = await somebody(flow);
      const steps = stepsOf(flow.questions);
      const env = environmentOf(flow);
      // A real terminal costs three times as much; only of a text that is not shown it shows something else.
      const isReal =
        (columns === 80 && isTurnOf(at, 3)) || flow.questions.some(([question]) => question.test('API key'));
      const { code, output } = await (isReal ? play : playHere)(operator, flow.args.split(' '), steps, {
        env,
        columns,
      });
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
        const steps = [...stepsOf(flow.questions.slice(0, at)), question, CTRL_C];
        const { code, text, output }: Played = await playHere(operator, flow.args.split(' '), steps, {
          env: environmentOf(flow),
        });
        expect(text).toMatch(/vagent: Interrupted/);
        expect(text).not.toMatch(/Next time/);
        expect(code).toBe(130);
        const { isCursorVisible, marksPastes } = await shownBy(output, 120);
        expect({ isCursorVisible, marksPastes }).toEqual({ isCursorVisible: true, marksPastes: false });
      });
    }
  }
});
