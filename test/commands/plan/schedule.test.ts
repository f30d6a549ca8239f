/** `plan schedule` with programs in the place of the system's own: what is installed, told and refused. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { numbers, plannedService } from '../../support/planned-service.ts';
import { BIN } from '../../support/program.ts';
import { asCronDoes, CRONTAB, fakePrograms } from '../../support/timers.ts';

/** A plan of a service, a file with its key, and fakes of systemd and cron. */
async function withPlan(programs: Record<string, string> = { crontab: CRONTAB }) {
  const service = await plannedService();
  const plan = await service.plan(numbers(2));
  const { home } = service.operator;
  const fake = fakePrograms(programs, home);
  const key = join(home, 'key');
  writeFileSync(key, 'local-demo-key\n', { mode: 0o600 });
  const run = (...words: string[]) => service.run(['plan', ...words], { env: { PATH: fake.env.PATH } });
  const schedule = (...words: string[]) => run('schedule', '1', '--api-key-file', key, ...words);
  const crontab = () => (existsSync(join(home, 'tab')) ? readFileSync(join(home, 'tab'), 'utf8') : '');
  return { ...fake, service, plan, run, schedule, crontab, key };
}

describe('by a crontab', () => {
  test('it needs a yes, is shown, installed once, listed, and taken away', async () => {
    const { schedule, run, crontab, key, asked, home } = await withPlan();
    const refused = await schedule();
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('add --yes') });
    expect(refused.stderr).toContain('*/10 * * * * ');
    expect(asked()).not.toContain('crontab -');
    const { code, stdout, stderr } = await schedule('--yes', '--json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ plan_id: 1, system: 'cron', every: 600, installed: true });
    const line = crontab();
    expect(line).toMatch(/^\*\/10 \* \* \* \* .* # vagent-plan-1-[0-9a-f]{8}\n$/);
    expect(line).toContain(
      `'HOME=${home}' 'TZ=UTC' ${process.execPath} ${BIN} plan run 1 --quiet --base-url http://127.0.0.1:`,
    );
    expect(line).toContain(`--org 1 --register `);
    expect(line).toContain(`--api-key-file ${key}`);
    expect(line).not.toContain('local-demo-key');
    expect((await schedule('--yes')).stderr).toContain('scheduled already: nothing was changed');
    expect(asked().filter((words) => words === 'crontab -')).toHaveLength(1);
    expect((await schedule('--yes', '--every', '5m')).code).toBe(0);
    expect(crontab()).toBe(line.replace('*/10', '*/5'));
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject({ plans: [{ timer: 'every 5 min, cron' }] });
    expect((await run('schedule', '1', '--remove', '--yes')).code).toBe(0);
    expect(crontab()).toBe('');
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject({ plans: [{ timer: null }] });
    expect((await run('schedule', '1', '--remove', '--yes')).code).toBe(5);
  });

  test('the line runs the plan, from any folder and in an empty environment', async () => {
    const { schedule, crontab, plan, home } = await withPlan();
    const told = join(home, 'told');
    expect((await schedule('--yes', '--notify', `cat >>'${told}'`)).code).toBe(0);
    await plan.change((session) => session.commit([{ event: 'stopped', at: Date.now(), reason: 'By hand.' }]));
    const [line] = asCronDoes(crontab());
    // The home folder is not the one that the system knows.
    const env = { PATH: '/usr/bin:/bin' };
    const ran = () => execFileSync('/bin/sh', ['-c', line], { cwd: '/', env, encoding: 'utf8', stdio: 'pipe' });
    // The service of this test has another clock, and is not asked about a plan that is stopped.
    expect(ran).toThrow(expect.objectContaining({ status: 11, stderr: expect.stringContaining('Plan 1 is stopped') }));
    expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({ moment: 'stopped', reason: 'By hand.' });
  });
});

test('says whom it tells, and has a PATH for a command alone', async () => {
  const { schedule, crontab } = await withPlan();
  for (const [target, hasPath, says] of [
    [undefined, false, /^Tells +nobody: --notify <command\|url> has it tell of a stop/m],
    ['https://hooks.example/x', false, /^Tells +https:\/\/hooks\.example\/x$/m],
    ['mail ann', true, /^Tells +mail ann$/m],
  ] as const) {
    const { code, stderr } = await schedule('--yes', ...(target === undefined ? [] : ['--notify', target]));
    expect([code, stderr]).toEqual([0, expect.stringMatching(says)]);
    expect(crontab().includes("'PATH=")).toBe(hasPath);
  }
});

test('by systemd where it works, in the place of a line of before', async () => {
  const fake = await withPlan();
  expect((await fake.schedule('--yes')).code).toBe(0);
  writeFileSync(join(fake.home, 'fakes/systemctl'), '#!/bin/sh\nexit 0\n');
  const { code, stderr } = await fake.schedule('--yes');
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('loginctl enable-linger');
  expect(fake.crontab()).toBe('');
  expect(JSON.parse((await fake.run('list', '--json')).stdout)).toMatchObject({
    plans: [{ timer: 'every 10 min, systemd' }],
  });
});

test('a timer of systemd that it cannot be asked about is removed with a warning', async () => {
  const fake = await withPlan({ systemctl: 'exit 0' });
  expect((await fake.schedule('--yes')).code).toBe(0);
  writeFileSync(join(fake.home, 'fakes/systemctl'), '#!/bin/sh\nexit 1\n');
  const { code, stderr } = await fake.run('schedule', '1', '--remove', '--yes');
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('Warning: systemd could not be asked to forget its timer'),
  ]);
});

test('a timer that stays is named where its plan ends, and where another plan gets its number', async () => {
  const { schedule, run, home, service } = await withPlan();
  expect((await schedule('--yes')).code).toBe(0);
  const timer = 'A timer (every 10 min, cron) runs plan 1: vagent plan schedule 1 --remove takes it away.';
  for (const words of [['cancel'], ['run'], ['watch'], ['forget', '--yes']])
    expect((await run(words[0] as string, '1', ...words.slice(1))).stderr).toContain(`Warning: ${timer}`);
  expect((await run('run', '1', '--quiet')).stderr).not.toContain(timer);
  rmSync(service.state, { recursive: true });
  const list = join(home, 'list.csv');
  writeFileSync(list, `phone_number\n${numbers(1)[0]}\n`);
  const made = await run(
    'create',
    list,
    '--name',
    'Other',
    '--agent',
    '1',
    '--from',
    '+14155550100',
    '--window',
    '09:00-20:00',
  );
  expect(made.code, made.stderr).toBe(0);
  expect(made.stderr).toContain(`Warning: ${timer}`);
});

test('a line that somebody has changed is listed, and taken away', async () => {
  const { schedule, run, crontab, home } = await withPlan();
  expect((await schedule('--yes')).code).toBe(0);
  writeFileSync(join(home, 'tab'), crontab().replace('*/10 * * * *', '0 9-18 * * 1-5'));
  expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject({
    plans: [{ timer: 'changed by hand, cron' }],
  });
  expect((await run('schedule', '1', '--remove', '--yes')).code).toBe(0);
  expect(crontab()).toBe('');
});

describe('is refused', () => {
  test('with a key that is only in the environment', async () => {
    const { run, asked } = await withPlan();
    const { code, stderr } = await run('schedule', '1', '--yes');
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('comes from VAGENT_API_KEY, which the timer would not have'),
    ]);
    expect(asked()).not.toContain('crontab -');
  });

  test('where neither works', async () => {
    const { schedule } = await withPlan({});
    expect(await schedule('--yes')).toMatchObject({ code: 2, stderr: expect.stringContaining('--until-done') });
  });

  test.each([
    ['a plan that is over', ['--yes'], 'Plan 1 is cancelled', true],
    ['a time that no clock divides', ['--every', '7m'], '--every must be 1m, 2m', false],
    ['a key in --notify', ['--yes', '--notify', 'curl -H local-demo-key x'], 'would hold the API key', false],
    ['a line break', ['--yes', '--notify', 'a\nb'], 'line break', false],
    ['a key on standard input', ['--yes', '--api-key-file', '-'], 'no standard input', false],
  ])('%s', async (_what, words, says, isOver) => {
    const { schedule, run, asked } = await withPlan();
    if (isOver) await run('cancel', '1', '--yes');
    const { code, stderr } = await schedule(...words);
    expect([2, 3]).toContain(code);
    expect(stderr).toContain(says);
    expect(asked()).not.toContain('crontab -');
  });
});

test('what is listed is of this register alone', async () => {
  const { schedule, run, home } = await withPlan();
  expect((await schedule('--yes')).code).toBe(0);
  cpSync(join(home, '.local/state/vagent'), join(home, 'elsewhere'), { recursive: true });
  const { stdout, stderr } = await run('list', '--json', '--register', join(home, 'elsewhere'));
  expect(JSON.parse(stdout || stderr)).toMatchObject({ plans: [{ plan_id: 1, timer: null }] });
  const removed = await run('schedule', '1', '--remove', '--yes', '--register', join(home, 'elsewhere'));
  expect([removed.code, removed.stderr]).toEqual([5, expect.stringContaining('doctor')]);
});
