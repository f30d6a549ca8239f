/** Timers that run plans: what each system is given, and that nothing else of it is touched. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type TimerSystem, timerSystems, timersFound } from '../../src/settings/timers/timers.ts';
import {
  crontabLine,
  minutesOfPlist,
  minutesOfUnit,
  plist,
  readCrontabLine,
  type Timer,
  taskLine,
  units,
  withLine,
} from '../../src/settings/timers/written.ts';
import { casesBeside } from '../support/cases.ts';
import { asCronDoes, CRONTAB, fakePrograms } from '../support/timers.ts';

const cases = casesBeside(import.meta.filename);
const NAME = 'vagent-plan-1-0a1b2c3d';
const timer = (words: string[], minutes = 10): Timer => ({ name: NAME, about: 'plan 1, 100 %', minutes, words });

const WRITTEN = cases<[string[], string, string, string[], string]>('a timer as each system writes it');
test.each(WRITTEN)('%j as each system writes it', (words, service, line, strings, task) => {
  const made = timer(words);
  const { [`${NAME}.service`]: unit = '' } = units(made);
  expect(unit.split('\n')).toContain(service);
  expect(unit).toContain('Description=vagent: plan 1, 100 %%\n');
  expect(crontabLine(made)).toBe(line);
  for (const string of strings) expect(plist(made, '/logs')).toContain(string);
  expect(taskLine(made)).toContain(task);
});

test.each(cases<[number, string, string, string]>('how often'))(
  'every %i minutes',
  (minutes, systemd, cron, launchd) => {
    const made = timer(['/n'], minutes);
    const unit = units(made)[`${NAME}.timer`] ?? '';
    expect(unit.split('\n')).toContain(systemd);
    expect(crontabLine(made)).toBe(`${cron} /n # ${NAME}`);
    expect(plist(made, '/logs')).toContain(launchd);
    const read = [
      minutesOfUnit(unit),
      readCrontabLine(crontabLine(made))?.minutes,
      minutesOfPlist(plist(made, '/logs')),
    ];
    expect(read).toEqual([minutes, minutes, minutes]);
  },
);

test.each(cases<[string, string | null, string]>('a crontab'))('%j with %j', (before, line, after) => {
  expect(withLine(before, NAME, line ?? undefined)).toBe(after);
});

test('a line that cron would cut off is refused', () => {
  expect(() => crontabLine(timer(['/n', 'x'.repeat(1000)]))).toThrow('990 bytes');
});

test('a shell reads the line of a crontab as the words that were meant', () => {
  const words = [
    'printf',
    '<%s>\\n',
    "Ann's",
    '$HOME "x" \\',
    '100 %',
    '# no comment',
    'ü',
    '\\%',
    '\\\\%',
    "'%%",
    'a\\\\\\%\\',
    '',
  ];
  const meant = words.slice(2).map((word) => `<${word}>\n`);
  for (const line of asCronDoes(crontabLine(timer(words))))
    expect(execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' })).toBe(meant.join(''));
});

test.each(cases<[string, number | null]>('a line that runs a timer'))('%j runs it each %j minutes', (line, minutes) => {
  expect(readCrontabLine(line)).toEqual({ name: NAME, minutes: minutes ?? undefined });
});

const named = (systems: TimerSystem[], name: string) => systems.find((one) => one.name === name) as TimerSystem;

function fakes(programs: Record<string, string>) {
  const { home, env, asked } = fakePrograms(programs);
  const place = (platform: string) => ({ env, signal: new AbortController().signal, platform });
  const systems = (platform: string) => timerSystems(place(platform));
  return { home, asked, systems, found: (platform: string) => timersFound(place(platform)) };
}

describe('a crontab', () => {
  test('gets one line, which is changed and removed, and every other byte stays', async () => {
    const fake = fakes({ crontab: CRONTAB });
    const tab = join(fake.home, 'tab');
    const foreign = Buffer.from('MAILTO=ann\r\n# \xe9 \xff\n\n*/5 * * * *  x  # mine\n', 'latin1');
    writeFileSync(tab, foreign);
    const cron = named(fake.systems('linux'), 'cron');
    expect(await cron.isThere()).toBe(true);
    expect(await cron.install(timer(['/n', 'ü']))).toBe(true);
    expect(await cron.install(timer(['/n', 'ü']))).toBe(false);
    expect(await fake.found('linux')).toEqual([
      { name: NAME, planId: 1, key: '0a1b2c3d', system: 'cron', minutes: 10 },
    ]);
    expect(await cron.install(timer(['/n', 'ü'], 5))).toBe(true);
    expect(readFileSync(tab)).toEqual(Buffer.concat([foreign, Buffer.from(`*/5 * * * * /n 'ü' # ${NAME}\n`)]));
    await cron.remove(NAME);
    expect(readFileSync(tab)).toEqual(foreign);
    await cron.remove(NAME);
    expect(fake.asked().filter((line) => line === 'crontab -')).toHaveLength(3);
  });

  test('loses no line where several are written at once', async () => {
    const slow = CRONTAB.replace('cat >"$HOME/tab"', 'new=$(cat); sleep 0.1; echo "$new" >"$HOME/tab"');
    const fake = fakes({ crontab: slow });
    const names = [1, 2, 3, 4].map((id) => `vagent-plan-${id}-0a1b2c3d`);
    const install = (name: string) => named(fake.systems('linux'), 'cron').install({ ...timer(['/n']), name });
    expect(await Promise.all(names.map(install))).toEqual([true, true, true, true]);
    expect((await fake.found('linux')).map(({ name }) => name).sort()).toEqual(names);
  });

  test('that cannot be read is none to write', async () => {
    const fake = fakes({ crontab: 'echo "you (ann) are not allowed to use this program" >&2; exit 1' });
    const cron = named(fake.systems('linux'), 'cron');
    expect(await cron.isThere()).toBe(false);
    await expect(cron.install(timer(['/n']))).rejects.toThrow('The crontab cannot be read.');
    expect(fake.asked()).not.toContain('crontab -');
  });
});

test('units of systemd are written, enabled and begun, once; and removed', async () => {
  const fake = fakes({ systemctl: 'exit 0' });
  const systemd = named(fake.systems('linux'), 'systemd');
  const folder = join(fake.home, '.config/systemd/user');
  expect([await systemd.isThere(), await systemd.install(timer(['/n']))]).toEqual([true, true]);
  expect(readdirSync(folder).sort()).toEqual([`${NAME}.service`, `${NAME}.timer`]);
  const begun = ['daemon-reload', `enable ${NAME}.timer`, `restart ${NAME}.timer`].map(
    (one) => `systemctl --user ${one}`,
  );
  expect(fake.asked().slice(1)).toEqual(begun);
  expect(await systemd.install(timer(['/n']))).toBe(false);
  expect(fake.asked().slice(4)).toEqual([`systemctl --user is-active ${NAME}.timer`]);
  expect(await systemd.install(timer(['/n'], 5))).toBe(true);
  expect(await fake.found('linux')).toMatchObject([{ planId: 1, system: 'systemd', minutes: 5 }]);
  await systemd.remove(NAME);
  expect(readdirSync(folder)).toEqual([]);
  expect(await fake.found('linux')).toEqual([]);
});

test('what systemd refuses is told, and is not there afterwards', async () => {
  const fake = fakes({ systemctl: 'echo "Failed to connect to bus" >&2; exit 1' });
  const systemd = named(fake.systems('linux'), 'systemd');
  const folder = join(fake.home, '.config/systemd/user');
  // As enable leaves it.
  mkdirSync(join(folder, 'timers.target.wants'), { recursive: true });
  symlinkSync(join(folder, `${NAME}.timer`), join(folder, 'timers.target.wants', `${NAME}.timer`));
  expect(await systemd.isThere()).toBe(false);
  await expect(systemd.install(timer(['/n']))).rejects.toThrow('Failed to connect to bus');
  expect(readdirSync(folder, { recursive: true })).toEqual(['timers.target.wants']);
  expect(await systemd.remove(NAME)).toBe(false);
});

test('what launchd refuses is told, and is not there at the next login', async () => {
  const fake = fakes({ launchctl: 'echo "Bootstrap failed: 5" >&2; exit 5' });
  const [launchd] = fake.systems('darwin') as [TimerSystem];
  await expect(launchd.install(timer(['/n']))).rejects.toThrow('Bootstrap failed: 5');
  expect(await fake.found('darwin')).toEqual([]);
});

test('an agent of launchd is written and begun, once; and removed', async () => {
  const fake = fakes({ launchctl: 'exit 0' });
  const [launchd] = fake.systems('darwin') as [TimerSystem];
  const path = join(fake.home, 'Library/LaunchAgents', `${NAME}.plist`);
  expect(await launchd.install(timer(['/n']))).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe(plist(timer(['/n']), join(fake.home, 'Library/Logs')));
  expect(fake.asked().at(-1)).toMatch(/^launchctl bootstrap gui\/\d+ .*vagent-plan-1-0a1b2c3d\.plist$/);
  expect(await launchd.install(timer(['/n']))).toBe(false);
  expect(await fake.found('darwin')).toMatchObject([{ planId: 1, system: 'launchd', minutes: 10 }]);
  await launchd.remove(NAME);
  expect(existsSync(path)).toBe(false);
});

test('Windows has none that is installed', () => {
  expect(fakes({}).systems('win32')).toEqual([]);
});
