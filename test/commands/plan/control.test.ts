/** `plan list`, `status`, `stop`, `resume`, `approve`, `cancel` and `forget`: what they show and change, and that a stop holds. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PlanEvent } from '../../../src/plans/rules/events.ts';
import type { PlanRules } from '../../../src/plans/rules/rules.ts';
import { casesBeside } from '../../support/cases.ts';
import { runInHomes } from '../../support/in-homes.ts';
import { plannedService } from '../../support/planned-service.ts';
import { handed } from '../../support/plans.ts';
import { finished, Operator } from '../../support/program.ts';
import { eventsOf, makePlan, planAt, planDraft, planRules, rowsOf, somePeople } from '../../support/stored-plans.ts';
import { playHere } from '../../support/terminal.ts';

const NOW = Date.parse('2026-11-23T14:00:00.000Z');
const MINUTE = 60_000;
const FROM = '+14155550100';

const stateOf = ({ home }: Operator) => join(home, '.local/state/vagent');
const stored = (operator: Operator) => planAt(stateOf(operator));
const stateNow = async (operator: Operator) => (await stored(operator).load()).position.state;

/** A home with a plan of six contacts of a service that is never asked, to which something has happened. */
async function operatorWithPlan(events: readonly PlanEvent[] = [], rules: Partial<PlanRules> = {}): Promise<Operator> {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' }, frozenAt: new Date(NOW).toISOString() });
  await addPlan(operator, 'Spring', rules);
  await happen(operator, ...events);
  return operator;
}

const addPlan = (operator: Operator, plan_name: string, rules: Partial<PlanRules> = {}) =>
  makePlan(stateOf(operator), somePeople(6), planDraft({ plan_name, rules: planRules(rules), createdAt: NOW }));

/** As somebody else may have written it. */
const change = (operator: Operator, statement: string) => rowsOf(stateOf(operator)).put(statement);

const happen = (operator: Operator, ...events: PlanEvent[]) =>
  stored(operator).change(async (session) => {
    for (const event of events) await session.commit([event]);
  });

const HANDED: PlanEvent = { ...handed(1, [0, 3], NOW), entry: 4 };

/** As the cases name it: `called 0 reached`, `unknown 2` of the second wave. */
function eventOf(words: string): PlanEvent {
  const [event = '', which, result, isLate] = words.split(' ');
  const wave = Number(which ?? 1);
  const row = Number(which);
  const at = isLate ? NOW + 22 * MINUTE : NOW + row * MINUTE;
  const call = { event, at, row, wave: 1, result, status: result, outcome: '', seconds: 61 };
  const answered = {
    event: 'answered',
    at: NOW,
    wave,
    outcome: event,
    ...(event === 'accepted' && { campaign_id: 12 }),
  };
  const known: Record<string, object> = {
    handed: { ...HANDED, wave },
    ...{ accepted: answered, unknown: answered, not_placed: answered, called: call },
    left: { event, at: NOW, rows: [3, 3] },
    unseen: { event, at: NOW, rows: [0, 3] },
  };
  return (known[event] ?? { event, at: NOW, reason: 'too many failed' }) as PlanEvent;
}

type Told = { code?: number; shows?: object; says?: string; rules?: object; becomes?: string; next?: false };
const HAPPENED = casesBeside(import.meta.filename)<[string, string, Told]>('a plan to which this has happened');

test.each(HAPPENED)('plan %s, after: %s %#', async (args, events, { code = 0, shows, says, rules, becomes, next }) => {
  const operator = await operatorWithPlan(events.split(', ').filter(Boolean).map(eventOf), rules);
  const before = await eventsOf(stored(operator));
  const told = await operator.run(['plan', ...args.split(' '), '--json']);
  expect(told.code, told.stderr).toBe(code);
  if (code === 0) expect(JSON.parse(told.stdout)).toMatchObject(shows ?? {});
  else expect(await eventsOf(stored(operator))).toEqual(before);
  if (next === false) expect(JSON.parse(told.stdout).next).toBeNull();
  expect(told.stderr).toContain(says ?? '');
  if (becomes !== undefined) expect(await stateNow(operator)).toBe(becomes);
});

describe('a plan', () => {
  test('is found by its id, its name, or as the only open one at a terminal', async () => {
    const operator = await operatorWithPlan();
    await addPlan(operator, 'Autumn');
    const idOf = async (...words: string[]) => (await operator.json(['plan', 'status', ...words])).plan_id;
    expect(await Promise.all([idOf('2'), idOf('Autumn'), idOf('SPRING')])).toEqual([2, 2, 1]);
    expect(await operator.run(['plan', 'status'], { isTerminal: true })).toMatchObject({ code: 2 });
    await operator.run(['plan', 'cancel', '1', '--yes']);
    const only = await operator.run(['plan', 'status', '--json'], { isTerminal: true });
    expect(JSON.parse(only.stdout)).toMatchObject({ plan_id: 2 });
    expect(only.stderr).toContain('The only open plan: 2, Autumn.');
    const { plans } = await operator.json<{ plans: object[] }>(['plan', 'list']);
    expect(plans).toMatchObject([
      { plan_id: 1, plan_name: 'Spring', state: 'cancelled', contacts: 6, states: { not_called: 6 } },
      { plan_id: 2, plan_name: 'Autumn', state: 'open', contacts: 6, waiting: 6, service: 'https://calls.example' },
    ]);
    expect((await operator.run(['plan', 'list', '-o', 'ids'])).stdout).toBe('1\n2\n');
    await addPlan(operator, 'Spring');
    const { code, stderr } = await operator.run(['plan', 'stop', 'Spring']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/2 plans are called Spring: 1 \(2026-11-23 14:00\), 3 /)]);
  });

  test('that is damaged and meant by its name says how, and is forgotten by force', async () => {
    const operator = await operatorWithPlan();
    await change(operator, `update plans set plan = 'nonsense'`);
    for (const verb of ['status', 'cancel']) {
      const { code, stderr } = await operator.run(['plan', verb, 'Spring']);
      expect(code).toBe(9);
      for (const part of ['Plan 1 is damaged: ', 'vagent plan forget 1 --force removes the plan and its results'])
        expect(stderr).toContain(part);
    }
    const { plans } = await operator.json(['plan', 'list']);
    expect(plans).toEqual([{ plan_id: 1, plan_name: 'Spring', state: 'damaged', timer: null }]);
    expect(await operator.run(['plan', 'forget', '1', '--yes'])).toMatchObject({ code: 9 });
    expect(await operator.json(['plan', 'forget', '1', '--force', '--yes'])).toMatchObject({ plan_name: null });
    expect(await operator.json(['plan', 'list'])).toEqual({ plans: [] });
  });

  test('is forgotten with all but its number, and with what the register keeps of its waves', async () => {
    const service = await plannedService();
    await service.plan([FROM]);
    await service.step();
    const kept = (table: string) => rowsOf(service.state).read((sql) => sql.all(`select * from ${table}`));
    expect(await kept('request_contacts')).toMatchObject([{ number: FROM }]);
    await service.run(['plan', 'cancel', '1', '--yes']);
    const forgotten = await service.run(['plan', 'forget', 'Spring', '--force', '--yes', '--json']);
    expect(JSON.parse(forgotten.stdout)).toMatchObject({ plan_id: 1, contacts: 1 });
    expect([await kept('request_contacts'), await kept('plan_people')]).toEqual([[], []]);
    expect((await service.plan([FROM])).planId).toBe(2);
  });

  test('that is cancelled: a terminal asks, and a script needs no --yes', async () => {
    const operator = await operatorWithPlan();
    const question = /End plan 1 for good\? 6 contacts who wait are not called any more\./;
    const no = await playHere(operator, ['plan', 'cancel', 'Spring'], [question, 'n\r']);
    expect([no.code, await stateNow(operator)]).toEqual([130, 'open']);
    const yes = await playHere(operator, ['plan', 'cancel'], [question, 'y\r']);
    expect([yes.code, await stateNow(operator)]).toEqual([0, 'cancelled']);
    const other = await operatorWithPlan();
    expect(await other.run(['plan', 'cancel', '--yes'], { isTerminal: true })).toMatchObject({ code: 0 });
    expect(await stateNow(other)).toBe('cancelled');
    const script = await operatorWithPlan();
    expect(await script.run(['plan', 'cancel', 'Spring'])).toMatchObject({ code: 0 });
    expect(await stateNow(script)).toBe('cancelled');
  });
});

describe('plan stop', () => {
  test('holds from the moment on, even while somebody else has the plan', async () => {
    const operator = await operatorWithPlan();
    const folder = stored(operator);
    let said = '';
    const { stopping } = await folder.change(async (session) => {
      const child = operator.start(['plan', 'stop', '1', '--json']);
      child.stderr?.on('data', (text) => (said += text));
      const stopping = finished(child);
      await expect.poll(() => said, { timeout: 10_000 }).toContain('waiting until its step is done');
      expect(said).toMatch(/Plan 1 is locked by process \d+ \(test\)/);
      expect((await folder.snapshot()).isStopWanted).toBe(true);
      await session.commit([HANDED]);
      return { stopping };
    });
    const { code, stdout } = await stopping;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'stopped', waves_out: [{ wave: 1, outcome: 'sending' }] });
  });

  test('that waits can be interrupted, and holds all the same', async () => {
    const operator = await operatorWithPlan();
    const { code, stderr } = await stored(operator).change(async () => {
      const child = operator.start(['plan', 'stop', '1']);
      child.stderr?.once('data', () => child.kill('SIGINT'));
      return finished(child);
    });
    expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringContaining('No further wave will be') });
    expect((await stored(operator).snapshot()).isStopWanted).toBe(true);
  });

  test.each(['stop', 'cancel'])('or cancel that cannot be kept says what to do: plan %s', async (verb) => {
    const operator = await operatorWithPlan();
    // While somebody has the database open it can be read without writing anything.
    const folder = stored(operator);
    await folder.load();
    const [outcome] = await runInHomes(
      [{ home: operator.home, args: ['plan', verb, '1', '--yes', '--json'], env: operator.environment }],
      { before: 'ulimit -f 0' },
    );
    const hint = "The plan goes on: mend that and repeat this, or take the plan's line out of the crontab.";
    expect(outcome).toMatchObject({ code: 9, stderr: expect.stringContaining(hint) });
    expect((await folder.load()).position.state).toBe('open');
  });
});
