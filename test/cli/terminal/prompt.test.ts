/**
 * vagent at a terminal: what it asks, what it never asks, and what it shows there: one screen for stdout and stderr, and a
 * keyboard. Each kind of question is answered once at a pseudo-terminal too, where the program finds what it would find in a
 * person's window (`play`); the other cases run in the process of the test (`playHere`).
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { casesBeside, dataIn } from '../../support/cases.ts';
import { sendJson, startServer } from '../../support/http.ts';
import { gone } from '../../support/processes.ts';
import { BIN, Operator, temporaryFolder } from '../../support/program.ts';
import { CTRL_C, play, playHere, type Step } from '../../support/terminal.ts';

const LONG = Array.from({ length: 500 }, (_, at) => `Line ${at} of what the agent is to do.`).join('\n');
const cases = casesBeside(import.meta.filename, { LONG: JSON.stringify(LONG).slice(1, -1) });

const ENTER = '\r';
const TO = '+14155550190';
const FROM = '+14155550100';
const CONTACTS = `phone_number\n${TO}\n+14155550191\n`;

describe.concurrent('several lines that are pasted', async () => {
  const CREATE = 'agent create --voice 1 --json';
  const server = await startServer((_request, response) =>
    sendJson(response, 200, { success: true, agent_id: 2, agent_name: 'Recall', status: 'active' }),
  );
  let organizations = 0;

  /** What is typed and shown there, what the service gets as the answer, and whether it is at a pseudo-terminal. */
  type Pasting = [what: string, steps: Step[], field: 'base_prompt' | 'agent_name', got: string, isReal?: true];
  test.each(cases<Pasting>('pasted'))(
    'are one answer, given by Enter: %s',
    async (_name, steps, field, got, isReal) => {
      organizations += 1;
      const org = organizations;
      const env = {
        VAGENT_LOCAL: '',
        VAGENT_BASE_URL: server.url,
        VAGENT_ORG_ID: `${org}`,
        VAGENT_API_KEY: 'test-key-1',
      };
      const [given, question] =
        field === 'agent_name' ? ['--prompt x', /Name of the agent/] : ['--name Recall', /Base instructions/];
      const all = [question, ...steps, ENTER, /Create this agent\?/, ENTER];
      const { code } = await (isReal ? play : playHere)(new Operator(), `${CREATE} ${given}`.split(' '), all, { env });
      const bodies = server.received.map(({ body }) => JSON.parse(body)).filter((body) => body.organization_id === org);
      expect({ code, got: bodies.map((body) => body[field]) }).toEqual({ code: 0, got: [got] });
    },
  );
});

describe.concurrent('what is missing is asked for', () => {
  interface Session {
    name: string;
    args: string;
    /** At a pseudo-terminal. */
    isProgram?: true;
    before?: string[];
    steps: Step[];
    code: number;
    /** On the screen when all is over. */
    shows: RegExp;
    hides?: RegExp;
  }

  const CALL = ['call', TO, '--agent', '1', '--from', FROM, '--first-line', 'Hello.'];

  const sessions = dataIn<Session[]>(join(import.meta.dirname, 'prompt-sessions.json'));

  for (const { name, args, isProgram, before = [], steps, code, shows, hides } of sessions) {
    const operator = new Operator();
    test(name, async () => {
      for (const line of before) expect(await operator.run([...line.split(' '), '--local'])).toMatchObject({ code: 0 });
      const session = await (isProgram ? play : playHere)(operator, args.split(' '), steps);
      expect(session.text).toMatch(shows);
      if (hides !== undefined) expect(session.text).not.toMatch(hides);
      expect(session.code).toBe(code);
    });
  }

  const careful = new Operator();
  test('a reset that was not wanted has changed nothing', async () => {
    await careful.run([...CALL, '--local']);
    await playHere(careful, ['local', 'reset'], [/Delete/, ENTER]);
    await playHere(careful, ['local', 'reset'], [/Delete/, CTRL_C]);
    expect(await careful.json(['logs', 'list'])).toMatchObject({ total: 1 });
  });

  const redirected = new Operator();
  test('questions go to stderr: stdout may be a file', async () => {
    const script = `"${process.execPath}" "${BIN}" call ${TO} --agent 1 --from ${FROM} --json >answer.json`;
    const { code } = await play(redirected, [], [/First line/, `Hello.${ENTER}`, /simulator\?/, ENTER], { script });
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(join(redirected.home, 'answer.json'), 'utf8'))).toMatchObject({ success: true });
  });

  const piped = new Operator();
  test('nobody is asked where standard input is no terminal', async () => {
    const script = `"${process.execPath}" "${BIN}" call ${TO} </dev/null`;
    const { code, text } = await play(piped, [], [], { script });
    expect(text).toMatch(/Missing: --agent, --from, --first-line\./);
    expect(code).toBe(2);
  });
});

describe.concurrent('a key is asked for and never shown', async () => {
  const KEY = 'typed-in-the-dark-4471';
  const service = await startServer(({ path, query }, response) => {
    if (path.startsWith('/hang')) return;
    const isRight = query.get('api_key') === KEY;
    const message = `I do not know ${query.get('api_key')}.`;
    sendJson(response, isRight ? 200 : 401, isRight ? { success: true, agents: [] } : { message });
  });
  const config = ({ home }: Operator) => join(home, '.config/vagent/config.json');
  const at = (path: string) => ['--base-url', `${service.url}${path}`, '--org', '7'];

  /** Adds a profile; nothing of the key is shown, and it is kept where the command succeeds. */
  async function adds(operator: Operator, flags: string[], steps: Step[], code: number, isReal = false) {
    const played = await (isReal ? play : playHere)(operator, ['profile', 'add', 'work', ...flags], steps);
    for (const shape of [KEY, KEY.slice(0, 5), '*****']) expect(played.output).not.toContain(shape);
    expect(played.code).toBe(code);
    if (code === 0) {
      expect(readFileSync(config(operator), 'utf8')).toContain(`"api_key": "${KEY}"`);
      expect(statSync(config(operator)).mode & 0o777).toBe(0o600);
    } else expect(() => statSync(config(operator))).toThrow(/ENOENT/);
    return played.text;
  }

  test('profile add', async () => {
    const steps = [/Base URL/, `${service.url}/api${ENTER}`, /Organization/, `7${ENTER}`, /API key/, KEY, ENTER];
    const text = await adds(new Operator(), [], steps, 0, true);
    expect(text).toMatch(/127\.0\.0\.1:\d+ accepts the key for organization 7\.\n/);
    expect(text).toMatch(/Profile work is saved in .*config\.json\./);
  });

  test('profile add: an empty key, a bad URL and a bad organization are asked for again', async () => {
    const steps = [
      ...[/Base URL/, `voice${ENTER}`, /base URL like/, ...'\u0008\u0008\u0008\u0008\u0008', `${service.url}${ENTER}`],
      ...[/Organization/, `x${ENTER}`, /integer/, '\u0008', `7${ENTER}`],
      ...[/API key/, ENTER, /must not be empty/, `typed in${ENTER}`, /must be one word/, '\u0015', `${KEY}${ENTER}`],
    ];
    await adds(new Operator(), [], steps, 0);
  });

  test('profile add: a key that the service refuses is asked for again, and not shown when it is echoed', async () => {
    const operator = new Operator();
    const refused = [/API key/, `wrong-${KEY}${ENTER}`, /I do not know <API_KEY>\./, /API key/];
    await adds(operator, at(''), [...refused, CTRL_C], 130);
    await adds(operator, at(''), [...refused, `${KEY}${ENTER}`], 0);
  });

  test('profile add: nothing is kept where Ctrl-C ends the trial of the key', async () => {
    const arrived = async () => {
      while (!service.received.some(({ path }) => path === '/hang/get-agents')) await sleep(10);
    };
    const text = await adds(new Operator(), at('/hang'), [/API key/, `${KEY}${ENTER}`, arrived, CTRL_C], 130, true);
    expect(text).toMatch(/vagent: Interrupted\. Nothing was saved\.\n/);
  });

  test('a key command has no terminal to read, and Ctrl-C ends it with all that it started', async () => {
    const operator = new Operator();
    const started = join(operator.home, 'started');
    const command = `(sleep 100; echo late >late) | cat & echo $$ >started; cat >/dev/null; wait`;
    const text = await adds(
      operator,
      [...at(''), '--api-key-command', command],
      [() => appears(started), CTRL_C],
      130,
      true,
    );
    expect(text).toMatch(/vagent: Interrupted\. Nothing was saved\.\n/);
    await gone(Number(readFileSync(started, 'utf8')));
  });
});

describe('a campaign on a real service', async () => {
  const agents = [{ agent_id: 5, agent_name: 'Far away', language: 'de', status: 'active' }];
  const created = { campaign_id: 31, campaign_name: 'Spring', status: 'running', total_contacts: 2 };
  const service = await startServer((_request, response) =>
    sendJson(response, 200, { success: true, agents, ...created }),
  );
  const operator = new Operator();
  writeFileSync(join(operator.home, 'contacts.csv'), CONTACTS);
  /** For somebody who has sent nothing yet: the same contacts are not sent twice. */
  const freshly = () => ({
    VAGENT_LOCAL: '',
    VAGENT_BASE_URL: service.url,
    VAGENT_API_KEY: 'some-api-key',
    VAGENT_ORG_ID: '7',
    VAGENT_STATE_DIR: temporaryFolder(),
  });
  const posts = () => service.received.filter(({ method }) => method === 'POST').length;
  const args = ['campaign', 'create', '--name', 'Spring', '--agent', '5', '--from', FROM, '--contacts', 'contacts.csv'];
  const plan = [
    ...[/127\.0\.0\.1/, /Spring/, /Agent +5 Far away \(active\)/, /\+14155550100/, /Contacts +2/],
    ...[/30 calls an hour/, /Retry delay +1 h/, /Finish +\d+ [A-Z][a-z]{2} /, /Call 2 people\?/],
  ];

  type Answer = [what: string, steps: Step[], code: number, sent: number, isProgram?: true];
  test.each(cases<Answer>('answers'))('%s: the plan is shown first', async (_what, steps, code, sent, isProgram) => {
    service.received.length = 0;
    const paced = [...args, '--calls-per-hour', '30'];
    const session = await (isProgram ? play : playHere)(operator, paced, [...plan, ...steps], { env: freshly() });
    expect(session.code).toBe(code);
    expect(posts()).toBe(sent);
    if (sent === 0) expect(session.text).toMatch(/Nothing was sent|Interrupted/);
    else expect(session.text).toMatch(/Campaign +31\n/);
    expect(session.text).not.toContain('some-api-key');
  });

  test.each([
    ['--yes', 0, 1, /Campaign +31\n/],
    ['--no-input', 2, 0, /needs confirmation: add --yes\. Nothing was sent/],
  ])('%s: nothing is asked', async (flag, code, sent, shows) => {
    service.received.length = 0;
    const { code: ended, text } = await playHere(operator, [...args, flag], [], { env: freshly() });
    expect(text).toMatch(shows);
    expect(text).not.toContain('people?');
    expect({ code: ended, sent: posts() }).toEqual({ code, sent });
  });
});

describe.concurrent('what a terminal shows', () => {
  const operator = new Operator();
  const BOLD = '\u001b[1m';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  const COLOUR = /\u001b\[[\d;]*m/;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  const CLEARS_LINE = /\u001b\[[0-2]?K/;

  test('a table with a header that stands out', async () => {
    const { code, text, output } = await play(operator, ['voice', 'list', '--language', 'hi']);
    expect(code).toBe(0);
    expect(text).toMatch(/^Voice {2}Name +Language +Spoken +Gender +Accent +Style *\n *\d+ +/);
    expect(output).toContain(`${BOLD}Voice`);
    const [header = '', row = ''] = text.split('\n');
    expect(row.slice(header.indexOf('Spoken'))).toMatch(/^Hindi/);
  });

  const plain: [name: string, flags: string[], env: Record<string, string>][] = [
    ['--no-color', ['--no-color'], {}],
    ['NO_COLOR', [], { NO_COLOR: '1' }],
    ['FORCE_COLOR=0', [], { FORCE_COLOR: '0' }],
  ];
  test.each(plain)('%s: tables without colour', async (_name, flags, env) => {
    const table = await playHere(operator, ['voice', 'list', ...flags], [], { env });
    expect(table.output).not.toMatch(COLOUR);
  });

  // In the process of a test the library of the questions finds no terminal, and never colours them.
  test('questions without colour', async () => {
    const { output } = await play(operator, ['call', TO, '--agent', '1', '--no-color'], [/from/, CTRL_C]);
    expect(output).not.toMatch(COLOUR);
  });

  const caller = new Operator();
  test('how to see the next page', async () => {
    for (const _ of [1, 2, 3]) {
      await caller.run(['call', TO, '--agent', '1', '--from', FROM, '--first-line', 'Hello.', '--local']);
    }
    const { text } = await playHere(caller, ['logs', 'list', '--limit', '2', '--agent', '1']);
    const [, next = ''] = /2 of 3 calls\. Next: vagent (.*)\n/.exec(text) ?? [];
    const { stdout } = await caller.run([...next.split(' '), '-o', 'ids', '--local']);
    expect(stdout).toBe('call_0000000001\n');
    expect((await playHere(caller, ['logs', 'list', '--limit', '2', '--quiet'])).text).not.toContain('Next');
    expect((await playHere(caller, ['logs', 'list'])).text).not.toContain('Next');
  });

  test('how far long work is, and nothing of it when it is done', async () => {
    const log = await slowLog(100);
    const env = { VAGENT_LOCAL: '', VAGENT_BASE_URL: log.url, VAGENT_API_KEY: 'some-api-key', VAGENT_ORG_ID: '7' };
    const steps = [
      /Exporting calls: \d+ of 100 \(\d+ %\)/,
      async () => {
        log.pause = 0;
      },
      /100 calls written to calls\.csv\./,
    ];
    const { code, output } = await play(operator, ['logs', 'export', '--out', 'calls.csv'], steps, { env });
    expect(code).toBe(0);
    expect(output.slice(output.lastIndexOf('Exporting'))).toMatch(CLEARS_LINE);
    // Longer than the second after which it would be told.
    log.pause = 60;
    const quiet = await playHere(operator, ['logs', 'export', '--out', 'calls.csv', '--quiet'], [], { env });
    expect(quiet.output).toBe('');
  });
});

/** A service that takes its time for every page of one call: so many milliseconds. */
async function slowLog(total: number): Promise<{ url: string; pause: number }> {
  const log = { url: '', pause: 500 };
  const { url } = await startServer(({ query }, response) => {
    const offset = Number(query.get('offset'));
    const calls = offset < total ? [{ call_id: `c${offset}` }] : [];
    setTimeout(() => sendJson(response, 200, { success: true, calls, total, limit: calls.length, offset }), log.pause);
  });
  return Object.assign(log, { url });
}

/** Resolves once a file holds something. */
async function appears(path: string): Promise<void> {
  while ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) await sleep(10);
}
