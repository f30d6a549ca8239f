/** The contact flags of `contacts check`, `campaign create` and `campaign rehearse`, as scripts and people meet them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { casesBeside } from '../../support/cases.ts';
import { BIN, Operator } from '../../support/program.ts';
import { play } from '../../support/terminal.ts';

const cases = casesBeside(import.meta.filename);
/** Sound, and sound only with --country DE, and not at all. */
const PATIENTS = 'Name;Handy\nAnna;+493023125001\nBernd;030 23125002\nCarla;12\n';
/** When nobody is called at night in California or in Germany. */
const frozenAt = '2026-11-20T17:00:00Z';

function someone(files: Record<string, string | Buffer> = {}): Operator {
  const operator = new Operator({ frozenAt, env: { VAGENT_LOCAL: '1' } });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(operator.home, name), content);
  return operator;
}

describe.concurrent('standard input', () => {
  test.each(cases<[string[], string, number, string, RegExp]>('standard input'))(
    '%j reads %j',
    async (args, input, code, stdout, stderr) => {
      const told = await someone({ 'a.csv': 'phone\n+14155550101\n+14155550102\n' }).run(args, { input });
      expect(told).toMatchObject({
        code,
        stdout: expect.stringContaining(stdout),
        stderr: expect.stringMatching(stderr),
      });
      if (stdout === '') expect(told.stdout).toBe('');
    },
  );
});

test.each(cases<[string, string[], string]>('formats'))('--fields rows,accepted %s', async (_name, flags, expected) => {
  const operator = someone({ 'patients.csv': PATIENTS });
  const args = ['contacts', 'check', 'patients.csv', '--skip-invalid', '--fields', 'rows,accepted', ...flags];
  expect(await operator.run(args)).toEqual({ code: 0, signal: null, stdout: expected, stderr: '' });
});

describe.concurrent('at a terminal', () => {
  test('contacts check shows its table', async () => {
    const operator = someone({ 'a.csv': 'phone\n+14155550101\n' });
    const { code, text } = await play(operator, ['contacts', 'check', 'a.csv']);
    expect(code).toBe(0);
    expect(text).toBe(
      [
        'a.csv: utf-8, cells between commas',
        '  phone_number from phone',
        '',
        'rows         1',
        'accepted     1',
        'rejected     0',
        'duplicates   0',
        'excluded     0',
        'reformatted  0',
        '',
        'As they would be sent',
        '  +14155550101',
        'Next: vagent plan create a.csv',
        '',
      ].join('\n'),
    );
  });

  test('a check that takes longer than a second shows how far it is, and nothing of it with --quiet', async () => {
    const numbers = Array.from({ length: 20_000 }, (_, at) => `+1415${5_560_000 + at}\n`).join('');
    const operator = someone({ 'first.csv': `phone\n${numbers}`, 'second.csv': numbers });
    /** The contacts of two files, the second a while after the first; with `end`, more after that has run. */
    const check = (flags: string, end: string) => {
      const slowly = `(cat first.csv; sleep 1.5; cat second.csv; ${end})`;
      return `${slowly} | '${process.execPath}' '${BIN}' contacts check - --duplicates keep --fields rows ${flags}`;
    };
    const isShown = async () => writeFileSync(join(operator.home, 'shown'), '');
    const untilShown = 'until [ -e shown ]; do sleep 0.1; done; cat second.csv';
    const [told, quiet] = await Promise.all([
      play(operator, [], [/Checking contacts: [2-6]\d{4}/, isShown], { script: check('', untilShown) }),
      play(operator, [], [], { script: check('--quiet', 'cat second.csv') }),
    ]);
    expect(told.code).toBe(0);
    expect(told.text).toMatch(/Rows +60000\n$/);
    expect(quiet).toMatchObject({ code: 0, text: expect.stringMatching(/^Rows +60000\n$/) });
  });
});
