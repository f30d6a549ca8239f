/**
 * `plan run` where the service, the clock, the register or a list stands in the way: what is known stays, and nobody is called
 * twice.
 */

import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planPorts } from '../../../src/commands/plan/shared/open-plan.ts';
import type { OperationName } from '../../../src/contract.ts';
import type { State } from '../../../src/engine/state.ts';
import { HALTED, ServiceError } from '../../../src/errors.ts';
import { doNotCallNow } from '../../../src/plans/run/do-not-call.ts';
import { casesBeside } from '../../support/cases.ts';
import { testContext } from '../../support/context.ts';
import {
  EPOCH,
  failsAfterwards,
  HOUR,
  type Interception,
  MINUTE,
  type PlannedService,
  plannedService,
  type Ran,
  refuses,
} from '../../support/planned-service.ts';
import { outcomesOf, requestsAt, rowsAt } from '../../support/rows.ts';

const cases = casesBeside(import.meta.filename);
const RUN = ['plan', 'run', '1', '--json'];
/** Whoever is called answers; some of them are machines. */
const answering = (count: number) => Array.from({ length: count }, (_none, at) => `+1${201 + at}5550190`);
const called = ({ reached = 0, not_reached = 0 }: Ran['states']) => reached + not_reached;

const errorOf = (stderr: string) => JSON.parse(stderr.slice(stderr.indexOf('{"error"'))).error;

/** A run with a fault, and the next one without it, half an hour later. */
async function withFault(operation: OperationName, fault: Interception) {
  const service = await plannedService();
  const folder = await service.plan(answering(5), { retry: {} });
  service.faults[operation] = fault;
  const failed = await service.run(RUN);
  const after = await folder.load();
  delete service.faults[operation];
  service.engine.clock.now += 30 * MINUTE;
  return { service, folder, failed, after, next: await service.run(RUN) };
}

test.each([429, 402])('a wave that is refused with %i and carried out all the same stops the plan', async (status) => {
  const service = await plannedService();
  const folder = await service.plan(answering(12), { retry: {} });
  service.faults.createCampaign = async (_request, answer) => {
    await answer();
    throw new ServiceError(status, 'refused', `An injected ${status}.`);
  };
  expect((await service.run(RUN)).code).toBe(status === 402 ? HALTED : 7);
  delete service.faults.createCampaign;
  if (status === 402) expect((await service.run(['plan', 'resume', '1', '--yes'])).code).toBe(0);
  service.engine.clock.now += 5.5 * MINUTE;
  const reason = 'Wave 1 was refused, and calls of it are in the log.';
  expect(await service.step()).toMatchObject({ state: 'stopped', reason, wave: null });
  expect(called((await folder.load()).roster.counts)).toBeGreaterThan(0);
  expect(service.sent).toHaveLength(1);
});

const REFUSED = cases<[number, number, string]>('a wave that is refused');
test.each(REFUSED)('a wave that is refused with %i: exit %i, and the plan is %s', async (status, code, state) => {
  const { service, failed, after, next } = await withFault('createCampaign', refuses(status));
  expect(failed.code).toBe(code);
  expect(after.position).toMatchObject({ state, open: [] });
  expect(after.roster.counts).toMatchObject({ new: 5, handed: 0 });
  if (state === 'stopped') expect(after.position.reason).toContain('An injected');
  expect(next.code).toBe(state === 'stopped' ? 11 : 0);
  const stop = 'Plan 1 is stopped';
  if (state === 'stopped') {
    expect(failed.stderr).toMatch(/Plan 1 is stopped: .* The plan calls nobody until: vagent plan resume 1$/m);
    expect(JSON.parse(failed.stdout)).toMatchObject({ state, wave: null });
    expect(next.stderr).toContain(stop);
    expect(next.stderr).toContain(`An injected ${status}. To go on: vagent plan resume 1`);
  } else expect(failed.stderr + next.stderr).not.toContain(stop);
  const { wave, state: stateNow } = JSON.parse(next.stdout) as Ran;
  if (state === 'stopped') expect([wave, stateNow]).toEqual([null, 'stopped']);
  else expect(wave).toMatchObject({ contacts: 5 });
  expect(outcomesOf(await requestsAt(service.state))).toEqual(
    state === 'open' ? ['1 refused', '2 accepted'] : ['1 refused'],
  );
});

test('a wave of which nobody knows whether it was placed: exit 8, its contacts wait for the log, and the log tells', async () => {
  const { service, failed, after, next } = await withFault('createCampaign', failsAfterwards);
  expect(failed.code).toBe(8);
  expect(errorOf(failed.stderr)).toMatchObject({ hint: expect.stringContaining('vagent plan run 1') });
  expect(after.position.open).toMatchObject([{ wave: 1, outcome: 'unknown', unsettled: 5 }]);
  expect(after.roster.counts).toMatchObject({ handed: 5 });
  const told: Ran = JSON.parse(next.stdout);
  expect([told.state, told.wave, called(told.states)]).toEqual(['done', null, 5]);
  expect(await service.calls()).toHaveLength(5);
});

test('a call that is going on counts for the budget at its length so far, if it is longer than was expected', async () => {
  const service = await plannedService();
  await service.plan(answering(3), { wave: MINUTE, budget: 1_000_000, pricePerMinute: 100_000, longest: 300 });
  service.faults.getCallLogs = async (_request, answer) => {
    const { calls, ...rest } = (await answer()) as { calls: object[] };
    return { ...rest, calls: calls.map((call) => ({ ...call, call_status: 'in_progress', call_duration: 0 })) };
  };
  expect(await service.step()).toMatchObject({ wave: { contacts: 1 } });
  service.engine.clock.now += 12 * MINUTE;
  expect(await service.step()).toMatchObject({ wave: null, next: { why: 'budget_pending' } });
  delete service.faults.getCallLogs;
  expect(await service.step()).toMatchObject({ wave: { contacts: 1 } });
});

test('a log that cannot be read: exit 7, and no wave', async () => {
  const { failed, after, next } = await withFault('getCallLogs', refuses(503));
  expect(failed.code).toBe(7);
  expect(after.position.waves).toBe(0);
  expect(JSON.parse(next.stdout)).toMatchObject({ wave: { wave: 1, contacts: 5 } });
});

test.each<[string, (agents: State['agents']) => unknown, string]>([
  ['not active any more', ([agent]) => Object.assign(agent ?? {}, { status: 'paused' }), 'is paused'],
  ['there no more', (agents) => agents.splice(0), 'does not exist'],
])('an agent that is %s: exit 11, and the plan is stopped', async (_what, change, reason) => {
  const service = await plannedService();
  const folder = await service.plan(answering(5));
  await service.engine.timeline.change(({ state }) => void change(state.agents));
  const { code, stderr } = await service.run(RUN);
  expect(code).toBe(HALTED);
  expect(stderr).toMatch(
    /^Plan 1 is stopped: .*vagent agent list --all\. The plan calls nobody until: vagent plan resume 1$/m,
  );
  const position = { state: 'stopped', reason: expect.stringContaining(reason) };
  expect((await folder.load()).position).toMatchObject(position);
  expect(service.sent).toEqual([]);
});

test.each([403, 500])('an agent that cannot be looked up (%i): told, and the wave is sent', async (status) => {
  const service = await plannedService();
  await service.plan(answering(5));
  service.faults.getAgents = refuses(status);
  const { code, stdout, stderr } = await service.run([...RUN, '--timeout', '2s']);
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(new RegExp(`^Warning: agent 1 was not looked up: .*${status}`, 'm'));
  expect(JSON.parse(stdout)).toMatchObject({ wave: { wave: 1, contacts: 5 } });
});

const CLOCKS = cases<[string, number, string, number, string[], string[]]>('the clock of this machine');
test.each(CLOCKS)('the clock of this machine %s', async (_what, minutes, flag, code, says, starts) => {
  const window = Array.from({ length: 7 }, () => [{ from: 9 * 60, until: 20 * 60 }]);
  const service = await plannedService();
  const folder = await service.plan(answering(3), { window });
  const frozenAt = new Date(service.engine.clock.now + minutes * MINUTE).toISOString();
  const { stdout, stderr, ...ended } = await service.run(['plan', 'run', '1', flag], { frozenAt });
  expect(ended.code, stderr).toBe(code);
  for (const text of says) expect(stdout + stderr).toContain(text);
  expect(service.sent.map(({ start_time }) => start_time)).toEqual(starts);
  expect((await folder.load()).position.waves).toBe(starts.length);
});

/** Done by others at the last moment: after the plan has looked, and before its wave is sent. */
function atTheLastMoment(service: PlannedService, act: () => Promise<unknown>): void {
  service.faults.getAgents = async (_request, answer) => {
    delete service.faults.getAgents;
    await act();
    return answer();
  };
}

describe('what happens between the look and the sending', () => {
  test('a stop: nobody is called', async () => {
    const service = await plannedService();
    const folder = await service.plan(answering(5));
    atTheLastMoment(service, async () => await folder.requestStop({ at: service.engine.clock.now, reason: 'by hand' }));
    const { code, stdout } = await service.run(RUN);
    expect(code).toBe(11);
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'stopped',
      reason: 'by hand',
      wave: null,
      states: { waiting: 5 },
    });
    expect(service.sent).toEqual([]);
    expect(await requestsAt(service.state)).toEqual([]);
  });

  test('a cancel: nobody is called, and nobody is told to go on', async () => {
    const service = await plannedService();
    const folder = await service.plan(answering(5));
    let cancelling: Promise<{ code: number | null; stderr: string }> | undefined;
    atTheLastMoment(service, async () => {
      cancelling = service.operator.runProgram(['plan', 'cancel', '1', '--yes']);
      await expect.poll(async () => (await folder.snapshot()).isStopWanted, { timeout: 20_000 }).toBe(true);
    });
    const { code, stdout, stderr } = await service.run(RUN);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('cancelled') });
    expect(stdout + stderr).not.toContain('resume');
    expect(await cancelling).toMatchObject({ code: 0, stderr: expect.not.stringContaining('already') });
    const reason = 'It was cancelled with plan cancel.';
    expect((await folder.load()).position).toMatchObject({ state: 'cancelled', reason });
    expect(service.sent).toEqual([]);
  });

  test('a campaign to some of the same phones: the wave is chosen anew without them', async () => {
    const service = await plannedService();
    const people = answering(5);
    await service.plan(people);
    writeFileSync(join(service.operator.home, 'two.csv'), `phone_number\n${people[0]}\n${people[3]}\n`);
    const create = ['campaign', 'create', '--name', 'Two', '--agent', '1', '--from', '+14155550100', '--yes'];
    atTheLastMoment(service, async () => {
      const { code, stderr } = await service.run([...create, '--contacts', 'two.csv']);
      expect(code, stderr).toBe(0);
    });
    expect(await service.step()).toMatchObject({ wave: { contacts: 3 }, states: { waiting: 2, calling: 3 } });
    const [, wave] = service.sent as { contacts: { phone_number: string }[] }[];
    expect(wave?.contacts.map(({ phone_number }) => phone_number)).toEqual([people[1], people[2], people[4]]);
  });
});

describe('numbers never to call', () => {
  test('are understood as they were when the plan was made', async () => {
    const service = await plannedService();
    const at = (name: string) => join(service.operator.home, name);
    writeFileSync(at('people.csv'), 'phone_number\n030 23125001\n030 23125002\n');
    writeFileSync(at('never.txt'), '030 23125003\n');
    const made = await service.run([
      ...['plan', 'create', '--name', 'Spring', '--agent', '1', '--from', '+14155550100', '--country', 'DE'],
      ...['--contacts', at('people.csv'), '--exclude', at('never.txt'), '--window', '09:00-20:00'],
    ]);
    expect(made.code, made.stderr).toBe(0);
    writeFileSync(at('never.txt'), '030 23125003\n030 23125002\n');
    expect(await service.step()).toMatchObject({ wave: { contacts: 1 }, states: { excluded: 1 } });
  });

  const lists = cases<[string | undefined, string]>('a list that had numbers');
  test.each(lists)('in a list that is %j and had numbers: exit 3, and no wave', async (text, expected) => {
    const service = await plannedService();
    const list = join(service.operator.home, 'never.csv');
    if (text !== undefined) writeFileSync(list, text);
    const folder = await service.plan(answering(2), { exclude: [list] });
    const { code, stderr } = await service.run(RUN);
    expect([code, errorOf(stderr).code]).toEqual([3, expected]);
    expect((await folder.load()).position.waves).toBe(0);
  });

  describe('in a list that is being written while it is read', () => {
    const [whole, half] = [`${answering(2).join('\n')}\n`, `${answering(1)}\n+1202`];

    async function readWith(change: (list: string) => void) {
      const service = await plannedService();
      const list = join(service.operator.home, 'never.csv');
      writeFileSync(list, half);
      const folder = await service.plan(answering(3), { exclude: [list] });
      const { context } = testContext();
      const read = context.io.chunks.bind(context.io);
      let readings = 0;
      context.io.chunks = async function* (path, flag) {
        readings++;
        yield* read(path, flag);
        change(list);
      };
      return doNotCallNow(await folder.load(), planPorts(context), EPOCH).then(
        (events) => ({ rows: events.map(({ rows }) => rows), readings }),
        (error: { code: string; exitCode: number }) => ({ error: [error.code, error.exitCode], readings }),
      );
    }

    const end = (list: string) => {
      if (readFileSync(list, 'utf8') !== whole) writeFileSync(list, whole);
    };
    const replace = (list: string) => {
      if (readFileSync(list, 'utf8') === whole) return;
      writeFileSync(`${list}.new`, whole);
      renameSync(`${list}.new`, list);
    };
    test.each<[string, (list: string) => void, object]>([
      ['are those that stand there in the end', end, { rows: [[0, 2]], readings: 2 }],
      ['and in another that takes its place', replace, { rows: [[0, 2]], readings: 2 }],
      [
        'are not known while that goes on',
        (list) => appendFileSync(list, '5'),
        { error: ['list_changing', 7], readings: 5 },
      ],
      ['are not understood if it stays so', () => {}, { error: [expect.any(String), 3], readings: 1 }],
    ])('%s', async (_name, change, read) => {
      expect(await readWith(change)).toEqual(read);
    });
  });
});

test('another service, organization or store than the plan’s is refused', async () => {
  const service = await plannedService();
  await service.plan(answering(2));
  for (const args of [['--org', '2'], ['--base-url', 'http://127.0.0.1:9'], ['--local']]) {
    const { code, stderr } = await service.run(['plan', 'run', '1', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Plan 1 is one of')]);
  }
  expect(service.sent).toEqual([]);
});

test('a register that is damaged: exit 9, and no wave', async () => {
  const service = await plannedService();
  await service.plan(answering(2));
  await service.step();
  await (await rowsAt(service.state)).put(`update requests set request = '{'`);
  service.engine.clock.now += HOUR;
  const { code, stderr } = await service.run(RUN);
  expect([code, errorOf(stderr).code]).toEqual([9, 'register_damaged']);
});

test('a service that counts nothing after the end of its log, which has one call: the run ends', async () => {
  const service = await plannedService();
  service.faults.getCallLogs = async (_request, answer) => {
    const page = (await answer()) as { calls: unknown[]; total: number };
    return page.calls.length === 0 ? { ...page, total: 0 } : page;
  };
  await service.plan(['+12025550192']);
  expect(await service.step()).toMatchObject({ states: { calling: 1 } });
  service.engine.clock.now += MINUTE;
  expect(await service.step()).toMatchObject({ states: { waiting: 1 } });
});
