/** A plan on the disk: what is written is read again, by others too, one changes it at a time, and a stop is never lost. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileError, NotFoundError } from '../../../src/errors.ts';
import type { PlanEvent } from '../../../src/plans/events.ts';
import { withCheck } from '../../../src/plans/folder/check.ts';
import { forgetPlan, listPlans } from '../../../src/plans/folder/plans.ts';
import { ownState } from '../../../src/state/state-folder.ts';
import { KeptRows } from '../../../src/text/kept-rows.ts';
import { EPOCH } from '../../support/engine.ts';
import { FaultyFiles } from '../../support/faulty-files.ts';
import { contentOf, folderOf, makePlan, planDraft, planRules, somePeople } from '../../support/plan-folder.ts';
import { temporaryFolder } from '../../support/program.ts';

const FROM = '+14155550100';
const handed = (wave: number, ...rows: number[]): PlanEvent => {
  return { event: 'handed', at: EPOCH, wave, from: FROM, start: EPOCH, interval: 60_000, rows };
};
const excluded = (row: number): PlanEvent => ({ event: 'excluded', at: EPOCH, rows: [row, 1], why: 'list' });
const forget = (state: string, planId = 1) => forgetPlan({ state: ownState(state), command: 'test' }, planId, () => {});

async function stateWithPlan(count = 6): Promise<string> {
  const state = temporaryFolder();
  await makePlan(state, somePeople(count));
  return state;
}

describe('a new plan', () => {
  test('has everything that it was made of', async () => {
    const state = temporaryFolder();
    const rows = new KeptRows(['Phone', 'City']);
    for (let row = 0; row < 3; row++) rows.add([`${row}`, 'Köln']);
    const places = [
      { zones: ['UTC'], country: null },
      { zones: ['America/New_York', 'America/Toronto'], country: 'US' },
    ];
    const rules = planRules({ maxPerNumber: { count: 3, within: 86_400_000 }, start: EPOCH, canary: 2 });
    const people = somePeople(3, { rows, placeOf: [0, 1, 1] });
    const planId = await makePlan(state, people, planDraft({ places, rules }));

    const folder = folderOf(state, planId);
    const { plan, position, roster } = folder.load();
    expect(plan).toMatchObject({ ...planDraft({ places }), rules: { canary: 2 }, plan_id: 1, contacts: 3 });
    expect(plan.columns).toEqual(['Phone', 'City']);
    expect(position).toMatchObject({ state: 'open', waves: 0, attempts: 0 });
    expect(roster.counts).toMatchObject({ new: 3, handed: 0 });
    expect(roster.dials).toBe(4);
    expect([0, 1, 2].map((row) => roster.placeOf(row))).toEqual([0, 1, 1]);
    expect(roster.rowsOfPhone(14_155_550_201)).toEqual([1]);
    expect(folder.contactsOf([2, 0])).toEqual([people.contacts[2], people.contacts[0]]);
    expect([...folder.eachContact()]).toEqual(people.contacts);
    expect([...(folder.originalRows()?.rows ?? [])]).toEqual([0, 1, 2].map((row) => [`${row}`, 'Köln']));
  });

  test('is for its owner alone', async () => {
    const state = await stateWithPlan();
    const folder = join(state, 'plans', '1');
    await folderOf(state).change(async (session) => session.commit([handed(1, 0, 2)]));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
  });

  test('has a line of any length in its file of contacts', async () => {
    const state = temporaryFolder();
    const long = 'x'.repeat(100_000);
    const contacts = ['+14155550201', '+14155550202', '+14155550203'].map((phone_number, at) => ({
      phone_number,
      custom_first_line: at === 1 ? long : 'short',
    }));
    await makePlan(state, somePeople(0, { contacts, placeOf: [0, 0, 0] }));
    expect(folderOf(state).contactsOf([1, 2])).toEqual([contacts[1], contacts[2]]);
  });

  test('never has the number of another one, not even of one that is forgotten', async () => {
    const state = await stateWithPlan();
    await forget(state);
    expect(await makePlan(state)).toBe(2);
    await forget(state, 2);
    expect(await makePlan(state)).toBe(3);
    expect(listPlans(ownState(state)).map(({ planId }) => planId)).toEqual([3]);
  });

  test('two that are made at once have a number each', async () => {
    const state = temporaryFolder();
    const ids = await Promise.all([makePlan(state), makePlan(state), makePlan(state)]);
    expect(ids.sort()).toEqual([1, 2, 3]);
  });
});

/** A line of the journal after what is in it. */
function lineOf(event: object, before = ''): string {
  return `${withCheck(JSON.stringify(event), Buffer.byteLength(before))}\n`;
}

describe('a change', () => {
  test('is there for others when it is committed, and not before', async () => {
    const state = await stateWithPlan();
    await folderOf(state).change(async (session) => {
      expect(folderOf(state).load().roster.counts.handed).toBe(0);
      await session.commit([handed(1, 0, 2)]);
      expect(folderOf(state).load().roster.counts).toMatchObject({ new: 4, handed: 2 });
      expect(session.loaded.roster.counts.handed).toBe(2);
    });
    const { position } = folderOf(state).load();
    const [wave] = position.open;
    expect(wave).toMatchObject({ wave: 1, contacts: 2, unsettled: 2 });
    expect(folderOf(state).rowsOfWave(wave as NonNullable<typeof wave>)).toEqual([0, 1]);
    expect([...folderOf(state).events()]).toEqual([handed(1, 0, 2)]);
  });

  test('is whole for a reader at whatever moment it is made', async () => {
    for (let at = 1, calls = 1; at <= calls; at++) {
      const state = await stateWithPlan();
      await folderOf(state).change(async (session) => session.commit([handed(1, 0, 2)]));
      const old = contentOf(folderOf(state));
      let seen = '';
      await folderOf(state).change(async (session) => {
        const reader = new FaultyFiles(state);
        reader.beforeCall = () => {
          if (reader.calls.length + 1 !== at) return;
          void session.commit([excluded(2), excluded(3)]);
          void session.commit([excluded(4)]);
        };
        const { position, roster } = folderOf(state, 1, reader.files).load();
        seen = `${position.waves} ${Buffer.from(roster.records).toString('hex')}`;
        calls = reader.calls.length;
      });
      const fresh = contentOf(folderOf(state));
      const [, records = ''] = seen.split(' ');
      expect(old.includes(records) || fresh.includes(records), `at call ${at}`).toBe(true);
      expect(at < 5 || calls > 15).toBe(true);
    }
  });

  test('is made by one process at a time; the other is told who it is', async () => {
    const state = await stateWithPlan();
    await folderOf(state).change(async () => {
      const second = folderOf(state).change(async () => 'never', 50);
      await expect(second).rejects.toThrow(/Plan 1 is locked by process \d+ \(test\)/);
      await expect(second).rejects.toMatchObject({ exitCode: 9, code: 'file_locked' });
    });
  });

  test('several sessions wait for each other, and lose nothing', async () => {
    const state = await stateWithPlan();
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map((row) => folderOf(state).change(async (session) => session.commit([excluded(row)]))),
    );
    expect(folderOf(state).load().roster.counts.excluded).toBe(6);
    expect([...folderOf(state).events()]).toHaveLength(6);
  });

  test('that was cut off within its group of lines does not count, and is removed by the next one', async () => {
    const state = await stateWithPlan();
    await folderOf(state).change(async (session) => session.commit([excluded(0)]));
    const { journal } = folderOf(state).paths;
    const whole = readFileSync(journal, 'utf8');
    writeFileSync(journal, `${whole}${lineOf({ ...excluded(1), more: true }, whole)}{"event":"excl`);
    expect(folderOf(state).load().roster.counts.excluded).toBe(1);
    await folderOf(state).change(async (session) => session.commit([excluded(2)]));
    expect(readFileSync(journal, 'utf8')).toBe(`${whole}${lineOf(excluded(2), whole)}`);
  });

  test('beyond what plan.json accounts for is applied when it is read, and made to count by the next one', async () => {
    const state = await stateWithPlan();
    const { journal, root } = folderOf(state).paths;
    writeFileSync(journal, lineOf(handed(1, 0, 3)));
    expect(folderOf(state).load().roster.counts).toMatchObject({ new: 3, handed: 3 });
    expect(JSON.parse(readFileSync(root, 'utf8')).applied).toBe(0);
    await folderOf(state).change(async (session) => session.commit([excluded(5)]));
    const { roster } = folderOf(state).load();
    expect(roster.counts).toMatchObject({ new: 2, handed: 3, excluded: 1 });
    expect(roster.attemptsOf(0)).toBe(1);
    expect(JSON.parse(readFileSync(root, 'utf8')).applied).toBe(statSync(journal).size);
  });

  test('writes what has changed, however long the list is', async () => {
    const bytes: number[] = [];
    for (const count of [10, 2000]) {
      const state = await stateWithPlan(count);
      const files = new FaultyFiles(state);
      const writeSync = files.files.writeSync as (...args: unknown[]) => number;
      let written = 0;
      const counted = Object.assign({}, files.files, {
        writeSync: (...args: unknown[]) => {
          const now = writeSync(...args);
          written += now;
          return now;
        },
      });
      await folderOf(state, 1, counted).change(async (session) => session.commit([handed(1, 3, 4)]));
      bytes.push(written);
    }
    const [short = 0, long = 0] = bytes;
    expect(long - short).toBeLessThan(50);
  });
});

test('a file of a plan that is missing is named as missing', async () => {
  for (const name of ['journal.jsonl', 'contacts.jsonl', 'contacts.bin', 'states.bin', 'plan.json', 'rows.jsonl']) {
    const state = temporaryFolder();
    const rows = new KeptRows(['Phone']);
    for (let row = 0; row < 2; row++) rows.add([`${row}`]);
    await makePlan(state, somePeople(2, { rows }));
    const path = join(folderOf(state).paths.folder, name);
    rmSync(path);
    const missing = expect.objectContaining({
      code: 'plan_damaged',
      message: `Plan 1 is damaged: ${path} is missing.`,
    });
    const read = () => [folderOf(state).load(), folderOf(state).originalRows()];
    expect(read, name).toThrow(missing);
    if (['journal.jsonl', 'plan.json'].includes(name)) expect(listPlans(ownState(state))[0]?.damage).toEqual(missing);
  }
});

describe('a wish to stop', () => {
  const wish = { at: EPOCH + 5, reason: 'stopped by hand' };

  test.each([[], [wish]])(
    'for good ends the plan, whoever fulfils it, also after one to stop: %j',
    async (...earlier) => {
      const state = await stateWithPlan();
      for (const other of earlier) await folderOf(state).requestStop(other);
      await folderOf(state).requestStop({ at: EPOCH + 6, reason: 'cancelled', isForGood: true });
      await folderOf(state).requestStop(wish);
      const { position, roster } = await folderOf(state).change(async ({ loaded }) => loaded);
      expect(position).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
      expect(roster.counts).toMatchObject({ new: 0, left: 6 });
    },
  );

  test('is seen at once, while somebody else holds the plan, and is fulfilled by the next one', async () => {
    const state = await stateWithPlan();
    await folderOf(state).change(async ({ loaded }) => {
      await folderOf(state).requestStop(wish);
      expect(await folderOf(state).isStopRequested()).toBe(true);
      expect(loaded.position.state).toBe('open');
    });
    const found = await folderOf(state).change(async ({ loaded }) => loaded.position);
    expect(found).toMatchObject({ state: 'stopped', reason: 'stopped by hand' });
    expect(await folderOf(state).isStopRequested()).toBe(false);
    expect([...folderOf(state).events()]).toEqual([{ event: 'stopped', ...wish }]);
  });

  test('changes nothing where the plan is over', async () => {
    const state = await stateWithPlan();
    const done: PlanEvent = { event: 'done', at: EPOCH, reason: 'all called' };
    await folderOf(state).change(async (session) => session.commit([done]));
    await folderOf(state).requestStop(wish);
    await folderOf(state).change(async ({ loaded }) => expect(loaded.position.state).toBe('done'));
    expect(await folderOf(state).isStopRequested()).toBe(false);
  });

  test('counts even if its file says nothing', async () => {
    const state = await stateWithPlan();
    writeFileSync(folderOf(state).paths.stop, '');
    expect(await folderOf(state).isStopRequested()).toBe(true);
    const { state: now, reason } = await folderOf(state).change(async ({ loaded }) => loaded.position);
    expect([now, reason]).toEqual(['stopped', 'It was stopped with plan stop.']);
  });

  test('lets nobody go on while its file cannot be read', async () => {
    const state = await stateWithPlan();
    mkdirSync(folderOf(state).paths.stop);
    expect(await folderOf(state).isStopRequested()).toBe(true);
    await expect(folderOf(state).change(async () => {})).rejects.toThrow(FileError);
  });

  test('is kept on a full disk, if that takes a file without content', async () => {
    const inTheEnd = async (at: number) => {
      const state = await stateWithPlan();
      const faulty = new FaultyFiles(state);
      const folder = folderOf(state, 1, faulty.files);
      faulty.fault = { kind: 'ENOSPC', at };
      let error: unknown;
      try {
        await folder.requestStop(wish);
      } catch (thrown) {
        error = thrown;
      }
      expect(faulty.left).toEqual([]);
      return { error, call: faulty.calls[at - 1], isKept: await folderOf(state).isStopRequested() };
    };
    const seen: (string | undefined)[] = [];
    for (let at = 1; ; at++) {
      const { error, call, isKept } = await inTheEnd(at);
      if (call === undefined) break;
      seen.push(call);
      // Without an error, whoever runs the plan finds the wish.
      if (error === undefined) expect(isKept, call).toBe(true);
      else
        expect(error).toMatchObject({
          message: expect.stringMatching(/^Cannot write .*stop\.json: the disk is full\.$/),
        });
      if (call.endsWith('stop.json.new')) expect({ call, error, isKept }).toEqual({ call, isKept: true });
    }
    expect(seen).toEqual(expect.arrayContaining(['openSync plans/1/stop.json', 'writeSync plans/1/stop.json.new']));
  });
});

describe('a plan that is not there', () => {
  test('is not found, and nothing is made in its place', async () => {
    const state = temporaryFolder();
    expect(() => folderOf(state, 4).load()).toThrow(NotFoundError);
    await expect(folderOf(state, 4).change(async () => {})).rejects.toThrow('There is no plan 4.');
    await expect(forget(state, 4)).rejects.toThrow('There is no plan 4.');
    expect(existsSync(join(state, 'plans'))).toBe(false);
    expect(listPlans(ownState(state))).toEqual([]);
  });

  test('leaves only its number when it is forgotten', async () => {
    const state = await stateWithPlan();
    await forget(state);
    expect(readdirSync(join(state, 'plans', '1')).sort()).toEqual(['forgotten', 'lock']);
    expect(() => folderOf(state).load()).toThrow('There is no plan 1.');
    await expect(forget(state)).rejects.toThrow('There is no plan 1.');
  });

  test('stays if it must not be forgotten', async () => {
    const state = await stateWithPlan();
    const refuse = () => {
      throw new FileError('It is open.');
    };
    const options = { state: ownState(state), command: 'test' };
    await expect(forgetPlan(options, 1, refuse)).rejects.toThrow('It is open.');
    expect(folderOf(state).load().plan.plan_id).toBe(1);
  });
});
