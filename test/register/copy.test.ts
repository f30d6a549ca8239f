/** A register is copied and merged with another, from and to both engines: whole, once, and so that the guards know it there. */
import { describe, expect, test } from 'vitest';
import { type Copied, copyRegister } from '../../src/plans/rows/copy.ts';
import type { Rows } from '../../src/storage/database/sql.ts';
import { KeptRows } from '../../src/text/kept-rows.ts';
import { Desk, type Fate, NOON } from '../support/desk.ts';
import { ENGINES } from '../support/engines.ts';
import { oldFiles } from '../support/old-register.ts';
import { temporaryFolder } from '../support/program.ts';
import { rowsAt } from '../support/rows.ts';

const [ANN, BOB, CLEO, DAN] = ['+14155550101', '+14155550102', '+14155550103', '+14155550104'] as const;
const HOUR = 3_600_000;
const TABLES = {
  requests: 'sent_at, entry',
  request_contacts: 'entry, position',
  opted_out: 'phone',
  plans: 'plan_id',
  plan_people: 'plan_id, row',
  plan_states: 'plan_id, row',
  plan_events: 'plan_id, number',
};
type Table = keyof typeof TABLES;

const all = (rows: Rows, table: Table) =>
  rows.read((sql) => sql.all<Record<string, unknown>>(`select * from ${table} order by ${TABLES[table]}`));
const none = { added: 0, known: 0, completed: 0, restored: 0, unguarded: { requests: 0, people: 0 } };
const counted = (counts: Partial<Copied['requests']>) => expect.objectContaining({ requests: { ...none, ...counts } });

describe.each(ENGINES)('a register that is copied to $name', ({ places }) => {
  const place = places();
  /** Two people with registers of their own, who work with the same service at times of their own. */
  const two = async () => {
    const [here, there] = [await Desk.at(temporaryFolder()), await Desk.at(await place())];
    there.now += HOUR / 2;
    return { here, there };
  };

  test('is the same there, once, and home again', async () => {
    const { here, there } = await two();
    const rows = new KeptRows(['phone', 'note']);
    rows.add([ANN, 'two\nlines']);
    rows.add([BOB, '']);
    await here.create([{ phone_number: ANN, custom_first_line: 'Hi.' }, BOB], { rows });
    here.fate = 'refused';
    await here.create([CLEO]);
    here.fate = 'unknown';
    await here.call(CLEO);
    await here.optedOut().add([14155550104]);
    expect(await copyRegister(here.rows, there.rows)).toEqual(counted({ added: 3 }));
    for (const table of Object.keys(TABLES) as Table[])
      expect([table, await all(there.rows, table)]).toEqual([table, await all(here.rows, table)]);
    expect(await copyRegister(here.rows, there.rows)).toEqual(counted({ known: 3 }));
    expect(await copyRegister(there.rows, here.rows)).toEqual(counted({ known: 3 }));
    // The guards know it.
    expect(await there.create([ANN, DAN])).toBe('do_not_call');
    expect(await there.create([ANN, BOB])).toBe('repeated_campaign');
    expect(await there.call(CLEO)).toBe('unknown_call');
    expect(await there.create([ANN])).toBe('repeated_campaign');
  });

  test('is merged with what was sent from there, in the order of sending', async () => {
    const { here, there } = await two();
    there.now = NOON - HOUR;
    await there.create([BOB]);
    there.now = NOON + HOUR;
    await there.create([CLEO]);
    await here.create([ANN]);
    expect(await copyRegister(there.rows, here.rows)).toEqual(counted({ added: 2 }));
    expect(await copyRegister(here.rows, there.rows)).toEqual(counted({ added: 1, known: 2 }));
    const placed = async ({ rows }: Desk) => (await all(rows, 'requests')).map(({ entry }) => entry);
    expect(await placed(here)).toEqual([2, 1, 3]);
    expect(await placed(there)).toEqual([1, 3, 2]);
    for (const desk of [here, there]) {
      desk.now = NOON + 2 * HOUR;
      expect(await desk.create([ANN, BOB])).toBe('repeated_campaign');
    }
  });

  test.each(['accepted', 'refused', 'not_sent'] satisfies Fate[])(
    'gets an outcome that is unknown there: %s',
    async (fate) => {
      const { here, there } = await two();
      here.fate = fate;
      await here.create([ANN]);
      await copyRegister(here.rows, there.rows);
      await there.rows.write(async (sql) => {
        await sql.run('update requests set outcome = null, reply = null, ended_at = null, campaign_id = null');
      });
      expect(await copyRegister(there.rows, here.rows)).toEqual(counted({ known: 1 }));
      expect(await copyRegister(here.rows, there.rows)).toEqual(counted({ known: 1, completed: 1 }));
      expect(await all(there.rows, 'requests')).toEqual(await all(here.rows, 'requests'));
      expect(await all(there.rows, 'request_contacts')).toEqual(await all(here.rows, 'request_contacts'));
    },
  );

  test('does not bring back what was forgotten there, but completes what came there without its people', async () => {
    const { here, there } = await two();
    const third = await Desk.at(temporaryFolder());
    const unguarded = { requests: 1, people: 1 };
    await here.create([ANN]);
    await copyRegister(here.rows, third.rows);
    await third.register.forget(() => true);
    expect(await copyRegister(here.rows, third.rows)).toEqual(counted({ known: 1, unguarded }));
    expect(await all(third.rows, 'request_contacts')).toEqual([]);
    expect(await copyRegister(third.rows, there.rows)).toEqual(counted({ added: 1, unguarded }));
    expect(await copyRegister(here.rows, there.rows)).toEqual(counted({ known: 1, restored: 1 }));
    expect(await all(there.rows, 'requests')).toEqual(await all(here.rows, 'requests'));
    expect([await third.create([ANN]), await there.create([ANN])]).toEqual(['accepted', 'repeated_campaign']);
  });

  test('has the same campaign once, whoever is said to have sent it', async () => {
    const { here, there } = await two();
    await here.create([ANN]);
    await copyRegister(here.rows, there.rows);
    await there.rows.write((sql) => sql.run(`update requests set sent_by = 'bob@desk'`).then(() => {}));
    expect(await copyRegister(here.rows, there.rows)).toEqual(counted({ known: 1 }));
  });

  test('takes its plans along, with the numbers that they and their requests have there', async () => {
    const [here, there] = [await rowsAt(oldFiles()), await rowsAt(await place())];
    const plans = (added: number, known: number, updated: number) =>
      expect.objectContaining({ plans: { added, known, updated } });
    expect(await copyRegister(await rowsAt(oldFiles('http://elsewhere.test')), there)).toEqual(plans(2, 0, 0));
    expect(await copyRegister(here, there)).toEqual(plans(2, 0, 0));
    expect(await copyRegister(here, there)).toEqual(plans(0, 2, 0));
    const there4 = async (table: Table) => (await all(there, table)).filter(({ plan_id }) => plan_id === 4);
    const places = (await all(there, 'plans')).map(({ plan_id, service }) => [plan_id, service]);
    const [elsewhere, ours] = ['http://elsewhere.test', 'http://service.test'];
    expect(places).toEqual([
      [1, elsewhere],
      [3, elsewhere],
      [4, ours],
      [5, ours],
    ]);
    const waves = (await there4('requests')).map(({ entry }) => entry);
    const [copied] = await there4('plans');
    expect(JSON.parse(String(copied?.plan))).toMatchObject({ plan_id: 4 });
    expect(JSON.parse(String(copied?.position)).open).toMatchObject([{ entry: waves[1] }]);
    const handed = (await there4('plan_events')).filter(({ event }) => event === 'handed');
    expect(handed.map(({ data }) => JSON.parse(String(data)).entry)).toEqual(waves);
    for (const table of ['plan_people', 'plan_states'] as const) {
      const own = (await all(here, table)).filter(({ plan_id }) => plan_id === 1);
      expect((await there4(table)).map((row) => ({ ...row, plan_id: 1 }))).toEqual(own);
    }
    // One to which less has happened is replaced.
    const third = await rowsAt(temporaryFolder());
    await copyRegister(here, third);
    await third.write(async (sql) => {
      await sql.run(`update plans set version = 8, state = 'stopped' where plan_id = 1`);
      await sql.run('delete from plan_events where plan_id = 1 and number >= 8');
    });
    expect(await copyRegister(third, here)).toEqual(plans(0, 2, 0));
    expect(await copyRegister(here, third)).toEqual(plans(0, 2, 1));
    expect(await all(third, 'plan_events')).toEqual(await all(here, 'plan_events'));
  });

  test('is as it was before when the copy meets a row that cannot be read', async () => {
    const { here, there } = await two();
    await here.create([ANN]);
    await here.create([BOB]);
    await here.rows.write((sql) => sql.run(`update requests set request = '{' where entry = 2`).then(() => {}));
    await expect(copyRegister(here.rows, there.rows)).rejects.toMatchObject({ code: 'register_damaged' });
    expect(await all(there.rows, 'requests')).toEqual([]);
  });
});
