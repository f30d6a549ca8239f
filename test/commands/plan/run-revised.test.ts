/** `plan run` where the service changes what it said of a call, or shows one late: what it says at last counts, once. */
import { describe, expect, test } from 'vitest';
import type { CallLogEntry } from '../../../src/contract.ts';
import type { StoredPlan } from '../../../src/plans/rows/stored-plan.ts';
import { applyEvent, newPosition } from '../../../src/plans/rules/apply.ts';
import { Roster, type RowState, shownState } from '../../../src/plans/rules/roster.ts';
import type { PlanRules } from '../../../src/plans/rules/rules.ts';
import { casesBeside } from '../../support/cases.ts';
import { EPOCH, HOUR, MINUTE, type PlannedService, plannedService } from '../../support/planned-service.ts';
import { eventsOf, rowsOf } from '../../support/stored-plans.ts';

const ONE = '+12015550190';
const TWO = '+12025550190';

type Said = Pick<CallLogEntry, 'call_status' | 'call_outcome' | 'call_duration'>;
const said = (call_status: string, call_outcome = '', call_duration = 0) =>
  ({ call_status, call_outcome, call_duration }) as Said;

const SAID = {
  no_answer: said('no_answer', 'not_connected'),
  failed: said('failed', 'not_connected'),
  busy: said('busy', 'not_connected'),
  reached: said('completed', 'interested', 61),
  'talked longer': said('completed', 'interested', 130),
  voicemail: said('completed', 'voicemail', 20),
  'opted out': said('completed', 'do_not_call', 61),
};
const { no_answer: NO_ANSWER, reached: REACHED, busy: BUSY, 'opted out': OUT } = SAID;
const cases = casesBeside(import.meta.filename);

/** A plan of two contacts whose calls were made, at EPOCH and a minute later; `say` is what the log shows of the first one. */
async function afterCalls(first: Said, rules: Partial<PlanRules> = {}, shownAs = (call: CallLogEntry) => call) {
  const service = await plannedService();
  const folder = await service.plan([ONE, TWO], { pricePerMinute: 100_000, ...rules });
  let now = first;
  let shown = shownAs;
  service.faults.getCallLogs = async (_request, answer) => {
    const page = (await answer()) as { calls: CallLogEntry[] };
    const says = ({ called_to }: CallLogEntry) => (called_to === ONE ? now : called_to === TWO ? NO_ANSWER : {});
    return { ...page, calls: page.calls.map((call) => shown({ ...call, ...says(call) })) };
  };
  await service.step();
  service.engine.clock.now = EPOCH + 5 * MINUTE;
  await service.step();
  return {
    service,
    folder,
    say: (next: Said) => {
      now = next;
    },
    show: (as: typeof shown) => {
      shown = as;
    },
    at: (minutes: number) => {
      service.engine.clock.now = EPOCH + minutes * MINUTE;
      return service.step();
    },
  };
}

const firstOf = async (folder: StoredPlan) => {
  const { roster, position } = await folder.load();
  const due = roster.dueOf(0);
  return { state: roster.stateOf(0), due: due === 0 ? 0 : (due - EPOCH) / MINUTE, spent: position.spent };
};
const kindsOf = async (folder: StoredPlan) => (await eventsOf(folder)).map(({ event }) => event);
const callsOf = async (service: PlannedService, phone: string) =>
  (await service.calls()).filter(({ called_to }) => called_to === phone).length;

/** What its events say, from the first, is where the plan stands. */
async function followsFromEvents(folder: StoredPlan): Promise<void> {
  const { plan, position, roster, windows } = await folder.load();
  const blank = new Roster(roster.size, roster.dials);
  for (let row = 0; row < roster.size; row++) blank.put(row, roster.phoneOf(row), roster.placeOf(row));
  const again = { plan, windows, position: newPosition(), roster: blank };
  for (const [number, event] of (await eventsOf(folder)).entries()) applyEvent(event, again, number);
  expect(again.roster.columns).toEqual(roster.columns);
  expect(JSON.parse(JSON.stringify(again.position))).toEqual(JSON.parse(JSON.stringify(position)));
}

describe('a call of the plan of which the service says something else later', () => {
  type Case = [string, keyof typeof SAID, keyof typeof SAID, Awaited<ReturnType<typeof firstOf>>, Partial<PlanRules>?];

  test.each(cases<Case>('a call of which something else is said later'))('%s', async (...given) => {
    const [, first, later, expected, rules] = given;
    const { folder, say, at, service } = await afterCalls(SAID[first], { ...rules, end: EPOCH + 9 * HOUR });
    // However often it is read before it changes.
    for (const minutes of [10, 20]) await at(minutes);
    const before = await kindsOf(folder);
    say(SAID[later]);
    await at(25);
    expect(await firstOf(folder)).toEqual(expected);
    expect((await kindsOf(folder)).slice(before.length)).toEqual(first === later ? [] : ['revised']);
    for (const minutes of [26, 28]) await at(minutes);
    expect(await kindsOf(folder)).toHaveLength(before.length + (first === later ? 0 : 1));
    expect((await folder.load()).position.attempts).toBe(2);
    await followsFromEvents(folder);
    await at(5 * 60);
    await at(6 * 60);
    expect(await callsOf(service, TWO)).toBe(2);
    expect(await callsOf(service, ONE)).toBe(expected.state === 'again' ? 2 : 1);
  });

  test('is seen however long after that the next run is', async () => {
    const { service, folder, say, at } = await afterCalls(NO_ANSWER);
    say(REACHED);
    await at(5 * 60);
    await at(6 * 60);
    expect((await firstOf(folder)).state).toBe('reached');
    expect([await callsOf(service, ONE), await callsOf(service, TWO)]).toEqual([1, 2]);
  });

  test('counts as one call with its last result in what is shown', async () => {
    const { service, say, at } = await afterCalls(NO_ANSWER);
    say({ ...REACHED, recording_url: 'https://r/2' } as Said);
    await at(20);
    const { stdout } = await service.run(['plan', 'results', '1', '--json']);
    expect(JSON.parse(stdout).contacts).toMatchObject([
      { phone_number: ONE, state: 'reached', attempts: 1, last_outcome: 'interested', recording_url: 'https://r/2' },
      { phone_number: TWO, state: 'waiting', last_result: 'no_answer', attempts: 1, last_outcome: 'not_connected' },
    ]);
    const status = await service.run(['plan', 'status', '1', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ attempts: 2, spent: 0.2, waves: [{ seen: 2 }] });
  });
});

test('somebody who was handed over again is called no third time once the first call turns out answered', async () => {
  const { service, folder, say, at } = await afterCalls(BUSY, { retry: { busy: 20 * MINUTE, no_answer: 20 * MINUTE } });
  const from = service.engine.clock.now;
  await at(25);
  expect((await firstOf(folder)).state).toBe('handed');
  expect(service.engine.clock.now).toBeGreaterThan(from);
  say(REACHED);
  await at(55);
  expect((await firstOf(folder)).state).toBe('reached');
  await at(120);
  expect(await callsOf(service, ONE)).toBe(2);
  await followsFromEvents(folder);
});

describe('a plan that is done', () => {
  const last = { maxAttempts: 1 };

  const learnt = cases<[string, keyof typeof SAID, RowState]>('after the plan is done');
  test.each(learnt)('learns that somebody was %s after all, and stays done', async (_what, later, state) => {
    const { service, folder, say, at } = await afterCalls(NO_ANSWER, last);
    expect((await folder.load()).position.state).toBe('done');
    say(SAID[later]);
    expect(await at(5 * 60)).toMatchObject({
      state: 'done',
      wave: null,
      states: { [shownState(state)]: state === 'exhausted' ? 2 : 1 },
    });
    expect((await firstOf(folder)).state).toBe(state);
    await followsFromEvents(folder);
    // An opt-out holds for the other plans.
    await service.plan([ONE], {}, 'Autumn');
    expect((await service.step(2)).states.excluded).toBe(later === 'opted out' ? 1 : 0);
  });

  test('is asked about no more once its calls were read an hour after they were made', async () => {
    const { service, at } = await afterCalls(NO_ANSWER, last);
    await at(70);
    service.faults.getCallLogs = () => Promise.reject(new Error('Nobody asks.'));
    expect(await at(75)).toMatchObject({ state: 'done' });
  });
});

test('an opt-out that comes late to the call of another program keeps the plan from calling', async () => {
  const { service, folder, show, at } = await afterCalls(NO_ANSWER);
  const from = '+442079460100';
  const flags = ['--agent', '1', '--from', from, '--first-line', 'Hello', '--yes', '--force'];
  expect(await service.run(['call', ONE, ...flags])).toMatchObject({ code: 0 });
  await at(20);
  expect((await firstOf(folder)).state).toBe('again');
  show((call) => (call.call_from === from ? { ...call, ...OUT } : call));
  await at(30);
  expect((await firstOf(folder)).state).toBe('excluded');
  expect(await kindsOf(folder)).not.toContain('revised');
});

describe('what is kept of the entries that were read', () => {
  test('is lost: the plan goes on, and nothing is counted twice', async () => {
    const { service, folder, at } = await afterCalls(NO_ANSWER);
    await rowsOf(service.state).put('delete from plan_told');
    const before = await folder.load();
    expect(await at(20)).toMatchObject({ state: 'open', states: { waiting: 2 } });
    expect((await folder.load()).position).toEqual(before.position);
    expect(service.sent).toHaveLength(1);
  });

  test('goes when the calls are an hour old', async () => {
    const { folder, at } = await afterCalls(NO_ANSWER);
    const kept = async () => (await folder.logRecord(await folder.load())).recorded.size;
    expect(await kept()).toBe(2);
    await at(60);
    expect(await kept()).toBe(1);
    await at(62);
    expect(await kept()).toBe(0);
  });
});

test('a plan that is over with somebody unseen looks for a week, and then no more', async () => {
  const service = await plannedService();
  const folder = await service.plan(['+12015550190']);
  let looks = 0;
  let isLate = true;
  service.faults.getCallLogs = async (_request, answer) => {
    looks += 1;
    const page = (await answer()) as { total: number; calls: CallLogEntry[] };
    return isLate ? { ...page, calls: [], total: page.total - page.calls.length } : page;
  };
  const at = (hours: number) => {
    service.engine.clock.now = EPOCH + hours * HOUR;
    return service.step();
  };
  await at(0);
  expect(await at(25)).toMatchObject({ state: 'done', states: { no_result: 1 } });
  looks = 0;
  await at(150);
  expect(looks).toBeGreaterThan(0);
  looks = 0;
  await at(8 * 24);
  expect(looks).toBe(0);

  isLate = false;
  expect(await at(6 * 24)).toMatchObject({ state: 'done', states: { no_result: 0, waiting: 0, calling: 0 } });
  expect((await folder.load()).position.attempts).toBe(1);
  expect(await service.calls()).toHaveLength(1);
});
