/** No file that a command writes goes over the program's own, or over what the command reads, under whatever name. */
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandSummaries } from '../../src/program.ts';
import { Operator, ROOT } from '../support/program.ts';

const PEOPLE = 'phone_number\n+14155550190\n+14155550192\n+14155550193\n';
const PLAN = ['--agent', '1', '--from', '+14155550100', '--window', '00:00-24:00', '--zone', 'UTC', '--yes'];
const STATE = '.local/state/vagent';

/** With a campaign and a plan of the local engine, files of a register, and profiles. */
async function operatorWithAll(): Promise<Operator> {
  const operator = new Operator();
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(operator.home, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(operator.home, name), text, { mode: 0o600 });
  };
  put('people.csv', PEOPLE);
  put('never.csv', '+14155550193\n');
  put('key', 'local-demo-key\n');
  put('bad.csv', 'phone_number\n+14155550190\nnobody\n');
  const does = async (...args: string[]) => {
    const { code, stderr } = await operator.run(args);
    expect(code, stderr).toBe(0);
  };
  await does('campaign', 'create', '--name', 'Spring', '--contacts', 'people.csv', ...PLAN.slice(0, 4), '--yes');
  await does('plan', 'create', '--name', 'Summer', '--contacts', 'people.csv', '--exclude', 'never.csv', ...PLAN);
  await does('profile', 'add', 'main', '--local');
  await does('profile', 'add', 'other', '--local', '--store', 'other');
  for (const name of ['completion/a.json', 'locks/plan-1.lock']) put(`${STATE}/${name}`, '');
  put('other/store.json', '{}');
  const old = ['store.json', 'lock', 'calls/1.jsonl', 'register.jsonl', 'register.lock', 'plans/1/a', 'vagent.db'];
  for (const name of old) put(`old/${name}`, 'kept');
  return operator;
}

const OWN = [
  ...['store/store.json', 'store/lock', 'store/campaigns/1/contacts.jsonl'],
  ...['vagent.db', 'vagent.db-wal', 'vagent.db-shm', 'locks/plan-1.lock'],
  ...['completion/a.json', 'completion/b.json'],
].map((name) => `${STATE}/${name}`);

/** Every command that writes a file, with the flag that names it last, and what its name ends in. */
const WRITING: [line: string, ending: string][] = [
  ...['logs export --out', 'logs export -o', 'campaign results 1 --out', 'plan results 1 --out'].map(csv),
  ...['campaign redial 1 --state busy --out', 'contacts check bad.csv --rejects'].map(csv),
  ...['campaign', 'plan'].map((noun) =>
    csv(`${noun} create --name X --contacts bad.csv --skip-invalid {RULES} --rejects`),
  ),
  ...([
    ['logs sync --out', 'ndjson'],
    ['logs stats --html', 'html'],
    ['agent export --out', 'json'],
  ] as [string, string][]),
];

function csv(line: string): [string, string] {
  return [line.replace('{RULES}', (line.startsWith('plan') ? PLAN : [...PLAN.slice(0, 4), '--yes']).join(' ')), 'csv'];
}

describe('a file that is written is refused', () => {
  test('where it is one of the program, whichever it is', async () => {
    const operator = await operatorWithAll();
    const unnamed = ['old/store.json', 'old/calls/1.jsonl', 'old/register.jsonl', 'old/plans/1/a'];
    for (const name of [...OWN, '.config/vagent/config.json', 'other/store.json', ...unnamed]) {
      const [path, before] = [join(operator.home, name), contentOf(join(operator.home, name))];
      const { code, stderr } = await operator.run(['logs', 'export', '--format', 'csv', '--out', path]);
      expect({ name, code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/belongs to|the output is/),
      });
      expect(contentOf(path)).toBe(before);
    }
  });

  test('whichever command writes it, through a link or under another name', async () => {
    const operator = await operatorWithAll();
    const store = join(operator.home, STATE, 'store/store.json');
    const before = contentOf(store);
    symlinkSync(join(operator.home, STATE), join(operator.home, 'linked'));
    for (const [at, [line, ending]] of WRITING.entries()) {
      const [link, twin] = [`link${at}.${ending}`, `twin${at}.${ending}`];
      symlinkSync(store, join(operator.home, link));
      linkSync(store, join(operator.home, twin));
      for (const out of [link, twin]) {
        const { code, stderr } = await operator.run([...line.split(' '), out]);
        expect({ line, out, code, stderr }).toMatchObject({
          code: 2,
          stderr: expect.stringContaining('belongs to the store'),
        });
      }
      expect(contentOf(store)).toBe(before);
    }
    const { code } = await operator.run(['logs', 'export', '--out', 'linked/vagent.db']);
    expect(code).toBe(2);
  });

  /** By its name, by another, through a link, under a second name; and the lists and dates that go with contacts. */
  const reading = [
    ...['bad.csv', './bad.csv', 'linked-bad.csv', 'twin-bad.csv'].map(
      (out) => `contacts check bad.csv --rejects ${out}`,
    ),
    'contacts check bad.csv --exclude never.csv --rejects never.csv',
    `plan create --name X --contacts bad.csv --rejects ./bad.csv ${PLAN.join(' ')}`,
    `plan create bad.csv --name X --skip-dates dates.csv --rejects dates.csv ${PLAN.join(' ')}`,
    'agent export --api-key-file key --out key',
    ...['people.csv', 'never.csv'].map((out) => `plan results 1 --out ${out}`),
  ];
  test('where the command reads it, or what it tells of was made from it', async () => {
    const operator = await operatorWithAll();
    const at = (name: string) => join(operator.home, name);
    writeFileSync(at('dates.csv'), '2026-12-25\n');
    symlinkSync('bad.csv', at('linked-bad.csv'));
    linkSync(at('bad.csv'), at('twin-bad.csv'));
    for (const line of reading) {
      const { code, stderr } = await operator.run(line.split(' '));
      expect({ line, code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/name (another file|two files)/),
      });
    }
    expect(contentOf(at('people.csv'))).toBe(PEOPLE);
    expect(contentOf(at('never.csv'))).toBe('+14155550193\n');
    expect(contentOf(at('key'))).toBe('local-demo-key\n');
  });

  test('and everything else is written, also beside the files of the program', async () => {
    const operator = await operatorWithAll();
    for (const out of ['calls.csv', `${STATE}/calls.csv`, `${STATE}/store/mine.csv`, 'campaigns.csv']) {
      for (let times = 0; times < 2; times++) {
        const { code, stderr } = await operator.run(['logs', 'export', '--out', out]);
        expect({ out, code, stderr }).toMatchObject({ code: 0 });
      }
    }
  });
});

/** A new flag that names a file has to be one of these. */
test('every flag that names a file is known to be read or written', () => {
  const read = '--contacts --exclude --may-read --skip-dates --input --prompt-file --api-key-file';
  const [, ...flags] = [
    ...new Set(readFileSync(join(ROOT, 'src/commands/README.md'), 'utf8').matchAll(/(--[a-z-]+) <file>/g)),
  ].map(([, flag]) => flag);
  expect(commandSummaries().size).toBeGreaterThan(0);
  expect(
    [...new Set(flags)].filter((flag) => ![...read.split(' '), '--out', '--rejects', '--html'].includes(String(flag))),
  ).toEqual([]);
});

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
