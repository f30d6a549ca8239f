/** Whatever stands in the rows of a plan: it is that plan, or it is told that it is damaged, and the others are as they were. */
import { describe, expect, test } from 'vitest';
import { FileError, NotFoundError } from '../../../src/errors.ts';
import { forgetPlan } from '../../../src/plans/rows/forget.ts';
import { callsOfContacts, eventsOf, rowsOfWave } from '../../../src/plans/rows/history.ts';
import { listPlans } from '../../../src/plans/rows/plans.ts';
import { decide } from '../../../src/plans/rules/decide.ts';
import { SCHEMA } from '../../../src/register/schema.ts';
import type { Rows, Value } from '../../../src/storage/database/sql.ts';
import { casesBeside } from '../../support/cases.ts';
import { EPOCH } from '../../support/engine.ts';
import { ENGINES } from '../../support/engines.ts';
import { called, handed } from '../../support/plans.ts';
import { rowsAt } from '../../support/rows.ts';
import { allOf, makePlan, peopleIn, planAt, planDraft, somePeople } from '../../support/stored-plans.ts';

/** Two plans, of which the first has something in every column. */
async function withPlans(place: string): Promise<Rows> {
  const rows = await rowsAt(place);
  const places = ['UTC', 'Asia/Tokyo'].map((zone) => ({ zones: [zone], country: null }));
  await makePlan(rows, somePeople(6), planDraft({ places }));
  await makePlan(rows, somePeople(2));
  const { event: _called, ...call } = called(0, EPOCH);
  const recorded = new Map([
    ['x', { identity: 'x', saidAt: EPOCH, until: EPOCH, own: { ...call, isAmbiguous: false } }],
  ]);
  const reading = { heard: { from: EPOCH, until: EPOCH, entry: 1 }, position: undefined };
  const events = [handed(1, [0, 2], EPOCH), called(0, EPOCH)];
  await planAt(rows).change((session) =>
    session.write((sql) => session.commitIn(sql, events, { reading, recorded, ranAt: 1 })),
  );
  return rows;
}

/** Everything that is read of the first plan. */
async function readAll(rows: Rows): Promise<void> {
  const stored = planAt(rows);
  const loaded = await stored.load();
  decide(loaded, { now: EPOCH });
  await stored.snapshot();
  await stored.isHaltToSay('', EPOCH);
  await stored.logRecord(loaded);
  await peopleIn(stored);
  await allOf(eventsOf(rows, loaded.plan));
  await allOf(eventsOf(rows, loaded.plan, 'handed', 'answered'));
  await allOf(callsOfContacts(rows, loaded.plan));
  for (const open of loaded.position.open) await rowsOfWave(rows, loaded.plan, open);
}

interface Damage {
  text?: string;
  /** One of the JSON that stands there; without any it is nested as deeply as none that was written. */
  field?: string;
  value?: unknown;
}

function damagedBy({ text, field, value }: Damage, kept: string): string {
  if (text !== undefined) return text;
  if (field === undefined) return kept.replace(/^\{/, `{"later":${'['.repeat(20_000)}${']'.repeat(20_000)},`);
  const read = JSON.parse(kept);
  const path = field.split('.');
  const last = path.pop() as string;
  path.reduce((part, name) => part[name], read)[last] = value;
  return JSON.stringify(read);
}

const cases = casesBeside(import.meta.filename);
const HEADS = cases<[string, string, Damage, RegExp]>('heads');
const PARTS = cases<[string, string, RegExp]>('parts');

describe.each(ENGINES)('in $name', ({ places }) => {
  const place = places();

  async function requireDamaged(rows: Rows, sentence: RegExp): Promise<void> {
    const failure = await readAll(rows).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'plan_damaged', exitCode: 9, message: expect.stringMatching(sentence) });
    expect(failure).toMatchObject({ message: expect.stringMatching(/^Plan 1 is damaged: /) });
    expect((await planAt(rows, 2).load()).plan.contacts).toBe(2);
  }

  test.each(HEADS)(
    'a plan that %s is damaged, and the list has the others',
    async (_name, column, damage, sentence) => {
      const rows = await withPlans(await place());
      const [row] = await rows.read((sql) =>
        sql.all<Record<string, string>>(`select ${column} from plans where plan_id = 1`),
      );
      await rows.put(`update plans set ${column} = $1 where plan_id = 1`, [damagedBy(damage, row?.[column] ?? '{}')]);
      await requireDamaged(rows, sentence);
      const isOfRoster = column === 'plan' && sentence.source.includes('zone');
      expect(await rows.read(listPlans)).toMatchObject([
        isOfRoster ? { planId: 1 } : { planId: 1, name: 'Spring', damage: { code: 'plan_damaged' } },
        { planId: 2, loaded: { counts: { new: 2 } } },
      ]);
      await expect(planAt(rows).change(async () => {})).rejects.toMatchObject({ code: 'plan_damaged' });
      await forgetPlan(rows, planAt(rows), async () => {});
      expect((await rows.read(listPlans)).map(({ planId }) => planId)).toEqual([2]);
    },
  );

  test.each(PARTS)('a plan of which %s is damaged', async (_name, statement, sentence) => {
    const rows = await withPlans(await place());
    await rows.write((sql) => sql.run(statement));
    await requireDamaged(rows, sentence);
  });

  test('whatever is written into any column, nothing ends with a bug', async () => {
    const rows = await withPlans(await place());
    const texts = ['', '{', '[]', '{}', 'null', '[1,2]', '"x"', '../../.profile', '1'.repeat(40)];
    const odd: Value[] = [...texts, -1, 0, 3, 2 ** 52];
    const tables = Object.entries(SCHEMA.tables).filter(([name]) => name.startsWith('plan'));
    for (const [table, { columns }] of tables) {
      for (const [column, [type]] of Object.entries(columns)) {
        const before = await rows.read((sql) =>
          sql.all<Record<string, Value>>(`select * from ${table} where plan_id = 1`),
        );
        for (const value of [...odd, null]) {
          const isText = type.startsWith('text');
          if (value === null ? type.endsWith('not null') : (typeof value === 'string') !== isText) continue;
          const change = `update ${table} set ${column} = $1 where plan_id = 1`;
          if ((await rows.put(change, [value]).catch(() => 0)) === 0) continue;
          const failure = await readAll(rows).catch((error: unknown) => error);
          const isTold = failure === undefined || failure instanceof FileError || failure instanceof NotFoundError;
          expect(isTold, `${table}.${column} = ${value}: ${failure}`).toBe(true);
          await rows.read(listPlans);
          await putBack(rows, table, before);
        }
      }
    }
    await readAll(rows);
  });
});

async function putBack(rows: Rows, table: string, before: readonly Record<string, Value>[]): Promise<void> {
  await rows.write(async (sql) => {
    if (table !== 'plans') {
      await sql.run(`delete from ${table} where plan_id <> 2`);
      const columns = Object.keys(before[0] ?? {});
      return await sql.insert(
        table,
        columns,
        before.map((row) => columns.map((name) => row[name] ?? null)),
      );
    }
    for (const { plan_id, ...row } of before) {
      const sets = Object.keys(row).map((name, at) => `${name} = $${at + 2}`);
      await sql.run(`update plans set ${sets.join(', ')} where plan_id = $1`, [plan_id ?? 1, ...Object.values(row)]);
    }
  });
}
