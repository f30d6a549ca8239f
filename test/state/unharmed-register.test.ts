/** What other commands, kills, and whoever writes to the database must not do to the register, here or for everybody. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from '../../src/files/replace.ts';
import { SharedState } from '../../src/state/shared-state.ts';
import type { StateFolder } from '../../src/state/state-folder.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import { temporaryFolder } from '../support/program.ts';
import { sql } from '../support/sql.ts';

const LOCK = { timeoutMs: 1_000, command: 'test' };
const FILES = {
  'register.jsonl': '{"entry":1}\n{"entry":2}\n',
  'campaigns/1.jsonl': '{"phone_number":"+14155550190"}\n',
  'campaigns/1.rows.jsonl': '["phone"]\n',
  'redials/1.json': '{}\n',
};
const OPTED_OUT = {
  'plans/opted-out.jsonl': '{"phone":1}\n{"phone":2}\n',
  'plans/opted-out.count.json': '{"lines":1}\n',
};
const PLAN = { 'plans/1/plan.json': '{}\n', 'plans/1/journal.jsonl': '{"event":"created"}\n' };
const SCOPES: [lock: string, files: Record<string, string>][] = [
  ['register.lock', FILES],
  ['plans/opted-out.lock', OPTED_OUT],
  ['plans/1/lock', PLAN],
];

function write({ fs, path }: StateFolder, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    replaceFile(fs, join(path, name), text);
  }
}

/** A register with something in every part of it, and the machine that wrote it. */
async function written() {
  const url = ownSchema();
  const machine = (folder = temporaryFolder()) => new SharedState({ url, folder, by: 'me@here' });
  const folder = temporaryFolder();
  const one = machine(folder);
  for (const [lock, files] of SCOPES) await one.locked(lock, LOCK, async () => write(one, files));
  return { url, machine, folder, one };
}

function contentOf({ path }: StateFolder): Record<string, string> {
  const names = Object.keys({ ...FILES, ...OPTED_OUT, ...PLAN });
  return Object.fromEntries(
    names.flatMap((name) => {
      const place = join(path, name);
      return existsSync(place) ? [[name, readFileSync(place, 'utf8')]] : [];
    }),
  );
}

const ALL = { ...FILES, ...OPTED_OUT, ...PLAN };

describePostgres('a shared register', () => {
  test('has only those files changed that are guarded by the lock that a command takes', async () => {
    const { machine, folder, one } = await written();
    for (const lock of ['register.lock', 'plans/lock', 'plans/opted-out.lock', 'plans/1/lock', 'plans/2/lock']) {
      await one.locked(lock, LOCK, async () => expect(contentOf(one), lock).toEqual(ALL));
      // Also after a command that was killed with that lock.
      const scope = lock.replace(/[/.]?lock$/, '').replaceAll('/', ' ');
      writeFileSync(join(one.path, 'copied', `${scope}.begun`), '');
      await machine(folder).locked(lock, LOCK, async () => expect(contentOf(one), lock).toEqual(ALL));
    }
    const other = machine();
    await other.refresh('register');
    await other.refresh('plans');
    expect(contentOf(other)).toEqual(ALL);
  });

  const harms: Record<string, (state: StateFolder, name: string) => void> = {
    'was removed': ({ fs, path }, name) => fs.rmSync(join(path, name)),
    'was removed and begun anew': ({ fs, path }, name) => {
      fs.rmSync(join(path, name));
      replaceFile(fs, join(path, name), '{}\n');
    },
    'was emptied behind the back of the command, which then adds to it': ({ fs, path }, name) => {
      writeFileSync(join(path, name), '');
      fs.closeSync(fs.openSync(join(path, name), 2));
    },
    'lost a line': ({ fs, path }, name) => replaceFile(fs, join(path, name), ''),
  };
  test.each(Object.keys(harms))('is not taken from everybody because a copy %s', async (harm) => {
    const { machine, folder, one } = await written();
    for (const [name, lock] of [
      ['register.jsonl', 'register.lock'],
      ['plans/opted-out.jsonl', 'plans/opted-out.lock'],
    ] as const) {
      const change = one.locked(lock, LOCK, async () => harms[harm]?.(one, name));
      await expect(change, name).rejects.toMatchObject({ code: 'register_taken' });
      for (const state of [machine(), machine(folder)]) {
        await state.locked(lock, LOCK, async () => {});
        expect(readFileSync(join(state.path, name), 'utf8')).toBe(ALL[name]);
      }
    }
  });

  test.each([
    ['is said to be removed', `update register_files set is_removed = true, version = 2 where path = 'register.jsonl'`],
    ['has fewer lines', `update register_files set generation = 9, version = 2 where path = 'register.jsonl'`],
  ])('that %s in the database keeps what this machine has of it', async (_what, change) => {
    const { url, one } = await written();
    await sql(url, change);
    await sql(url, `delete from register_lines where path = 'register.jsonl' and position > 0`);
    const mark = '00000000-0000-4000-8000-000000000002';
    await sql(url, `insert into register_commits values ('register', 2, $1, now(), 'me@there')`, [mark]);
    await sql(url, `update register_scopes set version = 2, mark = $1 where scope = 'register'`, [mark]);
    await expect(one.refresh('register')).rejects.toMatchObject({ code: 'register_lost' });
    await expect(one.locked('register.lock', LOCK, async () => {})).rejects.toMatchObject({ code: 'register_lost' });
    expect(contentOf(one)).toEqual(ALL);
  });

  const strangers = [
    ...['../victim', 'campaigns/../../../victim', '/etc/victim', 'plans/1/../../../victim', 'plans/1/lock'],
    ...['register.lock', 'register.index', 'copied/register.json', 'campaigns/1.phones', 'campaigns/one.jsonl'],
    ...['plans/01/plan.json', 'plans/2/plan.json', 'notes.txt', ''],
  ];
  test('is not used where the database names a file that is none of its own: nothing is written or removed', async () => {
    const { url, machine, folder } = await written();
    const home = temporaryFolder();
    const victim = join(home, 'victim');
    writeFileSync(victim, 'mine');
    const state = machine(join(home, 'registers'));
    for (const path of strangers) {
      for (const isRemoved of [true, false]) {
        await sql(url, `insert into register_files values ($1, 'register', 1, 0, $2)`, [path, isRemoved]);
        await expect(state.refresh('register'), path).rejects.toMatchObject({ code: 'register_damaged' });
        await sql(url, 'delete from register_files where path = $1', [path]);
      }
    }
    expect(existsSync(join(state.path, 'register.jsonl'))).toBe(false);
    expect(readFileSync(victim, 'utf8')).toBe('mine');
    expect(contentOf(machine(folder))).toEqual(ALL);
  });

  test('is not used where the database names a part that none has', async () => {
    const { url, machine } = await written();
    for (const scope of ['../victim', 'plans', 'plans/../register', 'plans/1/plan.json', '']) {
      await sql(url, 'insert into register_scopes values ($1, 1, gen_random_uuid())', [scope]);
      await expect(machine().refresh('plans'), scope).rejects.toMatchObject({ code: 'register_damaged' });
      await sql(url, 'delete from register_scopes where scope = $1', [scope]);
    }
  });

  test('has one mark for all of a change', async () => {
    const { url, one } = await written();
    await one.locked('plans/lock', LOCK, async () =>
      write(one, { 'plans/2/plan.json': '{}', 'plans/3/plan.json': '{}' }),
    );
    const rows = await sql<{ mark: string }>(
      url,
      `select mark from register_scopes where scope in ('plans/2', 'plans/3')`,
    );
    expect(new Set(rows.map(({ mark }) => mark)).size).toBe(1);
  });

  test('keeps the wish that a plan stops, whoever was killed while it fulfilled it', async () => {
    const { machine, folder, one } = await written();
    const other = machine();
    await other.refresh('plans');
    await other.marking('plans/1/stop.json', () => write(other, { 'plans/1/stop.json': '{}' }));
    await one.refresh('plans');
    const wish = join(one.path, 'plans/1/stop.json');
    expect(existsSync(wish)).toBe(true);
    // Taken down, and killed before anybody was told.
    writeFileSync(join(one.path, 'copied/plans 1.begun'), '');
    rmSync(wish);
    const next = machine(folder);
    await next.locked('plans/1/lock', LOCK, async () => expect(existsSync(wish)).toBe(true));
  });
});

describePostgres('a plan that is created at one machine', () => {
  async function begun() {
    const { url, machine, folder, one } = await written();
    await sql(url, 'alter table register_commits rename to gone');
    const made = one.locked('plans/lock', LOCK, async () => write(one, { 'plans/2/plan.json': '{}' }));
    await expect(made).rejects.toThrow();
    await sql(url, 'alter table gone rename to register_commits');
    expect(existsSync(join(one.path, 'plans/2/plan.json'))).toBe(true);
    return { machine, folder, place: join(one.path, 'plans/2') };
  }

  test('and killed before the database had it is at no machine', async () => {
    const { machine, folder, place } = await begun();
    await machine(folder).refresh('plans');
    expect(existsSync(place)).toBe(false);
  });

  test('and killed before the database had it is gone for who would run it', async () => {
    const { machine, folder, place } = await begun();
    await machine(folder).locked('plans/2/lock', LOCK, async () => {
      expect(existsSync(join(place, 'plan.json'))).toBe(false);
    });
  });

  test('is left alone by who reads meanwhile, and waited for by who would run it', async () => {
    const { machine, folder, one } = await written();
    const [reader, runner] = [machine(folder), machine(folder)];
    const place = join(one.path, 'plans/2/plan.json');
    let running: Promise<void> | undefined;
    await one.locked('plans/lock', LOCK, async () => {
      write(one, { 'plans/2/plan.json': '{}' });
      await reader.refresh('plans');
      running = runner.locked('plans/2/lock', LOCK, async () => expect(existsSync(place)).toBe(true));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(existsSync(place)).toBe(true);
    });
    await running;
    const other = machine();
    await other.refresh('plans');
    expect(readFileSync(join(other.path, 'plans/2/plan.json'), 'utf8')).toBe('{}');
  });

  test('and killed before this machine knew that the database had it is there', async () => {
    const { machine, folder, one } = await written();
    await one.locked('plans/lock', LOCK, async () => write(one, { 'plans/2/plan.json': '{}' }));
    rmSync(join(one.path, 'copied/plans 2.json'));
    await machine(folder).refresh('plans');
    expect(readFileSync(join(one.path, 'plans/2/plan.json'), 'utf8')).toBe('{}');
  });
});
