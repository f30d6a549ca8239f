/** What a command line means: what each flag gets is what was typed, and what nobody can have meant is refused. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectionFlags } from '../../../src/cli/flags/global.ts';
import { PlainCommand } from '../../../src/cli/flags/plain-command.ts';
import { duration, identifier, integerFrom, repeated, share, timeout } from '../../../src/cli/flags/values.ts';
import { casesBeside } from '../../support/cases.ts';
import { Operator, ROOT } from '../../support/program.ts';

const cases = casesBeside(import.meta.filename);

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
  test.each(cases<[typed: string[], got: Record<string, unknown>]>('typed'))('%j', (typed, got) => {
    expect(given(typed)).toEqual(got);
  });

  test.each(cases<[typed: string[], says: RegExp]>('typed and refused'))('%j is refused', (typed, says) => {
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
  const refused = cases<string>('no number');

  const noDuration = [...refused, '1.5h', '-5m', '1h30', '5M', '5mi', 'm', '1y', '9999999999s', '٥m'];
  const noShare = ['', '.', '-0.1', '+0.1', '1.1', '1e-3', '50%', '0,5', '٠', 'NaN'];
  test.each<[what: string, read: (text: string) => unknown, texts: string[], says: string]>([
    ['integer', integerFrom(0), refused, 'It must be an integer'],
    ['number that one can hold', identifier, ['9007199254740992', '99999999999999999999'], 'at most 9007199254740991'],
    ['duration', duration, noDuration, 'It must be a duration'],
    ['deadline', timeout, ['0', '25d', '999999999d', '-1'], 'It must be a duration'],
    ['share', share, noShare, 'It must be a decimal from 0 to 1'],
  ])('what is no %s', (_what, read, texts, says) => {
    for (const text of texts) expect(() => read(text), text).toThrow(says);
  });

  test('integers and durations', () => {
    expect(['1', '05', '9007199254740991'].map(identifier)).toEqual([1, 5, Number.MAX_SAFE_INTEGER]);
    for (const [text, seconds] of cases<[string, number]>('seconds')) expect(duration(text), text).toBe(seconds);
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
});

describe('help', () => {
  const operator = new Operator();
  const run = (line: string) => operator.run(line === '' ? [] : line.split(' '));

  test.each(cases<[string, string]>('help of'))('vagent %s is the help of %s', async (line, command) => {
    const { code, stdout, stderr } = await run(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: ${command} (\\[flags\\]|<command>)`, 'm'));
    expect(stdout).not.toContain('(outputHelp)');
  });

  test.each(['', 'help', '--local', '-o json', '-q --no-color'])('vagent %s is the overview', async (line) => {
    const { code, stdout, stderr } = await run(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Runs voice-agent phone campaigns\. /);
  });
});
