/** What a command line means: what each flag gets is what was typed, and what nobody can have meant is refused. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectionFlags } from '../../src/cli/flags/global.ts';
import { PlainCommand } from '../../src/cli/flags/plain-command.ts';
import { duration, identifier, integerFrom, repeated, share, timeout } from '../../src/cli/flags/values.ts';
import { Operator, ROOT } from '../support/program.ts';

/** A command with flags of every kind, and what it was given. */
function given(words: string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const program = new PlainCommand('vagent').exitOverride().configureOutput({ writeErr: () => {} });
  program.enablePositionalOptions().option('--local', 'local');
  program
    .command('try')
    .argument('[words...]')
    .option('--answer-rate <rate>', 'a share', share)
    .option('--no-answer-rate <rate>', 'a share', share)
    .option('--input <file>', 'a file')
    .option('--no-input', 'never ask')
    .option('--text <text>', 'a text')
    .option('-o, --output <format>', 'a format')
    .option('-q, --quiet', 'quiet')
    .option('-y, --yes', 'yes')
    .option('--list <item>', 'several', repeated(String))
    .option('--local', 'local')
    .action((operands: string[], options: object) => {
      Object.assign(found, options, operands.length > 0 && { operands });
    });
  program.parse(['try', ...words], { from: 'user' });
  return found;
}

describe('a flag gets what was typed', () => {
  test.each<[typed: string[], got: Record<string, unknown>]>([
    [['--no-answer-rate', '0.3'], { noAnswerRate: 0.3 }],
    [['--no-answer-rate=0.3', '--answer-rate', '.5'], { noAnswerRate: 0.3, answerRate: 0.5 }],
    [['--no-input'], { noInput: true }],
    [['--no-input', '--input', 'a.json'], { noInput: true, input: 'a.json' }],
    [['--text', '-hello'], { text: '-hello' }],
    [['--text', '- Hello, it is Ava'], { text: '- Hello, it is Ava' }],
    [['--text', '-05:00'], { text: '-05:00' }],
    [['--text', '-1'], { text: '-1' }],
    [['--text', '-'], { text: '-' }],
    [['--text', ''], { text: '' }],
    [['--text='], { text: '' }],
    [['--text==x'], { text: '=x' }],
    [['--text=--input'], { text: '--input' }],
    [['--text=--no-input', '--input=-'], { text: '--no-input', input: '-' }],
    [['--text', 'input', 'x'], { text: 'input', operands: ['x'] }],
    [['-qy', '-ojson'], { quiet: true, yes: true, output: 'json' }],
    [['-qojson'], { quiet: true, output: 'json' }],
    [['--list', 'a', '--list', 'b'], { list: ['a', 'b'] }],
    [['--text', 'a', '--text', 'b'], { text: 'b' }],
    [['--', '--text', '-x'], { operands: ['--text', '-x'] }],
    [['a', '--local', 'b'], { local: true, operands: ['a', 'b'] }],
    [['--text=--'], { text: '--' }],
  ])('%j', (typed, got) => {
    expect(given(typed)).toEqual(got);
  });

  test.each<[typed: string[], says: RegExp]>([
    [['--text', '--input', 'a.json'], /--text <text> needs a value, and --input is a flag/],
    [['--text', '--no-input'], /--text <text> needs a value, and --no-input is a flag/],
    [['--text', '--no-answer-rate=1'], /needs a value, and --no-answer-rate=1 is a flag/],
    [['--text', '-q'], /needs a value, and -q is a flag/],
    [['--text', '--help'], /needs a value, and --help is a flag/],
    [['--text', '-h'], /needs a value, and -h is a flag/],
    [['-o', '--text', 'x'], /-o, --output <format> needs a value, and --text is a flag/],
    [['--text', '--', 'x'], /needs a value, and -- is a flag/],
    [['--text'], /--text <text> needs a value/],
    [['--no-text', 'x'], /Unknown flag '--no-text'/],
    [['--no-answer', '0.3'], /Unknown flag '--no-answer'/],
    [['--tex', 'x'], /Unknown flag '--tex'/],
    [['--quiet=false'], /Unknown flag '--quiet=false'/],
    [['-qx'], /Unknown flag '-x'/],
    [['-y=no'], /Unknown flag '-=no'/],
    [['—text', 'x', '-1x'], /Unknown flag '-1x'/],
  ])('%j is refused', (typed, says) => {
    expect(() => given(typed)).toThrow(says);
  });

  test('no command is made of another class, which has these traps', () => {
    const source = join(ROOT, 'src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const making = files.filter((file) => /new (Command|Option)\(/.test(readFileSync(join(source, file), 'utf8')));
    expect(making).toEqual([]);
  });
});

test('a command that is suggested means what was typed', () => {
  const flags = { profile: '--local', store: '-x y', baseUrl: new URL('http://127.0.0.1:1/api'), apiKeyFile: '-' };
  expect(connectionFlags(flags)).toBe(
    " --profile=--local --store='-x y' --base-url http://127.0.0.1:1/api --api-key-file -",
  );
});

describe('a value is what was typed', () => {
  const refused = [
    '',
    ' 5',
    '5 ',
    '+5',
    '-5',
    '-0',
    '5.0',
    '1e3',
    '0x10',
    '1_000',
    '1,000',
    '٥',
    '５',
    'Infinity',
    'NaN',
  ];

  test.each(refused)('%j is no integer', (text) => {
    expect(() => integerFrom(0)(text)).toThrow('It must be an integer');
  });

  test.each(['9007199254740992', '99999999999999999999'])('%s is more than a number can hold', (text) => {
    expect(() => identifier(text)).toThrow('at most 9007199254740991');
  });

  test.each<[string, number]>([
    ['1', 1],
    ['05', 5],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('%s is the integer %i', (text, value) => {
    expect(identifier(text)).toBe(value);
  });

  test.each([...refused, '1.5h', '-5m', '1h30', '5M', '5mi', 'm', '1y', '9999999999s', '٥m'])(
    '%j is no duration',
    (text) => {
      expect(() => duration(text)).toThrow('It must be a duration');
    },
  );

  test.each<[string, number]>([
    ['0', 0],
    ['90', 90],
    ['90s', 90],
    ['15m', 900],
    ['02h', 7200],
    ['3d', 259_200],
    ['1w', 604_800],
    ['5 min', 300],
    ['1h30m', 5400],
    ['999999999d', 86_399_999_913_600],
  ])('%s is %i seconds', (text, seconds) => {
    expect(duration(text)).toBe(seconds);
  });

  test.each(['0', '25d', '999999999d', '-1'])('%s is no deadline', (text) => {
    expect(() => timeout(text)).toThrow('It must be a duration');
  });

  test.each(['', '.', '-0.1', '+0.1', '1.1', '1e-3', '50%', '0,5', '٠', 'NaN'])('%j is no share', (text) => {
    expect(() => share(text)).toThrow('It must be a decimal from 0 to 1');
  });
});

describe('in the program', () => {
  const operator = new Operator();
  const RATES = ['local', 'scenario', '--answer-rate', '0.4', '--busy-rate', '0.2', '--failed-rate', '0.1'];

  test('local scenario --no-answer-rate sets the rate of calls that nobody answers', async () => {
    const { code, stdout } = await operator.run([...RATES, '--no-answer-rate', '0.3', '--json']);
    expect(code).toBe(0);
    const rates = { answer_rate: 0.4, busy_rate: 0.2, no_answer_rate: 0.3, failed_rate: 0.1 };
    expect(JSON.parse(stdout)).toMatchObject(rates);
    const alone = await operator.run(['local', 'scenario', '--no-answer-rate', '0.9']);
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('no_answer_rate 0.9') });
  });

  test('a call does not begin with the flag whose text was forgotten', async () => {
    const line = 'call +14155550190 --agent 1 --from +14155550100 --first-line --instruction Offer --local';
    const { code, stdout, stderr } = await operator.run(line.split(' '));
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'vagent: --first-line <text> needs a value, and --instruction is a flag.\n' +
        '  → If it is the value: --first-line=--instruction\n',
    });
  });

  test.each([
    ['logs list extra', 'vagent logs list does not take extra.'],
    ['logs list -- extra', 'vagent logs list does not take extra.'],
    ['local status 1', 'vagent local status does not take 1.'],
    ['call +14155550190 +14155550191', 'vagent call does not take +14155550191.'],
    ['logs list -o=json', "--output must be one of table, json, ndjson, csv, tsv, ids, not '=json'."],
  ])('%s: exit 2', async (line, says) => {
    const { code, stdout, stderr } = await operator.run(line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
  });
});

describe('help', () => {
  const operator = new Operator();
  const run = (line: string) => operator.run(line === '' ? [] : line.split(' '));

  test.each([
    ['help call', 'vagent call'],
    ['help logs', 'vagent logs'],
    ['help logs export', 'vagent logs export'],
    ['--local help logs export', 'vagent logs export'],
    ['help --json local scenario', 'vagent local scenario'],
    ['help help', 'vagent help'],
    ['logs help', 'vagent logs'],
    ['logs help export', 'vagent logs export'],
    ['logs export --help', 'vagent logs export'],
    ['call --help extra', 'vagent call'],
  ])('vagent %s is the help of %s', async (line, command) => {
    const { code, stdout, stderr } = await run(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: ${command} (\\[flags\\]|<command>)`, 'm'));
    expect(stdout).not.toContain('(outputHelp)');
  });

  test.each(['', 'help', '--local', '-o json', '-q --no-color'])('vagent %s is the overview', async (line) => {
    const { code, stdout, stderr } = await run(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Runs voice-agent phone campaigns: /);
  });

  test.each([
    ['help nope', "Unknown command 'nope'.", /^Commands: call, campaign, .* See vagent --help\.$/],
    ['help lgos', "Unknown command 'lgos'.", /^Did you mean logs\? Commands: call, .* See vagent --help\.$/],
    ['help logs nope', 'vagent logs has no command nope.', /^Commands: list, export, /],
    [
      'help logs exprot',
      'vagent logs has no command exprot.',
      /^Did you mean export\? Commands: .* See vagent logs --help\.$/,
    ],
    [
      'help logs export csv',
      'vagent logs export has no commands, and csv is none.',
      /^See vagent logs export --help\.$/,
    ],
    ['help --nope', "Unknown flag '--nope'.", /^See vagent help --help\.$/],
    ['logs help nope', 'vagent logs has no command nope.', /^Commands: list, export, /],
    ['nope', "Unknown command 'nope'.", /^Commands: call/],
    ['nope --help', "Unknown command 'nope'.", /^Commands: call/],
    ['--local nope', "Unknown command 'nope'.", /^Commands: call/],
    ['logs', 'vagent logs needs a command.', /^Commands: list, export, /],
    ['logs --local', 'vagent logs needs a command.', /^Commands: list, export, /],
    ['logs lst', 'vagent logs has no command lst.', /^Did you mean list\?/],
    ['logs lst --help', 'vagent logs has no command lst.', /^Did you mean list\?/],
  ])('vagent %s: exit 2', async (line, message, hint) => {
    const { code, stdout, stderr } = await run(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')).toEqual([`vagent: ${message}`, ...(hint ? [expect.stringMatching(/^ {2}→ /)] : []), '']);
    // Asked as JSON, the same is one object.
    const asJson = await run(`${line} --json`);
    expect({ code: asJson.code, stdout: asJson.stdout }).toEqual({ code: 2, stdout: '' });
    const { error } = JSON.parse(asJson.stderr);
    expect(error).toMatchObject({ message, exit_code: 2, hint: hint ? expect.stringMatching(hint) : null });
  });
});
