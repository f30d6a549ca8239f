/** What both engines promise: one suite over a file of SQLite and over PostgreSQL. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAST_COMMITS } from '../../../src/storage/database/last-commits.ts';
import { PostgresRows } from '../../../src/storage/database/postgres-rows.ts';
import type { Rows, Schema } from '../../../src/storage/database/sql.ts';
import { statementsOf } from '../../../src/storage/database/sql.ts';
import { openEngine, SqliteRows } from '../../../src/storage/database/sqlite-rows.ts';
import { ENGINES } from '../../support/engines.ts';
import { temporaryFolder } from '../../support/program.ts';
import { meetTransactions } from '../../support/struck-database.ts';

const SCHEMA: Schema = {
  tables: {
    people: {
      about: "Whoever's number is kept.",
      columns: { id: ['bigint not null', 'Counts up.'], name: ['text', 'Of one.'], at: ['double precision', 'When.'] },
      keys: ['primary key (id)'],
    },
  },
  views: { names: { about: 'Names.', select: () => 'select name from people' } },
};

const KEPT = {
  ...{ name: 'rows', schema: 'vagent_rows', versions: 'rows_migrations', look: 'look' },
  migrations: [LAST_COMMITS, statementsOf(SCHEMA, 'postgres').join(';\n')],
};
const at = (path: string) => new SqliteRows({ path, schema: SCHEMA, version: 1, name: 'rows' });

describe.each(ENGINES)('rows in $name', ({ name, places }) => {
  const place = places();
  /** Opens one place as often as it is asked. */
  const open = async (): Promise<() => Rows> => {
    const url = await place();
    if (name === 'SQLite') return () => at(join(url, 'rows.db'));
    return () => new PostgresRows({ url, kept: KEPT, schema: SCHEMA, by: 'me@here' });
  };

  it('are none before anything was written; then numbers and texts come back as they were, and some by a list', async () => {
    const again = await open();
    expect(await again().read((sql) => sql.all('select * from people'))).toEqual([]);
    const many = Array.from({ length: 20_000 }, (_none, id) => [id, null, null]);
    const rows = [[2 ** 52, 'Ava', 1.5], ...many];
    await again().write((sql) => sql.insert('people', ['id', 'name', 'at'], rows));
    const text = 'select * from people where id in (select value from numbers($1) as list) order by id';
    const found = await again().read((sql) => sql.all(text, [JSON.stringify([19_999, 20_000, 2 ** 52])]));
    expect(found).toEqual([
      { id: 19_999, name: null, at: null },
      { id: 2 ** 52, name: 'Ava', at: 1.5 },
    ]);
  });

  it('changes nothing when it throws', async () => {
    const rows = (await open())();
    await rows.write((sql) => sql.run('insert into people values (1, $1, 0)', ['one']));
    const failing = rows.write(async (sql) => {
      await sql.run('insert into people values (2, $1, 0)', ['two']);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await rows.read((sql) => sql.all('select id from people'))).toEqual([{ id: 1 }]);
  });

  it('loses none of what many write at once', async () => {
    const again = await open();
    const writers = Array.from({ length: 8 }, again);
    const counted = writers.map(async (rows) => {
      for (let round = 0; round < 5; round++) {
        await rows.write(async (sql) => {
          const [last] = await sql.all<{ id: number }>('select coalesce(max(id), 0) as id from people');
          await sql.run('insert into people (id) values ($1)', [(last?.id ?? 0) + 1]);
        }, 'people');
      }
    });
    await Promise.all(counted);
    expect(await again().read((sql) => sql.all('select count(*) as all_of_them from people'))).toEqual([
      { all_of_them: 40 },
    ]);
  });

  it('lets one hold a lock, and tells the other who does', async () => {
    const again = await open();
    await again().write(async () => {});
    const options = { timeoutMs: 50, command: 'the first', what: 'Plan 1' };
    await again().holding('plan 1', options, async () => {
      await expect(again().holding('plan 1', options, async () => {})).rejects.toMatchObject({ code: 'file_locked' });
      await again().holding('plan 2', options, async () => {});
    });
    await again().holding('plan 1', options, async () => {});
  });
});

describe('a file of SQLite', () => {
  it('is free at once for others where a transaction fails when it had begun', async () => {
    const path = join(temporaryFolder(), 'rows.db');
    await at(path).put("insert into people values (1, 'Ana', 0)");
    const struck = at(path);
    meetTransactions((text, execute) => {
      execute();
      if (text === 'begin immediate') throw Object.assign(new Error('cut'), { code: 'EIO' });
    });
    await expect(struck.put('delete from people')).rejects.toMatchObject({ exitCode: 9 });
    meetTransactions(undefined);
    expect(await at(path).put("insert into people values (2, 'Bob', 0)")).toBe(1);
    expect(await struck.put('delete from people')).toBe(2);
  });

  it('takes nothing into a column but what its type says', async () => {
    const rows = at(join(temporaryFolder(), 'rows.db'));
    await expect(rows.put("insert into people values ('x', 'Ana', 0)")).rejects.toMatchObject({ exitCode: 9 });
  });
});

describe('a file of rows', () => {
  const ONE = "insert into people values (1, 'Ava', 0)";

  it('is told to be of a newer vagent at once, even while that one writes', async () => {
    const path = join(temporaryFolder(), 'rows.db');
    await at(path).put(ONE);
    const newer = openEngine(path);
    newer.exec('pragma user_version = 2; begin immediate');
    await expect(at(path).put(ONE)).rejects.toMatchObject({ code: 'store_too_new' });
    newer.close();
  });

  it('may be replaced while nothing was written to it', async () => {
    const folder = temporaryFolder();
    const [path, other] = [join(folder, 'rows.db'), join(folder, 'other.db')];
    writeFileSync(path, '');
    const rows = at(path);
    expect(await rows.read((sql) => sql.all('select * from people'))).toEqual([]);
    const made = openEngine(other);
    made.exec(`${statementsOf(SCHEMA, 'sqlite').join(';')}; pragma user_version = 1; ${ONE}`);
    made.close();
    renameSync(other, path);
    await rows.put("insert into people values (2, 'Ben', 0)");
    expect(await at(path).read((sql) => sql.all('select id from people order by id'))).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
