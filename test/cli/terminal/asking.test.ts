/** Questions under attack: editors, long lists, services that fail between two questions, small terminals, keys that come early. */
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { casesBeside } from '../../support/cases.ts';
import { sendJson, startServer } from '../../support/http.ts';
import { BIN, Operator, temporaryFolder } from '../../support/program.ts';
import { shownBy } from '../../support/screen.ts';
import { CTRL_C, play, playHere, type Step } from '../../support/terminal.ts';

const cases = casesBeside(import.meta.filename);

const ENTER = '\r';
const DOWN = '\u001b[B';
const CTRL_D = '\u0004';
const CTRL_G = '\u0007';
const TO = '+14155550190';
const FROM = '+14155550100';
const CALL = ['call', TO, '--agent', '1', '--from', FROM];
const CREATE = ['agent', 'create', '--name', 'Recall', '--voice', '1'];

describe.concurrent('a text from an editor', () => {
  /** Somebody whose editor is a script, with a flag; `$file` is the file. Temporary files go to a folder of their own. */
  function withEditor(script: string) {
    const operator = new Operator();
    const editor = join(operator.home, 'editor.sh');
    writeFileSync(editor, `#!/bin/sh\nfor file; do :; done\n${script}\n`);
    chmodSync(editor, 0o755);
    const folder = temporaryFolder();
    return { operator, folder, env: { VISUAL: `${editor} --wait`, EDITOR: 'false', TMPDIR: folder } };
  }

  test.each(cases<[what: string, script: string | undefined, steps: Step[], shows: RegExp]>('editors'))(
    '%s',
    async (_what, script, steps, shows) => {
      const { operator, folder, env } = withEditor(script ?? '');
      const played = await play(operator, CREATE, [/Base instructions/, ...steps, /Create/, ENTER], {
        env: script === undefined ? { VISUAL: '', EDITOR: '/nowhere/editor' } : env,
      });
      expect(played.code).toBe(0);
      expect(played.text).toMatch(shows);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('Ctrl-C leaves an editor that reads no keys, and no file stays', async () => {
    const { operator, folder, env } = withEditor('echo >started; exec sleep 100');
    const started = async () => {
      while (!existsSync(join(operator.home, 'started'))) await sleep(10);
    };
    const { code } = await play(operator, CREATE, [/Base instructions/, CTRL_G, started, CTRL_C], { env });
    expect(code).toBe(130);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('live lists', async () => {
  const AGENTS = 10_000;
  const service = await startServer(({ path, query }, response) => {
    const offset = Number(query.get('offset') ?? 0);
    const isLate = path.startsWith('/broken') && offset > 0;
    if (path.startsWith('/late') && offset > 100) return;
    if (path.startsWith('/silent')) return;
    if (path.startsWith('/down')) return void response.destroy();
    if (isLate) return sendJson(response, 403, { message: 'Enough.' });
    const agents = Array.from({ length: Math.min(100, AGENTS - offset) }, (_none, at) => ({
      agent_id: offset + at + 1,
      agent_name: `Agent ${offset + at + 1}`,
      language: 'en',
      status: 'active',
    }));
    if (path.endsWith('/get-agents')) return sendJson(response, 200, { success: true, agents, total: AGENTS });
    return sendJson(response, 200, { success: true, room_name: 'r' });
  });
  const at = (path: string) => ({
    VAGENT_LOCAL: '',
    VAGENT_BASE_URL: `${service.url}${path}`,
    VAGENT_ORG_ID: '7',
    VAGENT_API_KEY: 'some-api-key',
  });
  const asksAgent = ['call', TO, '--from', FROM, '--first-line', 'Hello.', '--dry-run'];

  test.each(cases<[what: string, keys: Step[], path: string, agent: number]>('live lists'))(
    '%s',
    async (_what, keys, path, agent) => {
      const { code, text } = await playHere(new Operator(), asksAgent, [/Agent/, ...keys], { env: at(path) });
      expect(code).toBe(0);
      expect(text).toContain(`"use_agent_id": ${agent},`);
    },
  );

  test('only the first pages are read where nobody searches', async () => {
    service.received.length = 0;
    await playHere(new Operator(), asksAgent, [/Agent/, DOWN, ENTER], { env: at('') });
    expect(service.received.length).toBeLessThanOrEqual(2);
  });

  test('where none can be read the answer is typed, with the reason', async () => {
    const steps = [/There is no list to choose from: .*cut/, /Agent/, `x${ENTER}`, /integer/, '\u0015', `7${ENTER}`];
    // A real terminal: while the list is asked for again, it shows that it waits.
    const { code, text } = await play(new Operator(), asksAgent, steps, { env: at('/down') });
    expect(code).toBe(0);
    expect(text).toMatch(/"use_agent_id": 7,/);
  });

  test('Ctrl-C while a list is read leaves the command, at the first page and at a search', async () => {
    const asked = async (path: string) => {
      while (!service.received.some((request) => request.path === path)) await sleep(10);
    };
    const steps = [() => asked('/silent/get-agents'), CTRL_C];
    expect((await play(new Operator(), asksAgent, steps, { env: at('/silent') })).code).toBe(130);
    const searching = [/Agent/, '9', () => asked('/late/get-agents'), () => sleep(100), CTRL_C];
    expect((await playHere(new Operator(), asksAgent, searching, { env: at('/late') })).code).toBe(130);
  });

  test('without a key nothing is asked: the command cannot be done', async () => {
    const { code } = await playHere(new Operator(), asksAgent, [], { env: { ...at(''), VAGENT_API_KEY: '' } });
    expect(code).toBe(4);
  });
});

describe.concurrent('the terminal', () => {
  test('of 20 columns and 5 rows shows every question, and none twice', async () => {
    const number = [/Number to/, 'x', '\u007f', DOWN, DOWN, '\u001b[A', ENTER];
    const steps = [/Agent/, DOWN, ENTER, ...number, /First/, `Hi.${ENTER}`, /simulator/, ENTER];
    const { code, output } = await play(new Operator(), ['call', TO], steps, { columns: 20, rows: 5 });
    expect(code).toBe(0);
    const { text } = await shownBy(output, 20, 5);
    expect(text.match(/Number to call/g)).toHaveLength(1);
  });

  test('may change its size within a question', async () => {
    const steps = [
      ...[/Agent/, { columns: 30, rows: 12 }, 'd', /Demo Agent/, { columns: 90, rows: 30 }, '\u007f', ENTER],
      ...[/Number to call from/, ENTER, /First line/, { columns: 40, rows: 20 }, `Hello.${ENTER}`, /simulator/, ENTER],
    ];
    const { code, text } = await play(new Operator(), ['call', TO], steps);
    expect(code).toBe(0);
    expect(text).toContain(`--agent 1 --from ${FROM} --first-line Hello.`);
  });

  test('without UTF-8 shows questions in ASCII', async () => {
    const steps = [/Agent/, ENTER, /Number to/, ENTER, /First/, 'a\rb', /a\|b/, CTRL_C];
    const { output } = await play(new Operator(), ['call', TO], steps, { env: { LC_ALL: 'C' } });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII too
    expect(output).toMatch(/^[\u0000-\u007f]*$/);
  });

  test.each(cases<[what: string, args: string, question: RegExp]>('left with Ctrl-D'))(
    'Ctrl-D leaves the question for %s, as Ctrl-C does',
    async (_what, args, question) => {
      const { code, output } = await playHere(new Operator(), args.split(' '), [question, CTRL_D]);
      expect(code).toBe(130);
      expect(await shownBy(output, 120)).toMatchObject({ isCursorVisible: true, marksPastes: false });
    },
  );
});

describe.concurrent('the command line for next time', () => {
  const nextTime = (text: string) => /Next time: (.*)\n/.exec(text)?.[1];
  const operator = new Operator();

  test('is quoted, keeps every flag that was given, and runs as it stands', async () => {
    const steps = [/First line/, `It's --Ava's "$HOME" & ü${ENTER}`, /simulator\?/, ENTER];
    const { text } = await playHere(operator, [...CALL, '--identifier=-7', '--fields', 'room_name'], steps);
    const line = `vagent ${CALL.join(' ')} --identifier=-7 --fields room_name --first-line 'It'\\''s --Ava'\\''s "$HOME" & ü'`;
    expect(nextTime(text)).toBe(line);
    const script = `vagent() { "${process.execPath}" "${BIN}" "$@"; }; ${nextTime(text)}`;
    const again = await play(operator, [], [], { script });
    expect(again.code).toBe(0);
  });

  test('repeats a flag that was given twice', async () => {
    const home = new Operator();
    writeFileSync(join(home.home, 'contacts.csv'), 'phone,first\n+14155550190,Ann\n');
    const flags = ['--map', 'phone_number=phone', '--map', 'custom_first_line=first'];
    const { text } = await playHere(home, ['contacts', 'check', ...flags], [/List of contacts/, ENTER]);
    expect(nextTime(text)).toBe(
      `vagent contacts check contacts.csv --map 'phone_number=phone' --map 'custom_first_line=first'`,
    );
  });
});
