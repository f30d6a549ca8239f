/** `vagent commands`: what programs are told of each command is what its help tells people. */
import { expect, test } from 'vitest';
import { commandSummaries } from '../../src/program.ts';
import { Operator } from '../support/program.ts';

interface Flag {
  name: string;
  short: string | null;
  takes: string | null;
  default: string | null;
  summary: string;
}
interface Listed {
  path: string;
  summary: string;
  arguments: { name: string; summary: string }[];
  flags: Flag[];
  formats: string[];
  exit_codes: number[];
  operation: string | null;
}

const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
const wide = { columns: 2000 };
const written = ({ name, short, takes }: Flag) => [short && `${short},`, name, takes].filter(Boolean).join(' ');

async function listed(): Promise<{ commands: Listed[]; flags: Flag[] }> {
  const { code, stdout, stderr } = await operator.run(['commands', '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** The entries of a list in a help, each in one line: the term, and what it means. */
function entriesOf(help: string): [string, string][] {
  return [...help.matchAll(/^ {2}(\S.*?) {2,}(\S.*)$/gm)].map(([, term = '', meaning = '']) => [term, meaning]);
}

test('each command is there with what its --help shows', async () => {
  const { commands } = await listed();
  expect(commands.map(({ path, summary }) => [path, summary])).toEqual([...commandSummaries()]);
  for (const command of commands) {
    const { stdout } = await operator.run([...command.path.split(' '), '--help'], wide);
    // A term that is wider than the others stands above its meaning.
    const help = stdout.replace(/^( {2}\S.*)\n {7,}(?=\S)/gm, '$1  ');
    const own = [...command.arguments.map(({ name, summary }) => [name, summary])];
    // Of many flags, those that few need are shown by their names alone.
    const rare = [...help.matchAll(/^ {2}also (.*)$/gm)].flatMap(([, names = '']) => names.split(', '));
    expect(command.flags.map(({ name }) => name)).toEqual(expect.arrayContaining(rare));
    const flags = command.flags.filter(({ name }) => !rare.includes(name)).map((flag) => [written(flag), flag.summary]);
    const lists = help.replace(/\nExamples:\n(?: .*\n)*/, '').split('\nExit codes:')[0] ?? '';
    const shown = entriesOf(lists).filter(([term]) => term !== '-h, --help');
    expect([command.path, shown.toSorted()]).toEqual([command.path, [...own, ...flags].toSorted()]);
    for (const { summary, default: value } of command.flags)
      expect([summary, /[(]default\b/.test(summary)]).toEqual([summary, value !== null]);
    const codes = /^Exit codes: (.*)$/m
      .exec(help)?.[1]
      ?.split('; ')
      .map((each) => Number.parseInt(each, 10));
    expect([command.path, command.exit_codes]).toEqual([command.path, codes]);
    expect(command.operation).toBe(/^Operation: (.*)$/m.exec(help)?.[1] ?? null);
  }
});

test('the flags of every command are those of help flags', async () => {
  const { flags } = await listed();
  const { stdout } = await operator.run(['help', 'flags'], wide);
  for (const flag of flags) expect(stdout.replace(/\s+/g, ' ')).toContain(`${written(flag)} ${flag.summary}`);
});

test('without --json it is a list to read', async () => {
  const { stdout } = await operator.run(['commands']);
  expect(stdout).toContain('logs list\tList calls, one page or all\n');
  expect(stdout.split('\n').length - 1).toBe(commandSummaries().size);
});

test('a format that a command does not have is refused by it', async () => {
  const { commands } = await listed();
  const wrong = { 'agent export': 'csv', 'logs follow': 'ids', 'campaign watch': 'csv', 'logs export': 'ids' };
  for (const [path, format] of Object.entries(wrong)) {
    expect(commands.find((command) => command.path === path)?.formats).not.toContain(format);
    expect((await operator.run([...path.split(' '), '-o', format])).code).toBe(2);
  }
});

test('results are sorted in every format, and lists of campaigns too', async () => {
  const own = new Operator({ env: { VAGENT_LOCAL: '1' } });
  const contacts = 'name,phone_number\nb,+14155550191\nB,+14155550190\n"a,",+14155550193\n';
  const create = ['campaign', 'create', '--name', 'S', '--agent', '1', '--from', '+14155550100', '--contacts', '-'];
  expect((await own.run([...create, '--first-line', 'Hi.'], { input: contacts })).code).toBe(0);
  expect((await own.run(['local', 'advance', '--until-idle'])).code).toBe(0);
  const results = async (...args: string[]) => (await own.run(['campaign', 'results', '1', ...args])).stdout;
  const names = (text: string) => [...text.matchAll(/\b(?:a,|b|B)(?=["\t, ])/g)].map(([name]) => name);
  for (const format of ['csv', 'ndjson', 'json', 'tsv', 'table']) {
    const shown = await results('--sort', 'name:desc', '--fields', 'name,state', '-o', format);
    expect([format, names(shown)]).toEqual([format, ['b', 'a,', 'B']]);
  }
  const attempts = (await results('--sort', 'attempts:desc', '--fields', 'attempts')).trim().split('\n').map(Number);
  expect(attempts).toEqual(attempts.toSorted((one, other) => other - one));
  expect((await own.run(['campaign', 'results', '1', '--sort', 'nope'])).code).toBe(2);
  const list = await own.run(['campaign', 'list', '--sort', 'campaign_id:desc', '-o', 'ids']);
  expect(list).toMatchObject({ code: 0 });
});
