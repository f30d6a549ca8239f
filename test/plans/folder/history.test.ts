/** Events of a journal by the places where they begin. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Called, PlanEvent } from '../../../src/plans/events.ts';
import { EPOCH } from '../../support/engine.ts';
import { folderOf, makePlan } from '../../support/plan-folder.ts';
import { temporaryFolder } from '../../support/program.ts';

const called = (row: number, outcome: string): Called => ({
  ...{ event: 'called', at: EPOCH + row, row, wave: 1, result: 'busy', status: 'busy', outcome, seconds: 0 },
});

/** A plan of six contacts with these events. */
async function planWith(events: readonly PlanEvent[]) {
  const state = temporaryFolder();
  await makePlan(state);
  const handed: PlanEvent = {
    ...{ event: 'handed', at: EPOCH, wave: 1, from: '+14155550100', start: EPOCH, interval: 1000, rows: [0, 6] },
  };
  await folderOf(state).change(async (session) => {
    await session.commit([handed]);
    await session.commit(events);
  });
  return folderOf(state);
}

test('all, every third and the last', async () => {
  // Some are longer than what is read at a time, and some have letters of several bytes.
  const events = [called(0, 'ü'.repeat(90_000)), called(1, 'a'), called(2, 'b'.repeat(70_000)), called(3, '電話')];
  const { history } = await planWith([...events, called(4, 'c'), called(5, '')]);
  const all = [...history.entries()];
  expect(all).toHaveLength(7);
  for (const some of [all, all.filter((_entry, at) => at % 3 === 1), all.slice(-1), []]) {
    const found = [...history.eventsAt(some.map(({ start }) => start))];
    expect(found.map(({ at, event }) => [at, event])).toEqual(some.map(({ event }) => [event.at, event.event]));
    expect(found.map((event) => ('outcome' in event ? event.outcome : ''))).toEqual(
      some.map(({ event }) => ('outcome' in event ? event.outcome : '')),
    );
  }
});

test('a journal that is written over meanwhile is damaged', async () => {
  const folder = await planWith([called(0, 'a'), called(1, 'b')]);
  const starts = [...folder.history.entries()].map(({ start }) => start);
  writeFileSync(folder.paths.journal, 'x'.repeat(readFileSync(folder.paths.journal).length));
  expect(() => [...folder.history.eventsAt(starts)]).toThrow(expect.objectContaining({ code: 'plan_damaged' }));
});
