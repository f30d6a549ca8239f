/** The contact flags of `contacts check`, `campaign create` and `campaign rehearse`, as scripts and people meet them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { casesBeside } from '../../support/cases.ts';
import { BIN, Operator } from '../../support/program.ts';
import { play } from '../../support/terminal.ts';

const cases = casesBeside(import.meta.filename);
const CREATE = ['campaign', 'create', '--name', 'Spring', '--agent', '1', '--from', '+14155550100'];
const REHEARSE = ['campaign', 'rehearse', '--agent', '1', '--from', '+14155550100'];

/** Sound, and sound only with --country DE, and not at all. */
const PATIENTS = 'Name;Handy\nAnna;+493023125001\nBernd;030 23125002\nCarla;12\n';
const REJECTED_OF_PATIENTS = [
  'line;column;code;reason;Name;Handy',
  '4;Handy;not_e164;"""12"" is not a number of DE. Correct it, or write it with + and the country code.";Carla;12',
  '',
].join('\r\n');

/** When nobody is called at night in California or in Germany. */
const frozenAt = '2026-11-20T17:00:00Z';

function someone(files: Record<string, string | Buffer> = {}): Operator {
  const operator = new Operator({ frozenAt, env: { VAGENT_LOCAL: '1' } });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(operator.home, name), content);
  return operator;
}

const fileOf = ({ home }: Operator, name: string) => readFileSync(join(home, name), 'utf8');

async function campaignsOf(operator: Operator): Promise<unknown[]> {
  const { campaigns } = await operator.json<{ campaigns: unknown[] }>(['local', 'status']);
  return campaigns;
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

describe.concurrent('--rejects', () => {
  const FLAGS = ['--country', 'DE', '--rejects', 'to-fix.csv'];
  const check = ['contacts', 'check', 'patients.csv', ...FLAGS];
  const create = [...CREATE, '--contacts', 'patients.csv', ...FLAGS];
  const rehearse = [...REHEARSE, '--contacts', 'patients.csv', ...FLAGS];

  test.each([
    ['contacts check', check, 3, 0],
    ['contacts check --skip-invalid', [...check, '--skip-invalid'], 0, 0],
    ['campaign create', create, 3, 0],
    ['campaign create --skip-invalid', [...create, '--skip-invalid'], 0, 1],
    ['campaign create --skip-invalid --dry-run', [...create, '--skip-invalid', '--dry-run'], 0, 0],
    ['campaign rehearse', rehearse, 3, 0],
    ['campaign rehearse --skip-invalid', [...rehearse, '--skip-invalid'], 0, 0],
  ])('%s writes the rows that cannot be used in place of an old file', async (_name, args, code, created) => {
    const operator = someone({ 'patients.csv': PATIENTS, 'to-fix.csv': 'of yesterday\n'.repeat(100) });
    expect(await operator.run(args)).toMatchObject({ code });
    expect(fileOf(operator, 'to-fix.csv')).toBe(REJECTED_OF_PATIENTS);
    expect(await campaignsOf(operator)).toHaveLength(created);
    expect(readdirSync(operator.home).filter((name) => name.includes('.vagent'))).toEqual([]);
  });
});

describe.concurrent('--exclude', () => {
  const CONTACTS = 'phone\n+493023125001\n030 23125002\n+493023125003\n+493023125004\n+493023125003\n';

  test('holds them back from a campaign, and says how many', async () => {
    const operator = someone({ 'a.csv': CONTACTS, 'one.txt': '+493023125001\n', 'two.txt': '+493023125003\n' });
    const flags = ['--country', 'DE', '--exclude', 'one.txt', '--exclude', 'two.txt', '--dry-run'];
    const { code, stdout, stderr } = await operator.run([...CREATE, '--contacts', 'a.csv', ...flags]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).body.contacts).toEqual([
      { phone_number: '+493023125002' },
      { phone_number: '+493023125004' },
    ]);
    expect(stderr).toContain('one.txt: 1 number, 1 row held back\ntwo.txt: 1 number, 2 rows held back\n');
  });
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
        'rows        1',
        'accepted    1',
        'rejected    0',
        'duplicates  0',
        'excluded    0',
        'normalized  0',
        '',
        'As they would be sent',
        '  {"phone_number":"+14155550101"}',
        'Next: vagent campaign rehearse --contacts a.csv',
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
