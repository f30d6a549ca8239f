/** A terminal that cannot show anything anew (`TERM=dumb`), or that is kept as a log (`CI=1`): nothing there is written over. */
import { describe, expect, test } from 'vitest';
import { Operator } from '../../support/program.ts';
import { CTRL_C, play, type Step } from '../../support/terminal.ts';

const FROM = '+14155550100';
const TO = '+14155550190';
const PLACES = { 'TERM=dumb': { TERM: 'dumb' }, 'CI=1': { CI: '1', NO_COLOR: '1' } };

/** No escape sequence, and no return to the beginning of a line that was written: only line ends. */
function expectNothingAnew(output: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(output.replaceAll('\r\n', '\n')).not.toMatch(/[\u001b\r\b]/);
}

describe.concurrent.each(Object.entries(PLACES))('%s asks by numbered lines', (_name, env) => {
  const asked = async (args: string[], steps: Step[], settings: Record<string, string> = {}) => {
    const played = await play(new Operator(), args, steps, { env: { ...env, ...settings } });
    expectNothingAnew(played.output);
    return played;
  };

  test('a call: lists, a search, texts and a yes', async () => {
    const steps: Step[] = [
      ...[/Number to call.*: $/, 'nonsense\n', /is not an? .*number/, /Number to call.*: $/, `${TO}\n`],
      ...[/1\) 1 +Demo Agent.*\nNumber of a line, or text to search.*: $/s, '1\n'],
      ...[/1\) \+14155550100\n.*2\) \+442079460100\n.*: $/s, '4420\n', /1\) \+442079460100\n.*: $/s, '1\n'],
      ...[/First line.*: $/, 'Hello.\n', /> $/, '\n'],
      ...[/\(Y\/n\): $/, 'what\n', /Type y or n\.\n.*\(Y\/n\): $/, 'y\n', /call-call_0000000001/],
    ];
    const { code, text } = await asked(['call', '--instruction', 'Short.', '--identifier', 'a'], steps);
    expect(code).toBe(0);
    expect(text).toMatch(/vagent call \+14155550190 .*--agent 1 --from \+442079460100 --first-line Hello\./);
  });

  test('several lines, ended by an empty one', async () => {
    const steps: Step[] = [
      /Base instructions.*an empty line ends it.*: $/,
      'Be brief.\n',
      /> $/,
      'Be kind.\n',
      /> $/,
      '\n',
    ];
    const args = ['agent', 'create', '--name', 'Ann', '--voice', '1', '--yes'];
    expect((await asked(args, [...steps, /Ann/])).code).toBe(0);
  });

  test('Ctrl-C and the end of input leave a question', async () => {
    expect((await asked(['call'], [/Number to call.*: $/, CTRL_C])).code).toBe(130);
    expect((await asked(['call'], [/Number to call.*: $/, '\u0004'])).code).toBe(130);
  });

  test('a key is not shown while it is typed', async () => {
    const args = ['profile', 'add', 'work', '--base-url', 'http://127.0.0.1:9', '--org', '7'];
    const { text } = await asked(args, [/it is not shown.*: $/i, 'sk-secret-key-1\n', /\n/], { VAGENT_LOCAL: '' });
    expect(text).not.toContain('sk-secret-key-1');
  });

  test('a campaign is watched by lines, one whenever something has changed', async () => {
    const operator = new Operator();
    const local = { env: { VAGENT_LOCAL: '1' } };
    const campaign = ['campaign', 'create', '--name', 'Spring', '--agent', '1', '--from', FROM];
    await operator.run([...campaign, '--contacts', '-', '--calls-per-hour', '3600'], {
      ...local,
      input: `phone\n${TO}\n`,
    });
    const { code, output, text } = await play(operator, ['campaign', 'watch', '1', '--speed', '20000'], [], { env });
    expect(code).toBe(0);
    expectNothingAnew(output);
    expect(text).toMatch(/Spring/);
    const lines = text.trim().split('\n');
    expect(new Set(lines).size).toBe(lines.length);
  });
});
