/** What an earlier vagent kept is brought over as a whole, once, and so that nobody is called whom it would not have called. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringPlans } from '../../src/plans/before/bring-plans.ts';
import { listPlans } from '../../src/plans/rows/plans.ts';
import { bringOver } from '../../src/register/before/bring-over.ts';
import { oldFolder } from '../../src/register/before/old-files.ts';
import { Register } from '../../src/register/register.ts';
import type { Rows, Sql } from '../../src/storage/database/sql.ts';
import { casesBeside } from '../support/cases.ts';
import { howMany } from '../support/full-matrix.ts';
import {
  change,
  checkedJournal,
  oldFiles,
  oldTables,
  pathsIn,
  SHOWN,
  serveThen,
  THEN,
} from '../support/old-register.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import { Operator, ROOT, temporaryFolder } from '../support/program.ts';
import { rowsAt } from '../support/rows.ts';
import { sql } from '../support/sql.ts';
import { Chance } from '../support/worlds/chance.ts';

/** Another one in each run; VAGENT_TEST_SEED repeats the choices of a run. */
const SEED = Number(process.env.VAGENT_TEST_SEED ?? Date.now() % 1_000_000);

const open = rowsAt;
const countIn = async (rows: Rows, table: string) => {
  const [row] = await rows.read((inside) => inside.all<{ count: number }>(`select count(*) as count from ${table}`));
  return row?.count;
};
const COUNTS = {
  ...{ requests: 9, request_contacts: 17, opted_out: 2 },
  ...{ plans: 3, plan_people: 14, plan_events: 15, plan_told: 1 },
};
const countsIn = async (rows: Rows) => {
  const tables = Object.keys(COUNTS);
  return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await countIn(rows, table)])));
};

/** Where it was, as if the service had been at `url`. */
const PLACES: [name: string, make: (url?: string) => Promise<string>][] = [
  ['a folder', async (url) => oldFiles(url)],
  [
    'a database',
    async (url) => {
      const address = ownSchema();
      await oldTables(address, oldFiles(url));
      return address;
    },
  ],
];

/** Whom the guards stop: numbers, and the exit code of a call or a campaign to them. */
const CALLS = { '+525512345678': 2, '+14155550299': 2, '+14155550511': 3, '+14155550201': 0, '+14155550241': 0 };
const CAMPAIGNS = {
  'the same again': [['+14155550211', '+14155550212', '+14155550213', '+14155550250'], 2],
  'those of an unknown outcome': [['+14155550231'], 2],
  'the wave of a plan': [['+14155550303'], 2],
  'those who were refused': [['+14155550221', '+14155550222'], 0],
  'a list to call again, which lasts a day': [['+14155550211', '+14155550213'], 2],
} as const;

describe.each(PLACES)('a register in %s', (name, make) => {
  const isShared = name === 'a database';
  const describeHere = isShared ? describePostgres : describe;
  describeHere('that is brought over', () => {
    test('shows what it showed before, and its plan goes on', async () => {
      const { url, clock } = await serveThen();
      const operator = new Operator({ env: environment(url, await make(url)) });
      const run = (args: string[]) => operator.run(args, { frozenAt: new Date(clock.now).toISOString() });
      for (const [command, shown] of Object.entries(SHOWN)) {
        const { stdout, stderr } = await run(command.split(' '));
        expect({ command, stdout, stderr }).toMatchObject({ stdout: shown.replaceAll('http://service.test', url) });
      }
      clock.now += 5 * 3_600_000;
      const said = await run(['plan', 'run', '1', '--json']);
      const ran = JSON.parse(said.stdout);
      expect(ran).toMatchObject({ state: 'open', wave: { wave: 3, contacts: 1 }, states: { calling: 1 } });
    });

    test('stops the same people from being called', async () => {
      const { url } = await serveThen();
      const operator = new Operator({ env: environment(url, await make(url)), frozenAt: new Date(THEN).toISOString() });
      const flags = ['--agent', '1', '--from', '+14155550100', '--yes'];
      for (const [number, code] of Object.entries(CALLS)) {
        const done = await operator.run(['call', number, '--first-line', 'Hello.', ...flags]);
        expect({ number, ...done }).toMatchObject({ code });
      }
      for (const [what, [numbers, code]] of Object.entries(CAMPAIGNS)) {
        const input = `phone_number\n${numbers.join('\n')}\n`;
        const done = await operator.run(['campaign', 'create', '--name', 'Again', '--contacts', '-', ...flags], {
          input,
        });
        expect({ what, ...done }).toMatchObject({ code });
      }
    });

    test('is brought over by whoever reads, once', async () => {
      const place = await make();
      const rows = await open(place);
      expect(await countsIn(rows)).toEqual(COUNTS);
      expect(await countsIn(await open(place))).toEqual(COUNTS);
    });

    test('comes as a whole or not at all when a statement fails', async () => {
      const place = await make();
      const old = oldFolder(oldFiles());
      for (let failing = 0; failing < 20; failing += 6) {
        const rows = await open(isShared ? ownSchema() : place.replace(/$/, `/${failing}`));
        const broken = rows.write((inside) => bringOver(old, failingAt(inside, failing), bringPlans));
        await expect(broken).rejects.toThrow('injected');
        expect((await countIn(rows, 'requests')) ?? 0).toBe(0);
      }
    });
  });
});

function environment(url: string, register: string): Record<string, string> {
  return { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'local-demo-key', VAGENT_REGISTER: register };
}

/** The statement of this number, from 0, fails. */
function failingAt(inside: Sql, failing: number): Sql {
  let made = 0;
  const step = async () => {
    if (made++ === failing) throw new Error('injected');
  };
  return {
    all: (...args) => step().then(() => inside.all(...args)),
    run: (...args) => step().then(() => inside.run(...args)),
    insert: (...args) => step().then(() => inside.insert(...args)),
  };
}

/** A file, a text in it and what stands for that, or that it is gone or cut, and what is said then. */
type Damage = [path: string, from: string | RegExp, to: string | undefined, told: RegExp];

describe('damage', () => {
  test.each(casesBeside(import.meta.filename)<Damage>('damages'))(
    'of %s is told, and nothing is brought over (%#)',
    async (...damage) => {
      const [path, from, to, told] = damage;
      const folder = oldFiles();
      const whole = readFileSync(join(folder, path));
      if (from === 'gone') rmSync(join(folder, path));
      else if (to === undefined) writeFileSync(join(folder, path), whole.subarray(0, -10));
      else change(folder, path, (text) => text.replace(from, to));
      const error = await open(folder).catch((thrown) => thrown);
      expect(error).toMatchObject({
        message: expect.stringMatching(told),
        hint: expect.stringMatching(/\./),
        exitCode: 9,
      });
      expect(readFileSync(join(folder, 'register.jsonl'), 'utf8')).not.toContain('moved_to');
      writeFileSync(join(folder, path), whole);
      expect(await countsIn(await open(folder))).toEqual(COUNTS);
    },
  );

  test('of the note of an import that was stopped is told, until it is removed', async () => {
    const folder = oldFiles();
    const note = join(folder, 'register.import');
    writeFileSync(note, '{"first":7}\n');
    await expect(open(folder)).rejects.toMatchObject({
      message: `${note} is damaged: it does not name the entries of an import that was stopped.`,
      hint: expect.stringMatching(/^Remove it, and the files in .*campaigns with numbers above the last entry/),
      exitCode: 9,
    });
    rmSync(note);
    expect(await countsIn(await open(folder))).toEqual(COUNTS);
  });

  test('can be left behind with the plan that has it', async () => {
    const folder = oldFiles();
    rmSync(join(folder, 'plans/1/plan.json'));
    writeFileSync(join(folder, 'plans/1/forgotten'), '');
    expect(await countsIn(await open(folder))).toMatchObject({ plans: 3, plan_people: 2 });
  });
});

/** What a value of JSON may become. */
const ODD = ['null', '-1', '1e999', '"x"', '[]', '{}', 'true', '0', '9007199254740993', '1.5', '""', '[null]'];
const VALUE = /(?<=[:[,])("(?:[^"\\]|\\.)*"|-?\d+(\.\d+)?|true|false|null|\[\]|\{\})(?=[,}\]])/g;

test('whatever stands in a file, it is told, or everything that was brought over can be read', async () => {
  const chance = new Chance(SEED);
  for (let round = 0; round < howMany(40, 3_000); round++) {
    const folder = oldFiles();
    const path = chance.pick(pathsIn(folder).filter((name) => /jsonl?$/.test(name)));
    change(folder, path, (text) => {
      const found = chance.pick([...text.matchAll(VALUE)]) as RegExpExecArray | undefined;
      if (found === undefined) return text;
      const odd = text.slice(0, found.index) + chance.pick(ODD) + text.slice(found.index + found[0].length);
      return path.endsWith('journal.jsonl') ? checkedJournal(odd) : odd;
    });
    const rows = await open(folder).catch((error) => {
      expect([path, error.constructor.name]).toEqual([path, 'FileError']);
    });
    if (rows === undefined) continue;
    const { damage } = await new Register({ rows, systemNow: () => THEN }).requests();
    const damaged = (await rows.read(listPlans)).filter((plan) => plan.damage !== undefined);
    expect({ seed: SEED, path, damage, damaged }).toMatchObject({ damage: undefined, damaged: [] });
  }
});

describePostgres('tables that somebody else has written to', () => {
  test('name no file, and are no bug; and stop an earlier vagent that is about to write there', async () => {
    const address = ownSchema();
    await oldTables(address, oldFiles());
    const odd = `('../../.profile', 'any', 1, 1, false), ('plans/7/../8/plan.json', 'any', 1, 1, false)`;
    await sql(address, `insert into register_files values ${odd}`);
    expect(await countsIn(await open(address))).toEqual(COUNTS);
    const left = `select tablename from pg_tables where schemaname = current_schema() and tablename like 'register\\_%'`;
    expect(await sql(address, left)).toEqual([{ tablename: 'register_migrations' }]);
  });

  test('stay what they are, with their names, where they cannot be brought over', async () => {
    const address = ownSchema();
    const folder = oldFiles();
    change(folder, 'plans/1/contacts.jsonl', (text) => text.replace('Hello 2', 'Hello 3'));
    await oldTables(address, folder);
    const rows = await open(address);
    await expect(countIn(rows, 'requests')).rejects.toThrow('plans/1/contacts.jsonl of the shared register is not as');
    await expect(rows.write(async () => {})).rejects.toThrow('Plan 1 is damaged');
    expect(await sql(address, 'select max(version) as version from register_migrations')).toEqual([{ version: 2 }]);
    expect(await sql(address, `select line from register_lines where path = 'register.jsonl'`)).toHaveLength(17);
  });
});

interface Doctored {
  checks: { name: string; status: string; message: string; hint: string | null }[];
}

describe('doctor --tidy', () => {
  const doctor = async (operator: Operator, ...flags: string[]) => {
    const { stdout } = await operator.run(['doctor', '--local', '--json', ...flags]);
    return Object.fromEntries((JSON.parse(stdout) as Doctored).checks.map((check) => [check.name, check]));
  };

  test('removes nothing where the database is damaged', async () => {
    const [folder, damaged] = [oldFiles(), temporaryFolder()];
    // A program that ends writes everything back.
    await new Operator({ env: { VAGENT_REGISTER: folder } }).runProgram(['doctor', '--local']);
    const bytes = readFileSync(join(folder, 'vagent.db'));
    const harmed = bytes.fill(7, bytes.length - 20_000, bytes.length - 8_000);
    writeFileSync(join(damaged, 'vagent.db'), harmed, { mode: 0o600 });
    writeFileSync(join(damaged, 'register.jsonl'), readFileSync(join(folder, 'register.jsonl')));
    expect(await doctor(new Operator({ env: { VAGENT_REGISTER: damaged } }), '--tidy')).toMatchObject({
      register: { status: 'failed', message: expect.stringContaining('damaged') },
      tidy: { status: 'skipped' },
    });
  });

  describePostgres('of a shared register', () => {
    test("removes the old tables and this machine's copy", async () => {
      const address = ownSchema();
      await oldTables(address, oldFiles());
      const operator = new Operator({ env: { VAGENT_REGISTER: address } });
      const { location } = await open(address);
      const copies = join(operator.home, '.local/state/vagent/registers');
      const copy = join(copies, location.replaceAll(/[^\w.-]+/g, '_'));
      mkdirSync(copy, { recursive: true });
      writeFileSync(join(copy, 'register.jsonl'), '');
      expect(await doctor(operator, '--tidy')).toMatchObject({ tidy: { message: '1 was removed' } });
      expect(existsSync(copies)).toBe(false);
      const left = `select 1 from pg_tables where schemaname = current_schema() and tablename like 'before\\_%'`;
      expect(await sql(address, left)).toEqual([]);
      expect(await countsIn(await open(address))).toEqual(COUNTS);
    });
  });
});

describe('a program that is killed', () => {
  const DYING = `--require=${join(ROOT, 'test/support/dying.cjs')}`;
  const list = async (folder: string, url: string, env: Record<string, string> = {}) => {
    const operator = new Operator({ env: environment(url, folder), frozenAt: new Date(THEN).toISOString() });
    return Object.keys(env).length === 0
      ? await operator.run(['campaign', 'list', '--waves'])
      : await operator.runProgram(['campaign', 'list', '--waves'], { env });
  };
  test('before any step of its writing leaves the old register or the new one', async () => {
    const { url } = await serveThen();
    const { stderr } = await list(oldFiles(url), url, { NODE_OPTIONS: DYING });
    const steps = Number(/It made (\d+) steps/.exec(stderr)?.[1]);
    expect(steps).toBeGreaterThan(8);
    const every = howMany(8, 1);
    for (let at = Date.now() % every; at < steps; at += every) {
      const folder = oldFiles(url);
      const { signal } = await list(folder, url, { NODE_OPTIONS: DYING, VAGENT_TEST_DIES_AT: String(at) });
      expect(signal).toBe('SIGKILL');
      expect(await list(folder, url)).toMatchObject({ code: 0, stdout: SHOWN['campaign list --waves'] });
      expect(await countsIn(await open(folder))).toEqual(COUNTS);
      expect(readFileSync(join(folder, 'register.jsonl'), 'utf8').match(/"moved_to"/g)).toHaveLength(1);
    }
  });
});
