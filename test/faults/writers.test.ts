/**
 * Many processes on one store at once: no change is lost, no number given twice, and whoever reads meanwhile sees one
 * committed state, never a mixture of two.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DocumentedCall, ResponseOf } from '../../src/contract.ts';
import { topUp } from '../../src/engine/controls.ts';
import { fromMicros, micros } from '../../src/engine/money.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import { type FileSystem, systemFiles } from '../../src/storage/files/file-system.ts';
import { CREDENTIALS } from '../conformance.ts';
import { CALL as PLACED } from '../support/changes.ts';
import { engineOver } from '../support/faulty-files.ts';
import { howMany } from '../support/full-matrix.ts';
import { finished, freshEnvironment, ROOT, temporaryFolder } from '../support/program.ts';

const WRITERS = howMany(8, 16);
const CHANGES = howMany(12, 100);
const READERS = 2;

const TOP_UP = 1000;
const DEMO_BALANCE = 100;

const CALL = ['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
const AGENT = ['agent', 'create', '--prompt', 'Be brief.', '--voice', '1'];

/** What writer `writer` does: three calls, a top-up and an agent of its own in every five commands, in its own order. */
function changesOf(writer: number): string[][] {
  return Array.from({ length: CHANGES }, (_none, at) => {
    const turn = (at + writer) % 5;
    if (turn < 3) return [...CALL, '--json'];
    if (turn === 3) return ['local', 'topup', String(TOP_UP), '--json'];
    return [...AGENT, '--name', `Agent ${writer}.${at}`, '--json'];
  });
}

const FIELDS = ['--fields', 'call_id,call_status,call_duration', '--json'];
/** Fewer calls are placed than one page holds. */
const ONE_PAGE = ['logs', 'list', '--limit', '1000', ...FIELDS];
const ALL_PAGES = ['logs', 'list', '--all', ...FIELDS];
const STATUS = ['local', 'status', '--json'];

interface Result {
  argv: string[];
  code: number;
  /** How long it took. */
  ms: number;
  stdout: string;
  stderr: string;
}

interface Commands {
  child: ChildProcess;
  ready: Promise<unknown>;
  results: Promise<Result[]>;
}

/** Runs many commands of the built program. */
const RUNNER = join(ROOT, 'test/support/commands.mjs');

function startCommands(home: string, commands: string[][], ...mode: string[]): Commands {
  const child = spawn(process.execPath, [RUNNER, JSON.stringify(commands), ...mode], {
    cwd: home,
    env: freshEnvironment(home),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ready = new Promise((resolve) => child.stdout.once('data', resolve));
  const results = finished(child).then(({ code, stdout, stderr }) => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, ...lines] = stdout.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Result);
  });
  return { child, ready, results };
}

/** Another process does all this on a store while a call of this one's own files is under way. */
function overtake(folder: string, commands: string[][]): void {
  const env = { ...freshEnvironment(temporaryFolder()), VAGENT_STORE: folder };
  const stdout = execFileSync(process.execPath, [RUNNER, JSON.stringify(commands)], { env, input: '\n' });
  const [, ...lines] = stdout.toString().trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as Result).code)).toEqual(commands.map(() => 0));
}

interface Log {
  calls: DocumentedCall[];
  total: number;
}
interface Status {
  balance: number;
  agents: number;
  calls: number;
}

/** Calls in the order in which they were placed must be numbered from 1 without a gap; returns what is wrong with that. */
function faultOfOrder(calls: readonly DocumentedCall[]): string | undefined {
  const ids = calls.map(({ call_id }) => call_id).reverse();
  const at = ids.findIndex((id, index) => id !== `call_${String(index + 1).padStart(10, '0')}`);
  return at === -1 ? undefined : `call ${at + 1} of ${ids.length} is ${ids[at]}`;
}

function byIdDescending(left: DocumentedCall, right: DocumentedCall): number {
  return left.call_id < right.call_id ? 1 : -1;
}

/** What the first n calls have cost, in millionths, for every n. */
function costs(calls: readonly DocumentedCall[]): number[] {
  const sums = [0];
  for (const { call_status, call_duration } of [...calls].reverse()) {
    const minutes = call_status === 'completed' ? Math.ceil((call_duration ?? 0) / 60) : 0;
    sums.push((sums.at(-1) as number) + minutes * micros('0.1'));
  }
  return sums;
}

describe(`${WRITERS} processes × ${CHANGES} changes at once`, () => {
  let changes: Result[];
  /** What each reader saw, in its own order. */
  let looks: Result[][];
  /** How the store stands at the end. */
  let log: Log;
  let status: Status;
  let agents: ResponseOf<'getAgents'>['agents'];

  beforeAll(async () => {
    const home = temporaryFolder();
    const writers = Array.from({ length: WRITERS }, (_none, writer) => startCommands(home, changesOf(writer)));
    const readers = Array.from({ length: READERS }, () =>
      startCommands(home, [ONE_PAGE, ALL_PAGES, STATUS], 'until-closed'),
    );
    await Promise.all([...writers, ...readers].map(({ ready }) => ready));
    for (const { child } of [...writers, ...readers]) child.stdin?.write('\n');
    changes = (await Promise.all(writers.map(({ results }) => results))).flat();
    for (const { child } of readers) child.stdin?.end();
    looks = await Promise.all(readers.map(({ results }) => results));

    const after = startCommands(home, [ONE_PAGE, STATUS, ['agent', 'list', '--limit', '1000', '--json']]);
    after.child.stdin?.end('\n');
    const [logs, standing, list] = (await after.results).map(({ stdout }) => JSON.parse(stdout));
    log = logs;
    status = standing;
    agents = list.agents;
  }, 600_000);

  test('every change is acknowledged; none is lost, none is there twice, and the wallet is exact', () => {
    expect(changes.filter(({ code }) => code !== 0).map(({ stderr }) => stderr)).toEqual([]);
    expect(changes).toHaveLength(WRITERS * CHANGES);
    const answers = (...command: string[]): Record<string, unknown>[] =>
      changes
        .filter(({ argv }) => command.every((word, at) => argv[at] === word))
        .map(({ stdout }) => JSON.parse(stdout));

    const rooms = answers('call').map(({ room_name }) => room_name);
    expect(rooms.sort()).toEqual(log.calls.map(({ call_id }) => `call-${call_id}`).sort());
    expect(faultOfOrder(log.calls)).toBeUndefined();
    expect([log.total, status.calls]).toEqual([rooms.length, rooms.length]);

    const created = answers('agent', 'create').map(({ agent_id, agent_name }) => `${agent_id} ${agent_name}`);
    expect(agents.map(({ agent_id }) => agent_id)).toEqual(agents.map((_agent, at) => at + 1));
    const standing = agents.slice(1).map(({ agent_id, agent_name }) => `${agent_id} ${agent_name}`);
    expect(standing.sort()).toEqual(created.sort());
    expect(status.agents).toBe(created.length + 1);

    const added = answers('local', 'topup').length * TOP_UP;
    const spent = costs(log.calls).at(-1) as number;
    expect(status.balance).toBe(fromMicros(micros(String(DEMO_BALANCE + added)) - spent));
  });

  test.each([
    ['a page', ONE_PAGE],
    ['all pages', ALL_PAGES],
  ])('a reader of the log, %s, sees every call up to one moment and no other', (_name, command) => {
    const seen = seenBy<Log>(command).flat();
    expect(seen.length).toBeGreaterThan(10);
    const wrong = seen.flatMap(({ calls, total }) => {
      // Calls that come in between two pages are fetched again, and stand at the end.
      const order = faultOfOrder(command === ALL_PAGES ? [...calls].sort(byIdDescending) : calls);
      return [
        ...(order === undefined ? [] : [order]),
        ...(total === calls.length ? [] : [`a total of ${total}, and ${calls.length} calls`]),
      ];
    });
    expect(wrong.slice(0, 5), `${wrong.length} of ${seen.length} looks`).toEqual([]);
  });

  test('a reader of the status sees the wallet as the calls up to one moment have left it', () => {
    const spent = costs(log.calls);
    const wrong = seenBy<Status>(STATUS)
      .flat()
      .filter(({ balance, calls }) => {
        const added = micros(balance.toFixed(6)) + (spent[calls] ?? Number.NaN) - micros(String(DEMO_BALANCE));
        return !(added >= 0 && added % micros(String(TOP_UP)) === 0);
      });
    expect(wrong).toEqual([]);
  });

  test('a later look never shows an earlier state', () => {
    for (const seen of seenBy<Log>(ONE_PAGE)) expect(isRising(seen.map(({ total }) => total))).toBe(true);
    for (const seen of seenBy<Status>(STATUS)) {
      expect(isRising(seen.map(({ calls }) => calls))).toBe(true);
      expect(isRising(seen.map((standing) => standing.agents))).toBe(true);
    }
  });

  /** What each reader was shown by one of the commands. */
  function seenBy<T>(command: string[]): T[][] {
    return looks.map((results) => {
      expect(results.filter(({ code }) => code !== 0)).toEqual([]);
      return results
        .filter(({ argv }) => isDeepStrictEqual(argv, command))
        .map(({ stdout }) => JSON.parse(stdout) as T);
    });
  }
});

function isRising(values: readonly number[]): boolean {
  return values.every((value, at) => at === 0 || value >= (values[at - 1] as number));
}

describe('two processes, step by step', () => {
  /**
   * A file system that tells of two commits within its clock's smallest step what it told before them: the freed inode
   * number goes to the next file, as on ext4, and the time has not moved. The step is a second on HFS+ and some network
   * file systems, and up to 10 ms on ext4 before Linux 6.13.
   */
  function coarseFiles(): FileSystem {
    let commits = 0;
    const renameSync: FileSystem['renameSync'] = (...args) => {
      systemFiles.renameSync(...args);
      commits++;
    };
    const statSync = ((path: string, options: { bigint: true }) => {
      const found = systemFiles.statSync(path, options);
      const mtimeNs = found.mtimeNs - (found.mtimeNs % 1_000_000_000n);
      return Object.assign(found, { ino: BigInt(commits % 2), mtimeNs, ctimeNs: mtimeNs });
    }) as FileSystem['statSync'];
    return { ...systemFiles, renameSync, statSync };
  }

  test('each builds on, and sees, what the other has committed, however fast', async () => {
    const folder = join(temporaryFolder(), 'store');
    const files = coarseFiles();
    const [one, other] = [engineOver(files, folder), engineOver(files, folder)];
    const topped = (engine: LocalEngine) => engine.timeline.change(({ state }) => topUp(state, micros('1')));
    const balances: number[] = [];
    for (const engine of [one, other, other, one]) balances.push(fromMicros(await topped(engine)));
    expect(balances).toEqual([101, 102, 103, 104]);
    const { organization } = (await other.timeline.stored()).state;
    expect(fromMicros(organization.balance)).toBe(104);
  });

  test.each<[string, (engine: LocalEngine) => Promise<unknown>]>([
    ['writes', ({ timeline }) => timeline.change(({ state }) => topUp(state, micros('1')))],
    ['reads', ({ backend }) => backend(CREDENTIALS).getCallLogs({})],
  ])('a process that finds no store, %s, and meanwhile another creates it', async (_name, use) => {
    const folder = join(temporaryFolder(), 'store');
    let isOvertaken = false;
    const openSync: FileSystem['openSync'] = (path, ...rest) => {
      try {
        return systemFiles.openSync(path, ...rest);
      } catch (error) {
        if (!isOvertaken) overtake(folder, [CALL]);
        isOvertaken = true;
        throw error;
      }
    };
    await use(engineOver({ ...systemFiles, openSync }, folder));
    expect(isOvertaken).toBe(true);
    expect((await engineOver(systemFiles, folder).backend(CREDENTIALS).getCallLogs({})).total).toBe(1);
  });

  test.each([
    ['none', 0],
    ['fewer calls', 1],
    ['as many calls', 3],
    ['more calls', 4],
  ])('a reader whom a reset overtakes sees the new log: %s', async (_name, callsAfter) => {
    const folder = join(temporaryFolder(), 'store');
    const before = engineOver(systemFiles, folder).backend(CREDENTIALS);
    for (let call = 0; call < 3; call++) await before.triggerCall(PLACED);

    let isOvertaken = false;
    const files: FileSystem = {
      ...systemFiles,
      openSync(path, ...rest) {
        if (String(path).includes('calls') && !isOvertaken) {
          isOvertaken = true;
          overtake(folder, [['local', 'reset', '--seed', '7', '--yes'], ...Array<string[]>(callsAfter).fill(CALL)]);
        }
        return systemFiles.openSync(path, ...rest);
      },
    };
    const page = await engineOver(files, folder).backend(CREDENTIALS).getCallLogs({});
    expect(isOvertaken).toBe(true);
    expect(page).toEqual(await engineOver(systemFiles, folder).backend(CREDENTIALS).getCallLogs({}));
    expect(page.total).toBe(callsAfter);
  });
});
