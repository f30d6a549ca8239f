/** A plan whose files do not hold together is told in one sentence that names the file, and nothing is changed. */

import { cpSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { FileError } from '../../../src/errors.ts';
import { systemFiles } from '../../../src/files/file-system.ts';
import { withCheck } from '../../../src/plans/folder/check.ts';
import type { PlanFolder } from '../../../src/plans/folder/plan-folder.ts';
import { forgetPlan, listPlans } from '../../../src/plans/folder/plans.ts';
import { writeChanged } from '../../../src/plans/folder/records.ts';
import { ownState } from '../../../src/state/state-folder.ts';
import { EPOCH } from '../../support/engine.ts';
import { digestsIn } from '../../support/files.ts';
import { contentOf, folderOf, makePlan, planDraft, somePeople } from '../../support/plan-folder.ts';
import { temporaryFolder } from '../../support/program.ts';

type Paths = PlanFolder['paths'];

const rewrite = (path: string, change: (text: string) => string) =>
  writeFileSync(path, change(readFileSync(path, 'utf8')));
/** As if vagent had written it so. */
const changeRoot = (path: string, change: (root: Record<string, unknown>) => void) =>
  rewrite(path, (text) => {
    const { check: _, ...root } = JSON.parse(text);
    change(root);
    return withCheck(JSON.stringify(root));
  });
/** Appends a line to the journal as if vagent had written it. */
const addLine = (path: string, line: string) =>
  rewrite(path, (text) => `${text}${withCheck(line, Buffer.byteLength(text))}\n`);

const DAMAGES: [string, (paths: Paths) => void, RegExp][] = [
  ['plan.json is empty', ({ root }) => writeFileSync(root, ''), /plan\.json is not JSON\.$/],
  [
    'plan.json is of a newer format',
    ({ root }) => changeRoot(root, (plan) => (plan.format = 3)),
    /has format 3, newer/,
  ],
  [
    'plan.json is of an older format',
    ({ root }) => rewrite(root, (text) => text.replace('"format":2', '"format":1')),
    /has format 1, older than this vagent reads \(2\)\.$/,
  ],
  [
    'the hours of a plan are others',
    ({ root }) => rewrite(root, (text) => text.replace('"until":1440', '"until":1040')),
    /plan\.json is not as it was written\.$/,
  ],
  ['plan.json lacks a field', ({ root }) => changeRoot(root, (plan) => delete plan.position), /not a plan.*: position/],
  ['plan.json is gone', ({ root }) => rmSync(root), /plan\.json is missing\.$/],
  [
    'plan.json is another plan’s',
    ({ root }) => changeRoot(root, ({ plan }) => ((plan as { plan_id: number }).plan_id = 8)),
    /plan\.json belongs to plan 8\.$/,
  ],
  [
    'the counts do not add up',
    ({ root }) => changeRoot(root, ({ counts }) => ((counts as { new: number }).new += 1)),
    /the counts in .*plan\.json add up to 7, not to 6 contacts\.$/,
  ],
  [
    'the counts are not those of the records',
    ({ root }) => changeRoot(root, ({ counts }) => Object.assign(counts as object, { new: 3, handed: 3 })),
    /states\.bin has 4 contacts that are new, and 3 were written\.$/,
  ],
  [
    'a contact is changed',
    ({ contacts }) => rewrite(contacts, (text) => text.replace('Hello 3', 'Hello 4')),
    CHANGED(),
  ],
  ['a contact is added', ({ contacts }) => rewrite(contacts, (text) => `${text}{}\n`), CHANGED()],
  ['the contacts are gone', ({ contacts }) => rmSync(contacts), /contacts\.jsonl is missing\.$/],
  [
    'the records are cut off',
    ({ records }) => truncateSync(records, 100),
    /states\.bin has 100 bytes instead of 288\.$/,
  ],
  ['the records are gone', ({ records }) => rmSync(records), /states\.bin is missing\.$/],
  ['the phones are cut off', ({ fixed }) => truncateSync(fixed, 90), /contacts\.bin has 90 bytes instead of 96\.$/],
  [
    'a place is unknown',
    ({ fixed }) => patch(fixed, 8, 7),
    /contacts\.bin gives contact 1 a place that the plan does not/,
  ],
  ['a contact has got another place', ({ fixed }) => patch(fixed, 8, 1), /contacts\.bin is not as it was written\.$/],
  ['an offset has changed', ({ fixed }) => patch(fixed, 16 + 10, 1), /contacts\.bin is not as it was written\.$/],
  ['a dial is forgotten', ({ records }) => patch(records, 3 * 48 + 1, 9), /states\.bin is not as it was written\.$/],
  [
    'the journal is cut off',
    ({ journal }) => truncateSync(journal, 20),
    /journal\.jsonl has 20 bytes, but \d+ were writ/,
  ],
  [
    'the journal goes on with a line that is no JSON',
    ({ journal }) => rewrite(journal, (text) => `${text}nonsense\n${text}`),
    /journal\.jsonl has a line that is no event, \d+ bytes after its beginning\.$/,
  ],
  [
    'the journal goes on with a contact that there is not',
    ({ journal }) => addLine(journal, '{"event":"excluded","at":1,"rows":[5,2],"why":"list"}'),
    /journal\.jsonl has a line that is no event/,
  ],
  [
    'the journal has its last line twice',
    ({ journal }) => rewrite(journal, (text) => text + text),
    /journal\.jsonl has a line that is no event, \d+ bytes after its beginning\.$/,
  ],
  [
    'the last change is cut off',
    ({ changed }) => truncateSync(changed, 30),
    /changed\.bin is not as it was written\.$/,
  ],
  [
    'the last change is that of a longer plan',
    (paths) => writeChanged(systemFiles, paths, { applied: 1, rows: Uint32Array.of(6), records: new Uint8Array(48) }),
    /changed\.bin has a contact that the plan does not have\.$/,
  ],
];

function CHANGED(): RegExp {
  return /contacts\.jsonl has been changed since the plan was created: .*\.$/;
}

function patch(path: string, at: number, value: number): void {
  const bytes = readFileSync(path);
  bytes[at] = value;
  writeFileSync(path, bytes);
}

describe('a damaged plan', () => {
  const start = temporaryFolder();

  beforeAll(async () => {
    const places = ['UTC', 'Asia/Tokyo'].map((zone) => ({ zones: [zone], country: null }));
    await makePlan(start, somePeople(6), planDraft({ places }));
    const handed = { event: 'handed', at: EPOCH, wave: 1, from: '+14155550100', start: EPOCH, interval: 1 } as const;
    await folderOf(start).change(async (session) => session.commit([{ ...handed, rows: [0, 2] }]));
  });

  const copy = () => {
    const state = join(temporaryFolder(), 'state');
    cpSync(start, state, { recursive: true });
    return state;
  };

  test.each(DAMAGES)('%s', async (_name, damage, sentence) => {
    const state = copy();
    damage(folderOf(state).paths);
    const before = digestsIn(state);

    const failure = catching(() => folderOf(state).load());
    expect(failure).toMatchObject({ code: 'plan_damaged', exitCode: 9, message: expect.stringMatching(sentence) });
    expect(failure.message).toMatch(/^Plan 1 is damaged: /);
    expect(failure.hint).toMatch(/^Nothing was changed\. /);
    await expect(folderOf(state).change(async () => {})).rejects.toMatchObject({ code: 'plan_damaged' });
    expect(digestsIn(state)).toEqual(before);
    expect(listPlans(ownState(state)).map(({ planId }) => planId)).toEqual([1]);
  });

  test('is also what has the number of one and is no folder', async () => {
    const state = copy();
    writeFileSync(join(state, 'plans', '7'), 'not a plan');
    expect(listPlans(ownState(state))).toMatchObject([
      { planId: 1, loaded: {} },
      { planId: 7, damage: { exitCode: 9, message: expect.stringContaining('a part of the path is a file') } },
    ]);
    expect(catching(() => folderOf(state, 7).load())).toMatchObject({ exitCode: 9 });
    expect(await makePlan(state)).toBe(8);
  });

  test('can be forgotten', async () => {
    const state = copy();
    writeFileSync(folderOf(state).paths.root, '');
    await forgetPlan({ state: ownState(state), command: 'test' }, 1, () => {});
    expect(listPlans(ownState(state))).toEqual([]);
  });

  test('in the middle of its journal is found by whoever reads it all', () => {
    const state = copy();
    const { journal } = folderOf(state).paths;
    rewrite(journal, (text) => `x${text.slice(1)}`);
    const [wave] = folderOf(state).load().position.open;
    for (const read of [
      () => [...folderOf(state).events()],
      () => folderOf(state).rowsOfWave(wave as NonNullable<typeof wave>),
    ]) {
      expect(catching(read)).toMatchObject({ code: 'plan_damaged', exitCode: 9 });
    }
  });

  test('is found whichever byte of its files has turned', () => {
    const state = copy();
    const folder = () => folderOf(state);
    const { root, journal, changed } = folder().paths;
    for (const path of [root, journal, changed]) {
      const sound = readFileSync(path);
      for (const [at, value] of sound.entries()) {
        patch(path, at, value ^ (1 << (at % 8)));
        expect(
          catching(() => folder().load() && [...folder().events()]),
          `${path}, byte ${at}`,
        ).toMatchObject({ code: 'plan_damaged' });
        writeFileSync(path, sound);
      }
    }
  });

  test('that was put back from a copy is a sound one', () => {
    const state = copy();
    utimesSync(folderOf(state).paths.contacts, 1, 1);
    expect(contentOf(folderOf(state))).toBe(contentOf(folderOf(start)));
  });
});

function catching(act: () => unknown): FileError {
  try {
    act();
  } catch (error) {
    if (error instanceof FileError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}
