/** `plan list`, `status`, `stop`, `resume`, `cancel` and `forget`: what they show and change, and that a stop holds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PlanEvent } from '../../../src/plans/rules/events.ts';
import { sendJson, startServer } from '../../support/http.ts';
import { runInHomes } from '../../support/in-homes.ts';
import { finished, Operator } from '../../support/program.ts';
import { eventsOf, makePlan, planAt, planDraft, planRules, rowsOf, somePeople } from '../../support/stored-plans.ts';
import { playHere } from '../../support/terminal.ts';

const NOW = Date.parse('2026-11-23T14:00:00.000Z');
const MINUTE = 60_000;
const FROM = '+14155550100';

const stateOf = ({ home }: Operator) => join(home, '.local/state/vagent');

/** A home with a plan of six contacts of a service that is never asked. */
async function operatorWithPlan(name = 'Spring', rules = {}): Promise<Operator> {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' }, frozenAt: new Date(NOW).toISOString() });
  await addPlan(operator, name, rules);
  return operator;
}

const addPlan = (operator: Operator, plan_name: string, rules = {}) =>
  makePlan(stateOf(operator), somePeople(6), planDraft({ plan_name, rules: planRules(rules), createdAt: NOW }));

/** As somebody else may have written it. */
const change = (operator: Operator, statement: string) => rowsOf(stateOf(operator)).put(statement);

const happen = (operator: Operator, ...events: PlanEvent[]) =>
  planAt(stateOf(operator)).change(async (session) => {
    for (const event of events) await session.commit([event]);
  });

const HANDED: PlanEvent = {
  ...{ event: 'handed', at: NOW, wave: 1, from: FROM, start: NOW, interval: MINUTE, rows: [0, 3], entry: 4 },
};
const ACCEPTED: PlanEvent = { event: 'answered', at: NOW, wave: 1, outcome: 'accepted', campaign_id: 12 };
const called = (row: number, result: 'reached' | 'busy'): PlanEvent => ({
  ...{ event: 'called', at: NOW + row * MINUTE, row, wave: 1, result, status: result, outcome: '', seconds: 61 },
});
/** The last moment at which a call of the wave may come to light. */
const NEWS = { at: '2026-11-24T14:03:00.000Z', why: 'news' };
const stopped: PlanEvent = { event: 'stopped', at: NOW, reason: 'too many failed' };

describe('plan status', () => {
  test('says by how much the service is late, and what follows from it', async () => {
    const operator = await operatorWithPlan();
    const at = NOW + 22 * MINUTE;
    await happen(operator, HANDED, ACCEPTED, { ...called(2, 'busy'), at } as PlanEvent);
    expect(await operator.json(['plan', 'status', '1'])).toMatchObject({ late: 2400 });
  });

  test('as JSON has states, waves, money and what comes next', async () => {
    const operator = await operatorWithPlan('Spring', { pricePerMinute: 100_000, budget: 10_000_000 });
    await happen(operator, HANDED, ACCEPTED, called(0, 'reached'), called(1, 'busy'));
    expect(await operator.json(['plan', 'status', 'spring'])).toEqual({
      plan_id: 1,
      plan_name: 'Spring',
      state: 'open',
      reason: '',
      contacts: { new: 3, handed: 1, again: 1, reached: 1, exhausted: 0, unseen: 0, excluded: 0, left: 0 },
      attempts: 2,
      spent: 0.4,
      late: 0,
      unclear: {},
      waves: [
        {
          ...{
            wave: 1,
            campaign_id: 12,
            start: '2026-11-23T14:00:00.000Z',
            end: '2026-11-23T14:03:00.000Z',
            from: FROM,
          },
          ...{ contacts: 3, seen: 2, outcome: 'accepted' },
        },
      ],
      next: { at: '2026-11-23T14:03:00.000Z', why: 'wave_running' },
    });
  });

  test.each(['stopped', 'cancelled'] as const)(
    'of a plan that is %s says until when news is awaited, while any is',
    async (event) => {
      const operator = await operatorWithPlan();
      const next = async () => (await operator.json(['plan', 'status', '1'])).next;
      await happen(operator, HANDED, ACCEPTED, called(0, 'reached'), { ...stopped, event });
      expect(await next()).toEqual(NEWS);
      await happen(operator, called(1, 'busy'), called(2, 'busy'));
      expect(await next()).toBeNull();
    },
  );
});

describe('a plan', () => {
  test('is found by its id, its name, or as the only open one at a terminal', async () => {
    const operator = await operatorWithPlan();
    await addPlan(operator, 'Autumn');
    const idOf = async (...words: string[]) => (await operator.json(['plan', 'status', ...words])).plan_id;
    expect(await Promise.all([idOf('2'), idOf('Autumn'), idOf('SPRING')])).toEqual([2, 2, 1]);
    expect(await operator.run(['plan', 'status'], { isTerminal: true })).toMatchObject({ code: 2 });
    await operator.run(['plan', 'cancel', '1']);
    const only = await operator.run(['plan', 'status', '--json'], { isTerminal: true });
    expect(JSON.parse(only.stdout)).toMatchObject({ plan_id: 2 });
    expect(only.stderr).toContain('The only open plan: 2, Autumn.');
    expect(await operator.run(['plan', 'status'])).toMatchObject({ code: 2 });
  });

  test.each([
    [['7'], 'There is no plan 7.'],
    [['Sping'], 'Did you mean "Spring"?'],
    [['1.5'], 'integer'],
  ])('%j is none', async (words, said) => {
    const operator = await operatorWithPlan();
    for (const verb of ['status', 'stop', 'resume', 'cancel', 'forget']) {
      const { code, stderr } = await operator.run(['plan', verb, ...words]);
      expect([2, 5], verb).toContain(code);
      expect(stderr, verb).toContain(said);
    }
  });

  test('that is damaged and meant by its name says how', async () => {
    const operator = await operatorWithPlan();
    await change(operator, `update plans set plan = 'nonsense'`);
    for (const verb of ['status', 'cancel']) {
      const { code, stderr } = await operator.run(['plan', verb, 'Spring']);
      expect(code).toBe(9);
      for (const part of ['Plan 1 is damaged: ', 'plan forget, by force, removes the plan and its results'])
        expect(stderr).toContain(part);
    }
    const { plans } = await operator.json(['plan', 'list']);
    expect(plans).toEqual([{ plan_id: 1, plan_name: 'Spring', state: 'damaged' }]);
  });

  test('is not chosen among several of one name', async () => {
    const operator = await operatorWithPlan();
    await addPlan(operator, 'Spring');
    const { code, stderr } = await operator.run(['plan', 'stop', 'Spring']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/2 plans are called Spring: 1 \(2026-11-23 14:00\), 2 /);
  });
});

test('plan list shows all of them, whatever their service', async () => {
  const operator = await operatorWithPlan();
  await addPlan(operator, 'Autumn');
  await happen(operator, HANDED, stopped);
  const { plans } = await operator.json<{ plans: object[] }>(['plan', 'list']);
  expect(plans).toMatchObject([
    { plan_id: 1, plan_name: 'Spring', state: 'stopped', reason: 'too many failed', contacts: 6, handed: 3, waves: 1 },
    { plan_id: 2, plan_name: 'Autumn', state: 'open', contacts: 6, new: 6, service: 'https://calls.example' },
  ]);
  expect((await operator.run(['plan', 'list', '-o', 'ids'])).stdout).toBe('1\n2\n');
});

describe('plan stop', () => {
  test('names what was handed over, and until when its calls may come', async () => {
    const operator = await operatorWithPlan();
    await happen(operator, HANDED, ACCEPTED, called(0, 'reached'));
    const { code, stdout, stderr } = await operator.run(['plan', 'stop', '1', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ state: 'stopped', reason: 'It was stopped with plan stop.', next: NEWS },
      waves_out: [{ wave: 1, campaign_id: 12, contacts: 3, seen: 1, end: '2026-11-23T14:03:00.000Z' }],
    });
    expect(stderr).toContain(
      'Wave 1 (campaign 12) was handed over: 2 calls of it may still come, until 23 Nov 14:13 (in 13 min).',
    );
  });

  test('holds from the moment on, even while somebody else has the plan', async () => {
    const operator = await operatorWithPlan();
    const folder = planAt(stateOf(operator));
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
    const { code, stderr } = await planAt(stateOf(operator)).change(async () => {
      const child = operator.start(['plan', 'stop', '1']);
      child.stderr?.once('data', () => child.kill('SIGINT'));
      return finished(child);
    });
    expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringContaining('No further wave will be') });
    expect((await planAt(stateOf(operator)).snapshot()).isStopWanted).toBe(true);
  });

  test.each(['stop', 'cancel'])('or cancel that cannot be kept says what to do: plan %s', async (verb) => {
    const operator = await operatorWithPlan();
    // While somebody has the database open it can be read without writing anything.
    const stored = planAt(stateOf(operator));
    await stored.load();
    const [outcome] = await runInHomes(
      [{ home: operator.home, args: ['plan', verb, '1', '--json'], env: operator.environment }],
      { before: 'ulimit -f 0' },
    );
    const hint = "The plan goes on: mend that and repeat this, or take the plan's line out of the crontab.";
    expect(outcome).toMatchObject({ code: 9, stderr: expect.stringContaining(hint) });
    expect((await stored.load()).position.state).toBe('open');
  });

  test('of one that does nothing any more says so', async () => {
    const operator = await operatorWithPlan();
    await happen(operator, { event: 'done', at: NOW, reason: '' });
    const { code, stderr } = await operator.run(['plan', 'stop', '1']);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Plan 1 is done already.') });
    expect((await planAt(stateOf(operator)).load()).position.state).toBe('done');
  });
});

describe('plan resume', () => {
  test.each([stopped, { ...stopped, event: 'waiting' } as PlanEvent])('goes on after $event', async (halted) => {
    const operator = await operatorWithPlan();
    await happen(operator, HANDED, ACCEPTED, halted);
    const { stdout, stderr } = await operator.run(['plan', 'resume', '1', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'open', reason: '' });
    expect(stderr).toContain('Nobody is called until: vagent plan run 1');
  });

  test('leaves those alone who were never seen, unless it is said', async () => {
    const operator = await operatorWithPlan();
    const left: PlanEvent = { event: 'left', at: NOW, rows: [3, 3] };
    await happen(operator, HANDED, { event: 'unseen', at: NOW, rows: [0, 3] }, left, { ...stopped, event: 'done' });
    const refused = await operator.run(['plan', 'resume', '1']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--recall-unseen') });
    const resumed = await operator.json(['plan', 'resume', '1', '--recall-unseen']);
    expect(resumed).toMatchObject({ state: 'open', contacts: { again: 3, unseen: 0, left: 3 } });
  });

  test.each([
    ['cancelled', [{ ...stopped, event: 'cancelled' } as PlanEvent], {}, 'Plan 1 was cancelled'],
    [
      'done',
      [{ ...stopped, event: 'done' } as PlanEvent],
      {},
      'Plan 1 is done: nobody is left to be called.\n  → vagent plan create makes another.',
    ],
    [
      'stopped with its budget spent',
      [HANDED, ACCEPTED, called(0, 'reached'), called(1, 'busy'), called(2, 'busy'), stopped],
      { pricePerMinute: 100_000, budget: 700_000, longest: 300 },
      'The budget of 0.7 allows no further call',
    ],
    ['at its end', [stopped], { end: NOW - 1 }, 'Plan 1 has ended'],
  ])('is refused for one that is %s', async (_name, events, rules, said) => {
    const operator = await operatorWithPlan('Spring', rules);
    await happen(operator, ...events);
    const before = await eventsOf(planAt(stateOf(operator)));
    const { code, stderr } = await operator.run(['plan', 'resume', '1']);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
    expect(await eventsOf(planAt(stateOf(operator)))).toEqual(before);
  });

  test.each<[string, PlanEvent, number, string]>([
    ['stopped', stopped, 2, 'up to 1.5 more by calls that were never seen, and the next call may cost 0.5.'],
    ['done', { ...stopped, event: 'done' }, 0, 'The next run stops the plan again.'],
  ])('finds no budget left for those who are recalled, of a plan that is %s', async (_name, halted, code, said) => {
    const operator = await operatorWithPlan('Spring', { pricePerMinute: 100_000, budget: 1_900_000, longest: 300 });
    const others: PlanEvent[] = halted.event === 'done' ? [{ event: 'left', at: NOW, rows: [3, 3] }] : [];
    await happen(operator, HANDED, ACCEPTED, { event: 'unseen', at: NOW, rows: [0, 3] }, ...others, halted);
    const resumed = await operator.run(['plan', 'resume', '1', '--recall-unseen']);
    expect(resumed).toMatchObject({ code, stderr: expect.stringContaining(said) });
  });

  test('of one that is open changes nothing', async () => {
    const operator = await operatorWithPlan();
    expect((await operator.run(['plan', 'resume', '1'])).stderr).toContain('Plan 1 is open already.');
    expect(await eventsOf(planAt(stateOf(operator)))).toEqual([]);
  });
});

describe('plan cancel', () => {
  test('leaves whoever was still to be called, for good', async () => {
    const operator = await operatorWithPlan();
    await happen(operator, HANDED, ACCEPTED, called(0, 'reached'), called(1, 'busy'));
    const cancelled = await operator.json(['plan', 'cancel', '1']);
    expect(cancelled).toMatchObject({
      ...{ state: 'cancelled', next: NEWS, waves_out: [{ wave: 1 }] },
      contacts: { new: 0, handed: 1, again: 0, reached: 1, left: 4 },
    });
    expect((await operator.run(['plan', 'cancel', '1'])).stderr).toContain('Plan 1 is cancelled already.');
  });
});

describe('plan cancel of the only plan, which is not named', () => {
  const CANCEL = ['plan', 'cancel'];
  const stateNow = async (operator: Operator) => (await planAt(stateOf(operator)).load()).position.state;

  test('asks at a terminal', async () => {
    const operator = await operatorWithPlan();
    const question = /End plan 1 for good, and leave 6 contacts who were still to be called\?/;
    const no = await playHere(operator, CANCEL, [question, 'n\r']);
    expect([no.code, await stateNow(operator)]).toEqual([130, 'open']);
    const yes = await playHere(operator, CANCEL, [question, 'y\r']);
    expect([yes.code, await stateNow(operator)]).toEqual([0, 'cancelled']);
  });

  test('needs --yes where nobody can be asked', async () => {
    const operator = await operatorWithPlan();
    expect(await operator.run([...CANCEL, '--no-input'], { isTerminal: true })).toMatchObject({ code: 2 });
    expect(await stateNow(operator)).toBe('open');
    expect(await operator.run([...CANCEL, '--yes'], { isTerminal: true })).toMatchObject({ code: 0 });
    expect(await stateNow(operator)).toBe('cancelled');
  });
});

describe('plan list', () => {
  test('counts no wave that was certainly not placed', async () => {
    const operator = await operatorWithPlan();
    await happen(operator, HANDED, { ...ACCEPTED, outcome: 'not_placed' } as PlanEvent);
    expect(await operator.json(['plan', 'list'])).toMatchObject({ plans: [{ waves: 0 }] });
    await happen(
      operator,
      { ...HANDED, wave: 2 } as PlanEvent,
      { ...ACCEPTED, wave: 2, outcome: 'unknown' } as PlanEvent,
    );
    expect(await operator.json(['plan', 'list'])).toMatchObject({ plans: [{ waves: 1 }] });
    await operator.run(['plan', 'stop', '1']);
    const { stdout } = await operator.run(['plan', 'watch', '1', '-o', 'ndjson']);
    expect(JSON.parse(stdout)).toMatchObject({ waves: 1 });
  });
});

describe('plan forget', () => {
  test('removes all but the number', async () => {
    const operator = await operatorWithPlan();
    await happen(operator, { ...stopped, event: 'cancelled' });
    expect(await operator.json(['plan', 'forget', 'Spring', '--yes'])).toMatchObject({ plan_id: 1, contacts: 6 });
    expect(await operator.json(['plan', 'list'])).toEqual({ plans: [] });
    const left = await rowsOf(stateOf(operator)).read((sql) => sql.all('select * from plan_people'));
    expect(left).toEqual([]);
    expect(await addPlan(operator, 'Autumn')).toBe(2);
  });

  test.each([
    ['is open', [], [], 'Plan 1 is open'],
    ['waits', [{ ...stopped, event: 'waiting' } as PlanEvent], ['--force'], 'Plan 1 is waiting'],
    ['may still call', [HANDED, ACCEPTED, stopped], [], 'may still be calling'],
    ['has an unknown wave', [HANDED, { ...ACCEPTED, outcome: 'unknown' } as PlanEvent, stopped], [], 'unknown outcome'],
  ])('is refused for one that %s', async (_name, events, flags, said) => {
    const operator = await operatorWithPlan();
    await happen(operator, ...events);
    const { code, stderr } = await operator.run(['plan', 'forget', '1', '--yes', ...flags]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
    expect((await planAt(stateOf(operator)).load()).plan.plan_id).toBe(1);
  });

  test('also removes what the register keeps of its waves', async () => {
    const server = await startServer((_request, response) => {
      const agents = [{ agent_id: 1, agent_name: 'Ava', status: 'active' }];
      const created = { campaign_id: 4, campaign_name: 'Spring', status: 'running', total_contacts: 1 };
      sendJson(response, 200, { success: true, agents, ...created, calls: [], total: 0 });
    });
    try {
      const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
      const operator = new Operator({ env });
      writeFileSync(join(operator.home, 'contacts.csv'), 'phone_number\n+14155550190\n');
      const flags = ['--agent', '1', '--from', FROM, '--contacts', 'contacts.csv', '--window', '00:00-24:00'];
      await operator.json(['plan', 'create', '--name', 'Spring', ...flags]);
      expect(await operator.json(['plan', 'run', '1'])).toMatchObject({ wave: { wave: 1 } });
      const kept = () => rowsOf(stateOf(operator)).read((sql) => sql.all('select number from request_contacts'));
      expect(await kept()).toEqual([{ number: '+14155550190' }]);
      await operator.json(['plan', 'cancel', '1']);
      await operator.json(['plan', 'forget', '1', '--force', '--yes']);
      expect(await kept()).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test('needs a yes', async () => {
    const operator = await operatorWithPlan();
    await happen(operator, stopped);
    const { code, stderr } = await operator.run(['plan', 'forget', '1']);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('needs --yes') });
    expect((await planAt(stateOf(operator)).load()).plan.plan_id).toBe(1);
  });

  test('of a damaged one needs --force', async () => {
    const operator = await operatorWithPlan();
    await change(operator, `update plans set position = 'nonsense'`);
    expect(await operator.run(['plan', 'forget', '1', '--yes'])).toMatchObject({ code: 9 });
    expect(await operator.json(['plan', 'forget', '1', '--force', '--yes'])).toMatchObject({ plan_name: null });
    expect(await operator.json(['plan', 'list'])).toEqual({ plans: [] });
  });
});
