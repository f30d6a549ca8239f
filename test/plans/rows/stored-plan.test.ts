/**
 * A plan in its rows, in either engine: what is written is read again, by others too, one changes it at a time, and a stop is
 * never lost.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FileError, NotFoundError } from '../../../src/errors.ts';
import { forgetPlan } from '../../../src/plans/rows/forget.ts';
import * as history from '../../../src/plans/rows/history.ts';
import { contactsOf } from '../../../src/plans/rows/people.ts';
import { listPlans } from '../../../src/plans/rows/plans.ts';
import type { PlanEvent } from '../../../src/plans/rules/events.ts';
import type { Rows } from '../../../src/storage/database/sql.ts';
import { KeptRows } from '../../../src/text/kept-rows.ts';
import { EPOCH } from '../../support/engine.ts';
import { ENGINES } from '../../support/engines.ts';
import { called, handed } from '../../support/plans.ts';
import { rowsAt } from '../../support/rows.ts';
import {
  allOf,
  contentOf,
  eventsOf,
  makePlan,
  peopleIn,
  planAt,
  planDraft,
  planRules,
  recordsOf,
  somePeople,
} from '../../support/stored-plans.ts';

const excluded = (row: number): PlanEvent => ({ event: 'excluded', at: EPOCH, rows: [row, 1], why: 'list' });
const forget = (rows: Rows, planId = 1) => forgetPlan(rows, planAt(rows, planId), async () => {});

describe.each(ENGINES)('in $name', ({ places }) => {
  const place = places();
  /** Each call opens the same again, as another process would. */
  async function withPlan(people = somePeople(6)): Promise<() => Promise<Rows>> {
    const at = await place();
    await makePlan(await rowsAt(at), people);
    return () => rowsAt(at);
  }

  describe('a new plan', () => {
    test('has everything that it was made of', async () => {
      const rows = await rowsAt(await place());
      const kept = new KeptRows(['Phone', 'City']);
      for (let row = 0; row < 3; row++) kept.add([`${row}`, 'Köln']);
      const where = [
        { zones: ['UTC'], country: null },
        { zones: ['America/New_York', 'America/Toronto'], country: 'US' },
      ];
      const rules = planRules({ maxPerNumber: { count: 5, within: 86_400_000 }, start: EPOCH, canary: 2 });
      const people = somePeople(3, { rows: kept, placeOf: [0, 1, 1] });
      const stored = planAt(rows, await makePlan(rows, people, planDraft({ places: where, rules })));

      const loaded = await stored.load();
      const { plan, position, roster } = loaded;
      expect(plan).toMatchObject({ ...planDraft({ places: where }), rules: { canary: 2 }, plan_id: 1, contacts: 3 });
      expect(plan.columns).toEqual(['Phone', 'City']);
      expect(position).toMatchObject({ state: 'open', waves: 0, attempts: 0 });
      expect(roster.counts).toMatchObject({ new: 3, handed: 0 });
      expect(roster.dials).toBe(5);
      expect([0, 1, 2].map((row) => roster.placeOf(row))).toEqual([0, 1, 1]);
      expect(roster.rowsOfPhone(14_155_550_201)).toEqual([1]);
      expect(await contactsOf(stored.rows, plan, [2, 0])).toEqual([people.contacts[2], people.contacts[0]]);
      const cells = [0, 1, 2].map((row) => [`${row}`, 'Köln']);
      expect(await peopleIn(stored)).toEqual(people.contacts.map((contact, at) => ({ contact, cells: cells[at] })));
    });

    test('is not made if a text holds the key, or if something stands in its way', async () => {
      const rows = await rowsAt(await place());
      const redact = (text: string) => text.replace('sk-KEY', '<API_KEY>');
      const contacts = [{ phone_number: '+14155550201', custom_first_line: 'Hello sk-KEY' }];
      const people = somePeople(0, { contacts, placeOf: [0], redact });
      await expect(makePlan(rows, people)).rejects.toMatchObject({ code: 'key_in_texts' });
      expect(await rows.read(listPlans)).toEqual([]);
      expect(await makePlan(rows)).toBe(1);
    });

    test('never has the number of another one, not even of one that is forgotten', async () => {
      const open = await withPlan();
      const rows = await open();
      await forget(rows);
      expect(await makePlan(rows)).toBe(2);
      await forget(rows, 2);
      const made = await Promise.all([makePlan(await open()), makePlan(await open()), makePlan(await open())]);
      expect(made.sort()).toEqual([3, 4, 5]);
      expect((await rows.read(listPlans)).map(({ planId }) => planId)).toEqual([3, 4, 5]);
    });
  });

  describe('a change', () => {
    test('is there for others when it is committed, and not before', async () => {
      const open = await withPlan();
      const other = planAt(await open());
      await planAt(await open()).change(async (session) => {
        expect((await other.load()).roster.counts.handed).toBe(0);
        await session.commit([handed(1, [0, 2], EPOCH)]);
        expect((await other.load()).roster.counts).toMatchObject({ new: 4, handed: 2 });
        expect(session.loaded.roster.counts.handed).toBe(2);
      });
      const loaded = await other.load();
      const [wave] = loaded.position.open;
      expect(wave).toMatchObject({ wave: 1, contacts: 2, unsettled: 2 });
      expect(await history.rowsOfWave(other.rows, loaded.plan, wave as NonNullable<typeof wave>)).toEqual([0, 1]);
      expect(await eventsOf(other)).toEqual([handed(1, [0, 2], EPOCH)]);
    });

    test('leaves in the rows what it leaves in memory', async () => {
      const open = await withPlan();
      const reached = { result: 'reached', status: 'completed', seconds: 61 } as const;
      const groups: PlanEvent[][] = [
        [handed(1, [0, 4], EPOCH), { event: 'answered', at: EPOCH, wave: 1, outcome: 'accepted', campaign_id: 7 }],
        [
          called(0, EPOCH + 0.25, { outcome: 'ü, “電話”' }),
          called(1, EPOCH + 60_000, reached),
          { event: 'others', at: EPOCH + 9, row: 5 },
        ],
        [{ ...called(0, EPOCH + 0.25), event: 'revised', was: { result: 'busy', seconds: 0 } }],
        [
          { event: 'unseen', at: EPOCH + 9e7, rows: [2, 2] },
          { event: 'resumed', at: EPOCH + 9e7 + 0.5, recalls: true },
        ],
        // Of a call that is awaited no other follows: never again.
        [handed(2, [2, 1], EPOCH), called(2, EPOCH + 5, reached)],
      ];
      let before = '';
      await planAt(await open()).change(async (session) => {
        for (const events of groups) await session.commit(events);
        before = recordsOf(session.loaded.roster);
        expect(session.loaded.roster.dueOf(2)).toBe(Number.POSITIVE_INFINITY);
      });
      const stored = planAt(await open());
      expect(JSON.parse(await contentOf(stored)).records).toBe(before);
      expect(await eventsOf(stored)).toEqual(groups.flat());
    });

    test('is made by one process at a time; the other is told who it is', async () => {
      const open = await withPlan();
      const second = planAt(await open());
      await planAt(await open()).change(async () => {
        const waiting = second.change(async () => 'never', 50);
        await expect(waiting).rejects.toMatchObject({ exitCode: 9, code: 'file_locked' });
        await expect(second.change(async () => 'never', 50)).rejects.toThrow(/Plan 1 is locked by process \d+/);
      });
      const rows = await Promise.all([0, 1, 2, 3].map(async (row) => [row, planAt(await open())] as const));
      await Promise.all(rows.map(([row, stored]) => stored.change((session) => session.commit([excluded(row)]))));
      expect((await second.load()).roster.counts.excluded).toBe(4);
    });

    test('counts in no part where another machine was there, whose lock was cut off', async () => {
      const open = await withPlan();
      const rows = await open();
      await planAt(await open()).change(async (session) => {
        await rows.write((sql) => sql.run('update plans set version = version + 1'));
        const failing = session.commit([handed(1, [0, 2], EPOCH)]);
        await expect(failing).rejects.toMatchObject({ code: 'plan_changed', exitCode: 9 });
        await expect(session.commit([excluded(0)])).rejects.toMatchObject({ code: 'plan_changed' });
      });
      expect(await eventsOf(planAt(rows))).toEqual([]);
      expect((await planAt(rows).load()).roster.counts.new).toBe(6);
    });

    test('is undone with the transaction of somebody else', async () => {
      const open = await withPlan();
      const rows = await open();
      await planAt(rows).change(async (session) => {
        const failing = rows.write(async (sql) => {
          await session.commitIn(sql, [handed(1, [0, 2], EPOCH)]);
          throw new FileError('no');
        });
        await expect(failing).rejects.toThrow('no');
      });
      expect(await eventsOf(planAt(rows))).toEqual([]);
    });

    test('goes with what was read of the log', async () => {
      const stored = planAt(await (await withPlan())());
      const own = { row: 0, wave: 1, at: EPOCH, result: 'busy', seconds: 0, status: 'busy', outcome: '' } as const;
      const entry = { identity: 'x', saidAt: EPOCH, until: EPOCH + 5, own: { ...own, isAmbiguous: false } };
      const reading = { heard: { from: EPOCH, until: EPOCH, entry: 3 }, ahead: -250, position: undefined };
      const recorded = new Map([['x', entry]]);
      await stored.change((session) =>
        session.write((sql) => session.commitIn(sql, [handed(1, [0, 2], EPOCH)], { reading, recorded, ranAt: 77 })),
      );
      const loaded = await stored.load();
      expect([loaded.ahead, loaded.position.waves]).toEqual([-250, 1]);
      expect(await stored.logRecord(loaded)).toEqual({ reading, recorded });
      expect(await stored.snapshot()).toEqual({ version: 1, ranAt: 77, isStopWanted: false });
    });
  });

  test('the calls of contacts come contact by contact, in the order of time, as they were said last', async () => {
    const stored = planAt(await (await withPlan())());
    const was = { result: 'busy', seconds: 0 } as const;
    const revised = { ...called(1, EPOCH + 5, { outcome: 'later' }), event: 'revised', was } as const;
    const events = [called(3, EPOCH + 9), called(1, EPOCH + 7), called(1, EPOCH + 5), revised, called(3, EPOCH + 1)];
    await stored.change((session) => session.commit([handed(1, [0, 6], EPOCH), ...events]));
    const { plan } = await stored.load();
    expect(await allOf(history.callsOfContacts(stored.rows, plan))).toEqual([
      [1, [called(1, EPOCH + 5, { outcome: 'later' }), called(1, EPOCH + 7)]],
      [3, [called(3, EPOCH + 1), called(3, EPOCH + 9)]],
    ]);
    expect(await history.callsByWave(stored.rows, plan)).toEqual(new Map([[1, 4]]));
    expect((await allOf(history.eventsOf(stored.rows, plan, 'handed'))).length).toBe(1);
  });

  describe('a wish to stop', () => {
    const wish = { at: EPOCH + 5, reason: 'stopped by hand' };

    test.each([[], [wish]])('for good ends the plan, also after one to stop: %j', async (...earlier) => {
      const stored = planAt(await (await withPlan())());
      for (const other of earlier) await stored.requestStop(other);
      await stored.requestStop({ at: EPOCH + 6, reason: 'cancelled', isForGood: true });
      await stored.requestStop(wish);
      const { position, roster } = await stored.change(async ({ loaded }) => loaded);
      expect(position).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
      expect(roster.counts).toMatchObject({ new: 0, left: 6 });
    });

    test('is seen while somebody else holds the plan, and is fulfilled once, by the next one', async () => {
      const open = await withPlan();
      const other = planAt(await open());
      await planAt(await open()).change(async ({ loaded }) => {
        await other.requestStop(wish);
        expect((await other.snapshot()).isStopWanted).toBe(true);
        expect(loaded.position.state).toBe('open');
      });
      expect(await other.change(async ({ loaded }) => loaded.position)).toMatchObject({ state: 'stopped' });
      expect((await other.snapshot()).isStopWanted).toBe(false);
      expect(await eventsOf(other)).toEqual([{ event: 'stopped', ...wish }]);
    });

    test('changes nothing where the plan is over', async () => {
      const stored = planAt(await (await withPlan())());
      await stored.change((session) => session.commit([{ event: 'done', at: EPOCH, reason: 'all called' }]));
      await stored.requestStop(wish);
      await stored.change(async ({ loaded }) => expect(loaded.position.state).toBe('done'));
      expect((await stored.snapshot()).isStopWanted).toBe(false);
    });
  });

  describe('a plan that is not there', () => {
    test('is not found', async () => {
      const rows = await rowsAt(await place());
      await expect(planAt(rows, 4).load()).rejects.toThrow(NotFoundError);
      await expect(planAt(rows, 4).change(async () => {})).rejects.toThrow('There is no plan 4.');
      await expect(forget(rows, 4)).rejects.toThrow('There is no plan 4.');
      expect(await rows.read(listPlans)).toEqual([]);
    });

    test('leaves only its number when it is forgotten', async () => {
      const rows = await (await withPlan())();
      await planAt(rows).change((session) => session.commit([handed(1, [0, 2], EPOCH), called(0, EPOCH)]));
      await forget(rows);
      await expect(planAt(rows).load()).rejects.toThrow('There is no plan 1.');
      await expect(forget(rows)).rejects.toThrow('There is no plan 1.');
      for (const table of ['plan_people', 'plan_states', 'plan_events', 'plan_told'])
        expect(await rows.read((sql) => sql.all(`select * from ${table}`)), table).toEqual([]);
      if (rows.isShared) return;
      for (const path of [rows.location, `${rows.location}-wal`]) {
        const bytes = readFileSync(path, 'latin1');
        for (const text of ['+14155550200', 'Hello 0', 'Spring']) expect(bytes, path).not.toContain(text);
      }
    });

    test('stays if it must not be forgotten', async () => {
      const rows = await (await withPlan())();
      const refuse = async () => {
        throw new FileError('It is open.');
      };
      await expect(forgetPlan(rows, planAt(rows), refuse)).rejects.toThrow('It is open.');
      expect((await planAt(rows).load()).plan.plan_id).toBe(1);
    });
  });
});
