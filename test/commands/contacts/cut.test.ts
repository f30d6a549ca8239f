/** `contacts split` and `contacts sample`: the whole file is checked, and files appear together or not at all. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator } from '../../support/program.ts';

const ROWS = Array.from({ length: 7 }, (_none, at) => `+1415555010${at},"Ann ""A"" ${at} ",x\n`);
const HEADER = 'Mobile, Full name ,note\n';
const FILE = HEADER + ROWS.join('');

function someone(files: Record<string, string> = {}): Operator {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  for (const [name, content] of Object.entries({ 'all.csv': FILE, ...files })) {
    writeFileSync(join(operator.home, name), content);
  }
  return operator;
}

const textOf = ({ home }: Operator, name: string) => readFileSync(join(home, name), 'utf8');
const filesOf = ({ home }: Operator) => readdirSync(home).sort();
const inCsv = (text: string) => text.replaceAll('\n', '\r\n');

describe.concurrent('contacts split', () => {
  test('cuts a file into parts that together are the file', async () => {
    const operator = someone();
    const { code, stdout, stderr } = await operator.run([
      ...['contacts', 'split', 'all.csv', '--parts', '3', '--out', 'part.csv'],
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'part-1.csv\t3\npart-2.csv\t2\npart-3.csv\t2\n' });
    expect(stderr).toContain('all.csv: 7 contacts in 3 files, 2 to 3 each.');
    expect(textOf(operator, 'part-1.csv')).toBe(inCsv(HEADER + ROWS.slice(0, 3).join('')));
    expect(textOf(operator, 'part-2.csv')).toBe(inCsv(HEADER + ROWS.slice(3, 5).join('')));
    expect(textOf(operator, 'part-3.csv')).toBe(inCsv(HEADER + ROWS.slice(5).join('')));
    expect(filesOf(operator)).toEqual(['all.csv', 'part-1.csv', 'part-2.csv', 'part-3.csv']);
    expect(statSync(join(operator.home, 'part-1.csv')).mode & 0o777).toBe(0o600);
  });

  test('cuts into parts of a size, from standard input, with a name that has no ending', async () => {
    const operator = someone();
    const args = ['contacts', 'split', '-', '--size', '3', '--out', 'part', '--json'];
    const { code, stdout } = await operator.run(args, { input: FILE });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      parts: [
        { file: 'part-1.csv', contacts: 3 },
        { file: 'part-2.csv', contacts: 3 },
        { file: 'part-3.csv', contacts: 1 },
      ],
    });
  });

  test('leaves out what is excluded, repeated or unusable', async () => {
    const operator = someone({
      'list.csv': 'phone\n+14155550100\n12\n+14155550101\n+14155550101\n+14155550102\n',
      'never.txt': '+14155550102\n',
    });
    const flags = ['--skip-invalid', '--rejects', 'bad.csv', '--duplicates', 'skip', '--exclude', 'never.txt'];
    const args = ['contacts', 'split', 'list.csv', '--parts', '2', '--out', 'p.csv', ...flags];
    expect(await operator.run(args)).toMatchObject({ code: 0, stdout: 'p-1.csv\t1\np-2.csv\t1\n' });
    expect(textOf(operator, 'p-1.csv') + textOf(operator, 'p-2.csv')).toBe(
      'phone\r\n+14155550100\r\nphone\r\n+14155550101\r\n',
    );
    expect(textOf(operator, 'bad.csv')).toContain('12');
  });

  test('writes nothing if a row cannot be used', async () => {
    const operator = someone({ 'list.csv': 'phone\n+14155550100\n12\n' });
    const { code, stdout, stderr } = await operator.run('contacts split list.csv --parts 2 --out p.csv'.split(' '));
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('1 of 2 rows cannot be used; nothing was written.');
    expect(filesOf(operator)).toEqual(['all.csv', 'list.csv']);
  });

  test.each([
    ['no way to cut', [], 2, 'How to cut the file is not said.'],
    ['two ways', ['--parts', '2', '--size', '2'], 2, 'cannot be used with'],
    ['more parts than contacts', ['--parts', '8'], 2, '--parts 8: there are only 7 contacts. Nothing was written.'],
    ['no parts', ['--parts', '0'], 2, 'must be an integer'],
    ['standard output', ['--parts', '2', '--out', '-'], 2, 'name the files, such as part.csv'],
    ['a folder', ['--parts', '2', '--out', 'parts/'], 2, 'name the files, such as part.csv'],
    ['another format', ['--parts', '2', '--out', 'parts.xlsx'], 2, 'the output is a CSV, not .xlsx'],
    ['a folder that is not there', ['--parts', '2', '--out', 'none/p.csv'], 9, 'none/p.csv'],
    ['an exclusion list that is not there', ['--parts', '2', '--exclude', 'none.txt'], 9, 'none.txt'],
  ])('refuses %s', async (_what, flags, code, says) => {
    const operator = someone();
    const out = flags.includes('--out') ? [] : ['--out', 'p.csv'];
    const outcome = await operator.run(['contacts', 'split', 'all.csv', ...flags, ...out]);
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).toContain(says);
    expect(filesOf(operator)).toEqual(['all.csv']);
  });

  test('too many files are not written', async () => {
    const operator = someone();
    const many = Array.from({ length: 10_000 }, (_none, at) => `+1415556${String(at).padStart(4, '0')}\n`).join('');
    const { code, stderr } = await operator.run('contacts split - --size 1 --out p.csv'.split(' '), {
      input: `phone\n${many}`,
    });
    expect(code).toBe(2);
    expect(stderr).toContain('--size 1 would cut 10000 contacts into 10000 files. Nothing was written.');
    expect(filesOf(operator)).toEqual(['all.csv']);
  });

  test.each([
    ['the file', ['part-1.csv'], {}],
    ['the file under another name', ['link.csv'], { link: 'part-2.csv' }],
    ['an exclusion list', ['all.csv', '--exclude', 'part-2.csv'], {}],
    ['the file of rejects', ['all.csv', '--skip-invalid', '--rejects', 'part-1.csv'], {}],
  ])('never replaces %s', async (_what, [file = '', ...flags], { link }: { link?: string }) => {
    const operator = someone({ 'part-1.csv': FILE, 'part-2.csv': `${HEADER}+14155550199,Zoe,x\n${ROWS.join('')}` });
    if (link !== undefined) symlinkSync(link, join(operator.home, 'link.csv'));
    const before = textOf(operator, 'part-2.csv');
    const args = ['contacts', 'split', file, ...flags, '--parts', '2', '--out', 'part.csv'];
    const own = args.includes('--exclude')
      ? await operator.run([...args, '--duplicates', 'skip'])
      : await operator.run(args);
    expect(own.code).not.toBe(0);
    expect(textOf(operator, 'part-2.csv')).toBe(before);
    if (!flags.includes('--rejects')) expect(textOf(operator, 'part-1.csv')).toBe(FILE);
  });

  test('tells of a part of an earlier run', async () => {
    const operator = someone();
    await operator.run('contacts split all.csv --parts 4 --out part.csv'.split(' '));
    chmodSync(join(operator.home, 'part-1.csv'), 0o640);
    const { code, stderr } = await operator.run('contacts split all.csv --parts 2 --out part.csv'.split(' '));
    expect(code).toBe(0);
    expect(stderr).toContain('part-3.csv, part-4.csv are of an earlier run');
    // Whoever could read a part can read the new one, and nobody else.
    expect(statSync(join(operator.home, 'part-1.csv')).mode & 0o777).toBe(0o640);
    expect(statSync(join(operator.home, 'part-2.csv')).mode & 0o777).toBe(0o600);
  });

  test('a part that cannot be replaced leaves all as they were', async () => {
    const operator = someone({ 'part-1.csv': 'mine\n' });
    mkdirSync(join(operator.home, 'part-2.csv'));
    const { code, stderr } = await operator.run('contacts split all.csv --parts 2 --out part.csv'.split(' '));
    expect(code).toBe(9);
    expect(stderr).toContain('part-2.csv');
    expect(textOf(operator, 'part-1.csv')).toBe('mine\n');
    expect(filesOf(operator)).toEqual(['all.csv', 'part-1.csv', 'part-2.csv']);
  });

  test('the parts of two runs never mix', async () => {
    const operator = someone();
    const run = (parts: number) =>
      operator.run(['contacts', 'split', 'all.csv', '--parts', String(parts), '--out', 'part.csv']);
    const outcomes = await Promise.all([run(2), run(2), run(2)]);
    expect(outcomes.map(({ code }) => code)).toContain(0);
    expect(outcomes.every(({ code }) => code === 0 || code === 9)).toBe(true);
    expect(textOf(operator, 'part-1.csv') + textOf(operator, 'part-2.csv').slice(inCsv(HEADER).length)).toBe(
      inCsv(FILE),
    );
  });
});

describe.concurrent('contacts sample', () => {
  test('prints some rows as they are, and the seed that takes them again', async () => {
    const operator = someone();
    const { code, stdout, stderr } = await operator.run(['contacts', 'sample', 'all.csv', '--count', '3']);
    expect(code).toBe(0);
    const [header, ...rows] = stdout.split(/(?<=\r\n)/);
    expect(header).toBe(inCsv(HEADER));
    expect(rows).toHaveLength(3);
    expect(ROWS.map(inCsv).filter((row) => rows.includes(row))).toEqual(rows);
    const [, seed = ''] = /--seed (\d+)\./.exec(stderr) ?? [];
    const again = await operator.run(['contacts', 'sample', 'all.csv', '--count', '3', '--seed', seed]);
    expect(again.stdout).toBe(stdout);
  });

  test('takes all where there are no more', async () => {
    const { code, stdout, stderr } = await someone().run(['contacts', 'sample', 'all.csv', '--count', '8']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: inCsv(FILE) });
    expect(stderr).toContain('all.csv: all 7 contacts: there are no more than --count 8.');
  });

  test('goes into a campaign', async () => {
    const operator = someone();
    const { stdout } = await operator.run(['contacts', 'sample', 'all.csv', '--count', '2']);
    const create = [
      'campaign',
      'create',
      '--name',
      'Trial',
      '--agent',
      '1',
      '--from',
      '+14155550100',
      '--contacts',
      '-',
    ];
    expect((await operator.run(create, { input: stdout })).stdout).toContain('total_contacts\t2');
  });

  test('is written to a file in one step', async () => {
    const operator = someone({ 's.csv': 'mine\n' });
    const bad = await operator.run('contacts sample - --count 2 --out s.csv'.split(' '), { input: 'phone\n12\n' });
    expect(bad.code).toBe(3);
    expect(textOf(operator, 's.csv')).toBe('mine\n');
    const good = await operator.run('contacts sample all.csv --count 2 --seed 1 --out s.csv'.split(' '));
    expect(good).toMatchObject({ code: 0, stdout: '' });
    expect(good.stderr).toContain('2 of 7 contacts written to s.csv');
    expect(textOf(operator, 's.csv').split('\r\n')).toHaveLength(4);
  });

  test.each([
    ['a row that cannot be used', ['-', '--count', '1'], 3, 'nothing was written'],
    ['no count', ['all.csv'], 2, '--count'],
    ['a count of none', ['all.csv', '--count', '0'], 2, 'must be an integer'],
    ['its own source', ['all.csv', '--count', '1', '--out', 'all.csv'], 2, 'would replace all.csv'],
    ['another format', ['all.csv', '--count', '1', '--out', 'a.json'], 2, 'the output is a CSV'],
  ])('refuses %s', async (_what, args, code, says) => {
    const operator = someone();
    const outcome = await operator.run(['contacts', 'sample', ...args], { input: 'phone\n12\n' });
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).toContain(says);
    expect(textOf(operator, 'all.csv')).toBe(FILE);
    expect(existsSync(join(operator.home, 'a.json'))).toBe(false);
  });
});
