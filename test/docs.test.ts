/** Documentation is tested: each command has an example and a row in the README; tables agree with the source; examples run. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../src/cli/terminal/markdown.ts';
import { isFile, readTopic, TOPICS, type Topic } from '../src/commands/shared/topics.ts';
import * as errors from '../src/errors.ts';
import { commandSummaries } from '../src/program.ts';
import { casesBeside } from './support/cases.ts';
import { sendJson, startServer } from './support/http.ts';
import { finished, freshEnvironment, Operator, ROOT, temporaryFolder } from './support/program.ts';
import { matches, NOW, parseSession, SessionRunner } from './support/session.ts';
import { voiceExample } from './support/voice-example.ts';

const cases = casesBeside(import.meta.filename);
const TOPIC_FOLDER = 'src/commands/shared/topics';
const README = read('README.md');
const LAYOUT = read('src/README.md');
const COMMANDS = [...commandSummaries().keys()];

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The topics that are files; the others are made from tables of the source. */
const WRITTEN = (Object.keys(TOPICS) as Topic[]).filter(isFile);

function topicFile(topic: string): string {
  return `${TOPIC_FOLDER}/${topic}.md`;
}

/** The first table of a document whose header begins with a name, as it stands there. */
function tableIn(document: string, name: string): string {
  const lines = document.slice(document.indexOf(`\n| ${name} `) + 1).split('\n');
  return lines.slice(0, lines.indexOf('')).join('\n');
}

/** What the cells of the first column name between backticks. */
function namesIn(table: string): string[] {
  const rows = table.split('\n').slice(2);
  return rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

/** A table as Markdown, its columns aligned. */
function markdownTable(header: string[], rows: string[][]): string {
  const widths = header.map((_name, at) => Math.max(...[header, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (cells: string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

test('the list of commands is complete', async () => {
  const operator = new Operator();
  const overview = (await operator.run(['--help'])).stdout;
  const nouns = [...overview.matchAll(/^(?:[A-Z][a-z ]+| ) {2,}([a-z]+) {2,}[A-Z]/gm)].map(([, name = '']) => name);
  const all = await Promise.all(
    nouns.map(async (noun) => {
      const verbs = commandsIn((await operator.run([noun, '--help'])).stdout);
      return verbs.length === 0 ? [noun] : verbs.map((verb) => `${noun} ${verb}`);
    }),
  );
  expect(all.flat().sort()).toEqual([...COMMANDS].sort());
});

/** The names under `Commands:` in a help text. */
function commandsIn(help: string): string[] {
  const [, list = ''] = help.split('\nCommands:\n');
  const names = list.split('\n\n')[0]?.matchAll(/^ {2}([a-z-]+)/gm) ?? [];
  return [...names].map(([, name = '']) => name);
}

describe('README', () => {
  test('is short enough to be read', () => {
    expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(220);
  });

  // Where one of these fails, the diff shows the row that is to stand in the README.
  test('lists every command', () => {
    const rows = [...commandSummaries()].map(([command, summary]) => [`\`vagent ${command}\``, summary]);
    expect(tableIn(README, 'command')).toBe(markdownTable(['command', 'what it does'], rows));
  });

  test('lists every topic', () => {
    const links = WRITTEN.map((topic) => `[${topic}](${topicFile(topic)})`);
    expect(README.replace(/\s+/g, ' ')).toContain(`${links.join(', ')}.`);
  });

  test('leads to every environment variable that the source reads', () => {
    const source = [...filesIn('src'), ...filesIn('bin')].map(read).join('\n');
    const found = source.matchAll(
      /\benv\.([A-Z_]+)|\b((?:VAGENT|XDG)_[A-Z_]+|[A-Z_]+_(?:PROXY|COLOR|CA_CERTS|CACHE))\b/g,
    );
    const variables = new Set([...found].map(([, read, named]) => read ?? named));
    // Read by Node.js itself, and by the driver of the database.
    for (const name of ['TZ', 'PGPASSWORD', 'PGPASSFILE']) variables.add(name);
    const table = tableIn(read(topicFile('environment')), 'variable');
    expect(namesIn(table).toSorted()).toEqual([...variables].toSorted());
  });

  test('leads to every exit code', () => {
    const classes = Object.values(errors).filter(
      (value) => typeof value === 'function' && value.prototype instanceof errors.VagentError,
    ) as (new (
      ...args: unknown[]
    ) => errors.VagentError)[];
    const ofClasses = classes.map((Failure) => new Failure('').exitCode);
    const ofAnswers = [400, 401, 402, 404, 429, 500].map((status) => new errors.ServiceError(status, '', '').exitCode);
    const codes = new Set([0, 1, ...ofClasses, ...ofAnswers, errors.NOT_COMPLETED, errors.HALTED]);
    const table = tableIn(read(topicFile('exit-codes')), 'code');
    const listed = table
      .split('\n')
      .slice(2)
      .map((row) => Number.parseInt(row.slice(2), 10));
    expect(listed).toEqual([...codes].toSorted((a, b) => a - b));
  });

  test('leads to every code by which a list is refused', () => {
    const source = [...filesIn('src/contacts'), ...filesIn('src/text/workbook')].map(read).join('\n');
    // Both of one line are codes. A problem of a row is told by a table, and what is left out by a report.
    const thrown = [...source.matchAll(/\bcode(?::| =)[^;\n]*/g)].flatMap(
      ([code]) => code.match(/(?<=')[a-z_]+(?=')/g) ?? [],
    );
    const ofFiles = new Set(thrown.filter((code) => !['duplicate', 'excluded'].includes(code)));
    const table = read(topicFile('exit-codes')).split('\n| code ')[2] ?? '';
    expect([...table.matchAll(/(?<=`)[a-z_]+(?=`.* \|)/g)].flat().toSorted()).toEqual([...ofFiles].toSorted());
  });

  test('has a README beside the source that shows each of its folders, and the files beside them', () => {
    const parts = readdirSync(join(ROOT, 'src'), { withFileTypes: true });
    const paths = parts
      .filter(({ name }) => name !== 'README.md')
      .map((part) => `src/${part.name}${part.isDirectory() ? '/' : ''}`);
    expect(
      namesIn(tableIn(LAYOUT, 'where'))
        .filter((name) => name.startsWith('src/'))
        .toSorted(),
    ).toEqual(paths.toSorted());
  });
});

function filesIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && /\.[tj]s$/.test(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

describe('topics', () => {
  test('each file is a topic', () => {
    const files = readdirSync(join(ROOT, TOPIC_FOLDER)).map((file) => basename(file, '.md'));
    expect(files.toSorted()).toEqual(WRITTEN.toSorted());
  });

  test.each(WRITTEN)('%s fits a terminal of 80 columns', (topic) => {
    // Examples are as wide as the program prints them, and tables are laid out when they are shown.
    const prose = read(topicFile(topic)).replace(/^```[\s\S]*?^```$|^\|.*/gm, '');
    expect(prose.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

// A terminal shows these wrapped as text: commands would stand in one line.
test.each(WRITTEN)('%s has its code between fences', (topic) => {
  const prose = read(topicFile(topic)).replace(/^```[\s\S]*?^```$/gm, '');
  expect(prose.split('\n').filter((line) => /^ {4}/.test(line))).toEqual([]);
});

/** Words that were read aloud and given up, each with what is said now. */
const GIVEN_UP = {
  'hand(s|ed|ing)? (it |them |what )?over': 'send',
  'what came of (it|each)': 'results',
  'calls? seen\\b': 'in the log',
  'is not a number of': 'is not a valid Spanish number',
  'not E\\.164': 'not international',
  'by chance': 'at random',
  '\\bbeats\\b': 'overrides',
  'local engine': 'simulator',
  'nobody can say': 'it is not known',
  'CSV of contacts': 'list of contacts',
  '(row|rows) held back': 'excluded',
};

test('nobody reads words that were given up', () => {
  const sources = filesIn('src').map(
    (path) => [path, read(path).replace(/\/\*[\s\S]*?\*\/|^ *\/\/.*|(?<=[;,{]) *\/\/ .*/gm, '')] as const,
  );
  const texts = [...sources, ...['README.md', ...WRITTEN.map(topicFile)].map((path) => [path, read(path)] as const)];
  const found = texts.flatMap(([path, text]) => {
    return Object.entries(GIVEN_UP).flatMap(([words, now]) => {
      const [said] = new RegExp(words, 'i').exec(text) ?? [];
      return said === undefined ? [] : `${path}: ${said} → ${now}`;
    });
  });
  expect(found).toEqual([]);
});

test.each(Object.keys(TOPICS) as Topic[])('%s is at most 120 lines of 80 columns', async (topic) => {
  const text = await renderMarkdown(await readTopic(topic), 80);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

const DOCUMENTS = ['README.md', 'src/README.md', ...WRITTEN.map(topicFile)];

test.each(DOCUMENTS)('%s: the files that it names are there', (path) => {
  const named = [...read(path).matchAll(/`((?:src|test|samples)\/[\w./-]+)`/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});

/** Lines of a document's examples that run for ever, or ask for programs that are not here. */
const notRun = DOCUMENTS.flatMap((path) =>
  [...read(path).matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trimEnd().split('\n')),
).filter((line) => line.startsWith('vagent '));

test.each(notRun)('%s: the flags are those of the command', async (line) => {
  const [command = ''] = line.split(/ (?=-)/);
  const words = command.split(' ').slice(1);
  const name =
    COMMANDS.filter((path) => `${words.join(' ')} `.startsWith(`${path} `))
      .toSorted()
      .at(-1) ?? '';
  const operator = new Operator();
  const known =
    (await operator.run([...name.split(' '), '--help'])).stdout + (await operator.run(['help', 'flags'])).stdout;
  for (const [flag] of line.matchAll(/(?<= )-[-\w]+/g)) expect(known).toMatch(new RegExp(` ${flag}[ ,]`));
});

// Each document is one session.
describe.concurrent('examples', async () => {
  const env = { SECRET: 'sk-readme-key-0001' };
  for (const path of DOCUMENTS) {
    test(path, async () => {
      const text = [...read(path).matchAll(/```console\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
      const runner = new SessionRunner({ env: { ...env, ...(await voiceExample(NOW)) } });
      for (const step of parseSession(text)) {
        const actual = await runner.run(step);
        if (!matches(actual, step.expected)) expect(actual, step.command).toEqual(step.expected);
      }
    });
  }

  // What the examples of help need: lists, a campaign that was played, and a program that knows a key.
  const PREPARED = cases<string>('prepared');
  const PROFILE =
    'env vagent profile add work --base-url https://voice.example.com/api --org 7 --api-key-command "pass voice/key"';
  /** Runs vagent until it says how it ends, and ends it so. */
  const INTERRUPTED = [
    '#!/bin/sh',
    'vagent "$@" 2> said.txt & pid=$!',
    'until grep -q Ctrl-C said.txt || ! kill -0 $pid; do sleep 0.1; done',
    'kill -INT $pid; wait $pid',
  ];
  const ENDLESS = ['serve', 'logs follow', 'plan watch'];
  /** What must have come before, where it is not that the campaign was played. */
  const BEFORE = Object.fromEntries(cases<[example: string, before: string]>('before'));
  /** What the examples of plans begin with. */
  const PLAN =
    'vagent plan create --name Spring --agent 1 --from +14155550100 --contacts contacts.csv --window 09:00-20:00';

  /** The local engine has no recordings, no previews and no register. */
  const real = async () => {
    const audio = (path: string) => `${server.url}${path}`;
    const server = await startServer(({ path }, response) => {
      if (path === '/audio') return void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('ID3');
      const calls = [{ call_id: 'call_0000000001', recording_url: audio('/audio') }];
      const voices = [{ voice_id: 3, preview_url: audio('/audio') }];
      const agents = [{ agent_id: 1, agent_name: 'Ava', status: 'active' }];
      sendJson(response, 200, { success: true, calls, voices, agents, campaign_id: 1, status: 'running', total: 1 });
    });
    return { VAGENT_LOCAL: '', VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'sk-help-key-0001' };
  };
  const ON_A_REAL_SERVICE = ['logs recording', 'voice preview', 'campaign forget'];

  const homes = new Map<string, Promise<string>>();
  /** A home in which steps have been run, for examples to begin with a copy of: what many of them begin with is done once. */
  function homeAfter(steps: readonly string[], env: Record<string, string>): Promise<string> {
    const key = [env.VAGENT_BASE_URL, ...steps].join('\n');
    const home = homes.get(key) ?? prepared(steps, env);
    homes.set(key, home);
    return home;
  }

  async function prepared(steps: readonly string[], env: Record<string, string>): Promise<string> {
    const [earlier, command = ''] = [steps.slice(0, -1), steps.at(-1)];
    const begunIn = earlier.length === 0 ? undefined : await homeAfter(earlier, env);
    const runner = new SessionRunner({ env, begunIn });
    await runner.run({ command, expected: [] });
    return runner.home;
  }

  // A machine without jq cannot run what is piped into it.
  const hasJq = spawnSync('jq', ['--version']).status === 0;

  test.each(COMMANDS)('help of %s', async (command) => {
    const operator = new Operator();
    const { stdout } = await operator.run([...command.split(' '), '--help'], { columns: 1000, isTerminal: true });
    const examples = [...stdout.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = '']) => line);
    expect(examples.length).toBeGreaterThan(0);
    const live = { ...(await voiceExample(NOW)), ...(ON_A_REAL_SERVICE.includes(command) ? await real() : {}) };
    const settings = { VAGENT_LOCAL: '1', ...env, ...live };
    for (const example of examples.filter((line) => hasJq || !line.includes('| jq'))) {
      const endless = ENDLESS.some((name) => example.startsWith(`vagent ${name}`));
      // What asks `pass` for the key, or the crontab, finds it only as a program.
      const asks = /"pass |--profile work|plan schedule/.test(example);
      const line = asks
        ? `env ${example}`
        : endless
          ? `${example.replace('vagent', 'interrupted')}${/^vagent serve/.test(example) ? ' --port 0' : ''}`
          : example;
      const before = BEFORE[example] ?? 'vagent local advance --until-idle';
      const profile = /profile|doctor/.test(example) ? PROFILE : 'true';
      const plan = /^vagent plan (?!create)/.test(example) ? PLAN : 'true';
      const begunIn = await homeAfter([...PREPARED, profile, plan, before], settings);
      const runner = new SessionRunner({ env: settings, begunIn });
      writeFileSync(join(runner.home, '.bin/interrupted'), INTERRUPTED.join('\n'), { mode: 0o755 });
      const shown = await runner.run({ command: line, expected: [] });
      expect(shown.at(-1) ?? '', `${example}\n${shown.join('\n')}`).not.toMatch(/^\[\d+\]$/);
    }
  });

  test('npm run demo does the main job and prints what came of it', async () => {
    const folder = temporaryFolder();
    cpSync(join(ROOT, 'samples'), join(folder, 'samples'), { recursive: true });
    symlinkSync(join(ROOT, 'bin'), join(folder, 'bin'));
    const demo = JSON.parse(read('package.json')).scripts.demo;
    const child = spawn('sh', ['-c', demo], { cwd: folder, env: freshEnvironment(folder) });
    const { code, stdout } = await finished(child);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ +1 +Winter check-ups +completed .* 22 +3 +0 +35$/m);
    expect(stdout).toMatch(/^ +25 completed$/m);
    expect(readFileSync(join(folder, 'demo/calls.csv'), 'utf8').split('\n')[0]).toMatch(/^call_id,agent_id,called_to,/);
  });
});
