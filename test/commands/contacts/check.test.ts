/** The contact flags of `contacts check`, `campaign create` and `campaign rehearse`, as scripts and people meet them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { casesBeside } from '../../support/cases.ts';
import { BIN, Operator, type Outcome } from '../../support/program.ts';
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

const errorOf = ({ stderr }: Outcome) => JSON.parse(stderr).error as Record<string, unknown>;

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

describe.concurrent('the country', () => {
  const LOCAL = ['--local', '--country', 'DE'];

  test('of the profile serves where no flag says another', async () => {
    const operator = someone({ 'a.csv': PATIENTS, 'never.txt': '030 23125001\n' });
    expect(await operator.run(['profile', 'add', 'berlin', ...LOCAL])).toMatchObject({ code: 0 });
    const args = ['contacts', 'check', 'a.csv', '--skip-invalid'];
    expect(await operator.json(args)).toMatchObject({ accepted: 2, normalized: 1 });
    expect(await operator.json([...args, '--exclude', 'never.txt'])).toMatchObject({ accepted: 1, excluded: 1 });
    expect(await operator.json([...args, '--country', 'US'])).toMatchObject({ accepted: 1, rejected: 2 });

    const { stdout } = await operator.run([...CREATE, '--contacts', 'a.csv', '--skip-invalid', '--dry-run']);
    expect(JSON.parse(stdout).body.contacts).toEqual([
      { phone_number: '+493023125001' },
      { phone_number: '+493023125002' },
    ]);
  });

  test('of another profile does not', async () => {
    const operator = someone({ 'a.csv': PATIENTS });
    await operator.run(['profile', 'add', 'plain', '--local']);
    await operator.run(['profile', 'add', 'berlin', ...LOCAL]);
    const args = ['contacts', 'check', 'a.csv', '--skip-invalid'];
    expect(await operator.json(args)).toMatchObject({ accepted: 1 });
    expect(await operator.json([...args, '--profile', 'berlin'])).toMatchObject({ accepted: 2 });
  });
});

/** A list that needs every flag. */
const MIXED = [
  'Name;Handy;Notiz',
  'Anna;030 23125001;"kommt ""immer"""',
  'Bernd;12;',
  ';+493023125002;',
  'Carla;+493023125001;',
  'Dora;+493023125003;',
  'Emil;030 23125004;',
  ';;',
  ' ; ;',
  'Fritz;"=""+19995550100""";"zwei',
  'Zeilen"',
  'Greta;;',
  'Hans;+493023125005',
  '',
].join('\n');
const MIXED_FILES = {
  'mixed.csv': MIXED,
  'never.txt': '+493023125003\n030 23125004\n',
};
const MIXED_FLAGS = [
  '--country',
  'DE',
  '--exclude',
  'never.txt',
  '--first-line',
  'Hallo {{Name|Sie}}, {{Notiz|hier Ava}}.',
];

describe.concurrent('a campaign', () => {
  const create = [...CREATE, '--contacts', 'mixed.csv', ...MIXED_FLAGS];
  const rehearse = [...REHEARSE, '--contacts', 'mixed.csv', ...MIXED_FLAGS];
  const SENT = [
    { phone_number: '+493023125001', custom_first_line: 'Hallo Anna, kommt "immer".' },
    { phone_number: '+493023125002', custom_first_line: 'Hallo Sie, hier Ava.' },
    { phone_number: '+19995550100', custom_first_line: 'Hallo Fritz, zwei\nZeilen.' },
  ];

  test('--dry-run shows the contacts as they would be sent', async () => {
    const operator = someone(MIXED_FILES);
    const { code, stdout } = await operator.run([...create, '--skip-invalid', '--dry-run']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      method: 'POST',
      url: '/create-campaign',
      body: { campaign_name: 'Spring', agent_id: 1, call_from: '+14155550100', contacts: SENT },
    });
    expect(await campaignsOf(operator)).toEqual([]);
  });

  test('is created of the same contacts', async () => {
    const operator = someone(MIXED_FILES);
    const { code, stdout } = await operator.run([...create, '--skip-invalid', '--store', 'store']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('total_contacts\t3\n') });
    const stored = fileOf(operator, 'store/campaigns/1/contacts.jsonl').trimEnd().split('\n');
    expect(stored.map((line) => JSON.parse(line))).toEqual(SENT);
  });

  test.each([
    ['campaign create', [...create, '--skip-invalid', '--fields', 'total_contacts'], 'total_contacts\t3\n'],
    ['campaign rehearse', [...rehearse, '--skip-invalid', '--fields', 'contacts'], 'contacts\t3\n'],
  ])(
    '%s tells what was understood, changed, left out and doubtful; --quiet tells nothing',
    async (_name, args, stdout) => {
      const operator = someone(MIXED_FILES);
      const told = await operator.run([...args, '--local']);
      expect(told).toMatchObject({ code: 0, stdout });
      expect(told.stderr.split('\n')).toEqual([
        'mixed.csv: utf-8, cells between semicolons, 2 empty rows passed over; phone_number from Handy; ' +
          'custom_first_line from "Hallo {{Name|Sie}}, {{Notiz|hier Ava}}."',
        'mixed.csv: 3 of 9 rows accepted; 3 rejected, 1 duplicates, 2 excluded.',
        'never.txt: 2 numbers, 2 rows held back',
        'mixed.csv: 2 numbers changed to E.164, such as 030 23125001 → +493023125001',
        'Warning: mixed.csv, line 10: ="…" was removed',
        "Warning: mixed.csv, line 10: +19995550100 is well-formed, but not assigned in its country's numbering plan",
        'Nobody can say where 1 of 3 contacts are, nor what time it is there.',
        '',
      ]);
      expect(await operator.run([...args, '--quiet'])).toEqual({ code: 0, signal: null, stdout, stderr: '' });
    },
  );
});

describe.concurrent('the output of contacts check', () => {
  const check = ['contacts', 'check', 'mixed.csv', ...MIXED_FLAGS];

  test('as a table', async () => {
    const { code, stdout, stderr } = await someone(MIXED_FILES).run([...check, '-o', 'table']);
    await expect(stdout).toMatchFileSnapshot(join(import.meta.dirname, 'check-mixed.txt'));
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr:
        'vagent: mixed.csv: 4 of 9 rows cannot be used.\n' +
        '  → Fix them, or leave them out with --skip-invalid; --rejects puts them into a file.\n',
    });
  });

  test('of many faults shows some of each kind, and counts all', async () => {
    const rows = Array.from({ length: 8 }, (_, at) => `1${at}`);
    const { stdout } = await someone({ 'a.csv': `phone\n${rows.join('\n')}\n` }).run([
      ...['contacts', 'check', 'a.csv', '-o', 'table'],
    ]);
    expect(stdout).toContain('not E.164 (8)\n  line 2, phone: ');
    expect(stdout.match(/line \d, phone/g)).toHaveLength(5);
    expect(stdout).toContain('  … and 3 more (--json shows more)\n');
  });

  test('piped is a line for each field', async () => {
    const operator = someone({ 'a.csv': 'phone\tname\n+14155550101\tAnn\n+1 415 555 0102\tBob\n' });
    const { code, stdout, stderr } = await operator.run(['contacts', 'check', 'a.csv', '--identifier', '{{name}}']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot(join(import.meta.dirname, 'check-piped.txt'));
  });

  test.each(cases<[string, string[], string]>('formats'))(
    '--fields rows,accepted %s',
    async (_name, flags, expected) => {
      const args = [...check, '--skip-invalid', '--fields', 'rows,accepted', ...flags];
      expect(await someone(MIXED_FILES).run(args)).toEqual({ code: 0, signal: null, stdout: expected, stderr: '' });
    },
  );

  test('in JSON mode is the report, and one error beside it', async () => {
    const outcome = await someone(MIXED_FILES).run([...check, '--json']);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ rows: 9, accepted: 3, rejected: 3, duplicates: 1, excluded: 2 });
    expect(outcome.code).toBe(3);
    expect(errorOf(outcome)).toMatchObject({
      code: 'invalid_input',
      message: 'mixed.csv: 4 of 9 rows cannot be used.',
      hint: expect.stringContaining('--skip-invalid'),
      status: null,
      exit_code: 3,
    });
  });
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
