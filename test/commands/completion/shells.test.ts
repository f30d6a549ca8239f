/** Completion as a person meets it: real shells at a pseudo-terminal load their script, and Tab is pressed. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../../support/http.ts';
import { Operator } from '../../support/program.ts';
import { isInstalled, Shell } from '../../support/shell.ts';

const CLEAR_LINE = '\u0015';
const CLEAR_SCREEN = '\u000c';
const TAB = '\t';

interface Case {
  start: string[];
  /** Loads the script, as `vagent completion install` arranges it. */
  load: string;
  /** How the shell writes a value with characters that mean something to it. */
  quoted: string;
}

const SHELLS: Record<string, Case> = {
  bash: {
    start: ['bash', '--norc', '--noprofile', '-i'],
    // Twice, because a startup file may be read twice.
    load: 'vagent completion bash >b; source ./b; source ./b',
    quoted: String.raw`my\ \$HOME\ \`id\`\ shop`,
  },
  zsh: {
    start: ['zsh', '-f', '-i'],
    load: 'autoload -Uz compinit; compinit -u -D; source <(vagent completion zsh)',
    quoted: String.raw`my\ \$HOME\ \`id\`\ shop`,
  },
  fish: {
    start: ['fish', '--no-config', '-i'],
    load: "set -g fish_autosuggestion_enabled 0; function fish_prompt; echo -n '> '; end; vagent completion fish | source",
    // To fish, a backtick is an ordinary character.
    quoted: String.raw`my\ \$HOME\ ${'`id`'}\ shop`,
  },
};

// PowerShell is not to be had on every machine: its script is checked as text in scripts.test.ts.
describe.each(Object.entries(SHELLS))('%s', (name, { start, load, quoted }) => {
  const isHere = isInstalled(name);
  if (!isHere) {
    test.skip(`${name} is not installed`, () => {});
    return;
  }

  let shell: Shell;
  const operator = new Operator();

  beforeAll(async () => {
    const agents = [
      { agent_id: 41, agent_name: 'Sofia $(touch ran) `touch ran`', status: 'active' },
      { agent_id: 42, agent_name: 'Leo', status: 'paused' },
    ];
    const server = await startServer((_request, response) =>
      sendJson(response, 200, { success: true, agents, total: 2 }),
    );
    const folder = join(operator.home, '.config/vagent');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const local = { mode: 'local' };
    const work = { mode: 'remote', base_url: server.url, organization_id: 7, api_key: 'sk-shell-key-0001' };
    const profiles = { work, 'my $HOME `id` shop': local, "eve's:place": local };
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
    writeFileSync(join(operator.home, 'spring list.csv'), 'phone_number\n');
    mkdirSync(join(operator.home, 'store folder'));
    shell = new Shell(operator, start);
    shell.type(`${load}; echo rea''dy\n`);
    await shell.shows(/^ready$/m);
  });
  afterAll(() => shell.close());

  /** What the screen shows after a line and Tab. */
  async function typed(line: string, expected: RegExp): Promise<string> {
    shell.type(CLEAR_LINE);
    shell.type(CLEAR_SCREEN);
    await shell.shows(/^> *$/);
    shell.type(line);
    return shell.shows(expected);
  }

  test.each([
    ['a command', `vagent camp${TAB}`, /^> vagent campaign ?$/],
    ['a value behind =', `vagent logs list --output=js${TAB}`, /--output=json ?$/],
    ['a value in which a word ends', `vagent profile use ev${TAB}`, /^> vagent profile use eve\\'s:place ?$/],
    ['a value of which part is a word', `vagent profile use eve\\'s:p${TAB}`, /^> vagent profile use eve\\'s:place ?$/],
    ['a value that goes on', `vagent campaign create --map ph${TAB}x`, /--map phone_number=x$/],
    ['a name of a file', `vagent contacts check spr${TAB}`, /^> vagent contacts check spring\\ list\.csv ?$/],
    ['a name of a file behind =', `vagent campaign create --contacts=spr${TAB}`, /--contacts=spring\\ list\.csv ?$/],
    ['a name of a folder', `vagent --store sto${TAB}`, /^> vagent --store store\\ folder\/?$/],
    ['behind words with spaces', `vagent call --first-line "Good day, it's me" --fr${TAB}`, /it's me" --from ?$/],
  ])('%s', async (_name, line, expected) => {
    await typed(line, expected);
  });

  test('a value with characters that mean something to a shell', async () => {
    const screen = await typed(`vagent profile use my${TAB}`, /shop ?$/);
    expect(screen.trimEnd()).toBe(`> vagent profile use ${quoted}`);
  });

  test('inside of quotes', async () => {
    await typed(`vagent profile use 'my${TAB}`, /^> vagent profile use 'my \$HOME `id` shop' ?$/);
  });

  test('several candidates are listed with a description', async () => {
    const screen = await typed(`vagent contacts ${TAB}${TAB}`, /template/);
    expect(screen).toContain('Check a list of contacts');
  });

  test('agents of a service, with their names, which are not run', async () => {
    // A busy machine may need several tries until the service has answered in time; then the list is kept for a minute.
    const isThere = async () =>
      (await operator.run(['complete', 'bash', '--', '--profile work call --agent '])).stdout.includes('Leo');
    for (let tries = 0; tries < 50 && !(await isThere()); tries++);
    const screen = await typed(`vagent --profile work call --agent 4${TAB}${TAB}`, /Leo \(paused\)/);
    expect(screen).toContain('Sofia $(touch ran) `touch ran`');
    expect(existsSync(join(operator.home, 'ran'))).toBe(false);
  });

  test('commands that stand in the line are not run', async () => {
    await typed(`vagent logs show $(touch ran) --fie${TAB}`, /--fields ?$/);
    await typed(`vagent call --first-line=$(touch ran)=x --fie${TAB}`, /--fields ?$/);
    expect(existsSync(join(operator.home, 'ran'))).toBe(false);
  });

  test('nothing is shown where nothing fits', async () => {
    const screen = await typed(`vagent campaign create --name ${TAB}${TAB}x`, /--name x$/);
    expect(screen.trimEnd()).toBe('> vagent campaign create --name x');
  });
});
