/**
 * The timers of this operator, and of nobody else: user units of systemd where they work, otherwise a line of the crontab; agents
 * of launchd on macOS. Throws FileError and InterruptedError.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { FileError } from '../../errors.ts';
import { makePrivateFolder, replaceFile } from '../../storage/files/durable.ts';
import { quietly, systemFiles, withFileErrors } from '../../storage/files/file-system.ts';
import { withLock } from '../../storage/files/lock.ts';
import { SECOND } from '../../text/units.ts';
import { linesOf, runToEnd } from '../child.ts';
import { configHome, type Environment, homeFolder, stateFolder } from '../folders.ts';
import {
  crontabLine,
  minutesOfPlist,
  minutesOfUnit,
  plist,
  readCrontabLine,
  readTimerName,
  type Timer,
  units,
  withLine,
} from './written.ts';

export interface Place {
  env: Environment;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** As Node.js calls it. */
  platform: string;
}

export interface FoundTimer {
  name: string;
  planId: number;
  /** The register of the plan: see `timerName`. */
  key: string;
  system: TimerSystem['name'];
  /** Undefined if somebody has changed it. */
  minutes: number | undefined;
}

export interface TimerSystem {
  readonly name: 'systemd' | 'cron' | 'launchd';
  /** Whether it works for this operator. */
  isThere(): Promise<boolean>;
  found(): Promise<FoundTimer[]>;
  /** What is written, for people: each file by its path, or a line. */
  written(timer: Timer): Record<string, string>;
  /** False if it was there already, as it is. */
  install(timer: Timer): Promise<boolean>;
  /** False if the system cannot be asked: it may go on with it for a while. */
  remove(name: string): Promise<boolean>;
}

/** The best first. */
export function timerSystems(place: Place): TimerSystem[] {
  if (place.platform === 'win32') return [];
  return place.platform === 'darwin' ? [launchd(place)] : [systemd(place), cron(place)];
}

/** All of them, whoever's register. What cannot be asked has none. */
export async function timersFound(place: Place): Promise<FoundTimer[]> {
  const each = await Promise.all(timerSystems(place).map((system) => system.found()));
  return each.flat();
}

const LIMIT = 20 * SECOND;
/** Bytes: longer crontabs are left alone. */
const LONGEST_CRONTAB = 1_000_000;

async function ask({ env, signal }: Place, words: readonly string[], input?: Buffer) {
  return await runToEnd(words, { env, signal, timeoutMs: LIMIT, mostBytes: LONGEST_CRONTAB, ...(input && { input }) });
}

async function must(place: Place, words: readonly string[], input?: Buffer): Promise<void> {
  const { code, ending, stderr } = await ask(place, words, input);
  if (code === 0) return;
  throw new FileError(`${words.join(' ')} failed: ${linesOf(stderr).join(' ') || ending}.`, { code: 'timer_failed' });
}

/** Files of a folder that are ours, by their ending. */
function ours(
  folder: string,
  ending: string,
  system: TimerSystem['name'],
  minutesOf: (text: string) => number | undefined,
): FoundTimer[] {
  const names = (quietly(() => readdirSync(folder)) ?? []).filter((name) => name.endsWith(ending));
  return names.sort().flatMap((file) => {
    const name = file.slice(0, -ending.length);
    const read = readTimerName(name);
    const text = quietly(() => readFileSync(join(folder, file), 'utf8')) ?? '';
    return read === undefined ? [] : [{ name, ...read, system, minutes: minutesOf(text) }];
  });
}

/** False if all of them are there already. */
function writeFiles(files: Record<string, string>): boolean {
  const news = Object.entries(files).filter(([path, text]) => quietly(() => readFileSync(path, 'utf8')) !== text);
  for (const [path, text] of news) {
    withFileErrors('write', path, () => {
      mkdirSync(dirname(path), { recursive: true });
      replaceFile(systemFiles, path, text);
    });
  }
  return news.length > 0;
}

/** What the system refuses is taken away again: it would be there when the operator logs in the next time. */
async function orRemove(install: () => Promise<void>, remove: () => Promise<unknown>): Promise<void> {
  try {
    await install();
  } catch (error) {
    // The system cannot be asked any more where the operator has interrupted it; what is written is gone all the same.
    await remove().catch(() => {});
    throw error;
  }
}

function removeFiles(paths: readonly string[]): void {
  for (const path of paths) withFileErrors('remove', path, () => rmSync(path, { force: true }));
}

function inFolder(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [join(folder, name), text]));
}

function systemd(place: Place): TimerSystem {
  const folder = join(configHome(place.env), 'systemd', 'user');
  const systemctl = (...words: string[]) => ['systemctl', '--user', ...words];
  const written = (timer: Timer) => inFolder(folder, units(timer));
  const remove = async (name: string) => {
    const unit = `${name}.timer`;
    const paths = [unit, `timers.target.wants/${unit}`, `${name}.service`].map((file) => join(folder, file));
    // It may not run any more, and cannot be asked where nobody is logged in.
    await ask(place, systemctl('disable', '--now', unit)).finally(() => removeFiles(paths));
    return (await ask(place, systemctl('daemon-reload'))).code === 0;
  };
  return {
    name: 'systemd',
    isThere: async () => (await ask(place, systemctl('show-environment'))).code === 0,
    found: async () => ours(folder, '.timer', 'systemd', minutesOfUnit),
    written,
    remove,
    async install(timer) {
      const unit = `${timer.name}.timer`;
      const isNew = writeFiles(written(timer));
      if (!isNew && (await ask(place, systemctl('is-active', unit))).code === 0) return false;
      const begin = [['daemon-reload'], ['enable', unit], ['restart', unit]];
      const beginIt = async () => {
        for (const words of begin) await must(place, systemctl(...words));
      };
      await orRemove(beginIt, () => remove(timer.name));
      return true;
    },
  };
}

function cron(place: Place): TimerSystem {
  /** Each byte as a character; undefined where there is no cron, or it cannot be used. */
  const read = async (): Promise<string | undefined> => {
    const { code, stdout, stderr } = await ask(place, ['crontab', '-l']);
    if (code === 0) return stdout.toString('latin1');
    return code === 1 && /no crontab/i.test(stderr) ? '' : undefined;
  };
  const write = async (crontab: string) => must(place, ['crontab', '-'], Buffer.from(crontab, 'latin1'));
  const lineOf = (timer: Timer) => Buffer.from(crontabLine(timer)).toString('latin1');
  // It is read and written as a whole: of two who do that at once, one would take away what the other has written.
  const change = async (name: string, line: string | undefined) => {
    const folder = stateFolder(place.env);
    withFileErrors('make', folder, () => makePrivateFolder(systemFiles, folder));
    const lock = join(folder, 'crontab.lock');
    const options = { timeoutMs: LIMIT, command: 'plan schedule', file: 'The crontab' };
    return await withLock(systemFiles, lock, options, async () => {
      const before = await read();
      if (before === undefined) throw new FileError('The crontab cannot be read.', { code: 'timer_failed' });
      const after = withLine(before, name, line);
      if (after !== before) await write(after);
      return after !== before;
    });
  };
  return {
    name: 'cron',
    isThere: async () => (await read()) !== undefined,
    async found() {
      return ((await read()) ?? '').split('\n').flatMap((line) => {
        const one = readCrontabLine(line);
        const named = one && readTimerName(one.name);
        return one === undefined || named === undefined ? [] : [{ ...one, ...named, system: 'cron' as const }];
      });
    },
    written: (timer) => ({ crontab: crontabLine(timer) }),
    install: (timer) => change(timer.name, lineOf(timer)),
    async remove(name) {
      await change(name, undefined);
      return true;
    },
  };
}

function launchd(place: Place): TimerSystem {
  const library = join(homeFolder(place.env), 'Library');
  const folder = join(library, 'LaunchAgents');
  const domain = `gui/${userInfo().uid}`;
  const path = (name: string) => join(folder, `${name}.plist`);
  const written = (timer: Timer) => ({ [path(timer.name)]: plist(timer, join(library, 'Logs')) });
  const launchctl = async (word: string, name: string) =>
    (await ask(place, ['launchctl', word, `${domain}/${name}`])).code;
  const remove = async (name: string) => {
    await launchctl('bootout', name).finally(() => removeFiles([path(name)]));
    return (await launchctl('print', name)) !== 0;
  };
  return {
    name: 'launchd',
    isThere: async () => true,
    found: async () => ours(folder, '.plist', 'launchd', minutesOfPlist),
    written,
    async install(timer) {
      const isNew = writeFiles(written(timer));
      if (!isNew && (await launchctl('print', timer.name)) === 0) return false;
      await launchctl('bootout', timer.name);
      const begin = () => must(place, ['launchctl', 'bootstrap', domain, path(timer.name)]);
      await orRemove(begin, () => remove(timer.name));
      return true;
    },
    remove,
  };
}
