/** Results that are longer than the screen of a real pseudo-terminal, of 40 rows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { terminalFacts } from '../../../src/cli/terminal/environment.ts';
import { casesBeside } from '../../support/cases.ts';
import { Operator } from '../../support/program.ts';
import { play } from '../../support/terminal.ts';

const cases = casesBeside(import.meta.filename);

const LONG = ['help', 'contacts'];

describe.concurrent('the pager', () => {
  const operator = new Operator();
  const shown = async (env: Record<string, string>, ...flags: string[]) =>
    play(operator, [...LONG, ...flags], [], { env });
  const whole = shown({ PAGER: '' });

  test('shows what is longer than the screen; leaving it early is a normal end', async () => {
    const { code, text } = await shown({ PAGER: 'head -3' });
    expect({ code, lines: text.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 3 });
  });

  test.each([
    ['none', { PAGER: '' }, []],
    ['cat', { PAGER: 'cat' }, []],
    ['one that is not there', { PAGER: 'no-such-pager' }, []],
    ['--no-pager', { PAGER: 'head -2' }, ['--no-pager']],
  ])('%s: everything is shown as it is', async (_name, env, flags) => {
    const { code, text } = await shown(env, ...flags);
    expect(code).toBe(0);
    expect(text.split('\n').length).toBeGreaterThan(40);
  });

  test.each(cases<[string, string]>('pagers that fail'))(
    'one %s: the text is shown in full, once',
    async (_what, pager) => {
      writeFileSync(join(operator.home, 'pager'), '#!/no/such/interpreter\n', { mode: 0o755 });
      const plain = await whole;
      const { code, text } = await shown({ PAGER: pager });
      expect(code).toBe(0);
      expect(text.slice(-plain.text.length)).toBe(plain.text);
      expect(text.length).toBeLessThan(plain.text.length + 200);
    },
  );

  test('one that fails after it was read is no reason to show all again', async () => {
    const { code, text } = await shown({ PAGER: 'head -3; exit 1' });
    expect({ code, lines: text.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 3 });
  });

  test('a result that fits needs no pager', async () => {
    const { text } = await play(operator, ['local', 'number', 'list'], [], { env: { PAGER: 'head -1' } });
    expect(text).toBe('Number\n+14155550100\n+442079460100\n');
  });
});

test.each(cases<[Record<string, string>, object]>('facts'))('%j', (env, facts) => {
  expect(terminalFacts(env)).toMatchObject(facts);
});
