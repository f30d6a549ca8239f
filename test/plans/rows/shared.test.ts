/** Plans that several machines run: whoever runs one goes on where the others stopped, and nobody is called twice. */
import { expect, test } from 'vitest';
import { numbers, type Ran } from '../../support/planned-service.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import type { Outcome } from '../../support/program.ts';
import { rowsAt } from '../../support/rows.ts';
import { sql } from '../../support/sql.ts';
import { callTo, type Machine, type Team, team } from '../../support/team.ts';

const PLAN = ['--agent', '1', '--from', '+14155550100', '--window', '00:00-24:00', '--zone', 'UTC', '--min-gap', '0s'];
const PACE = ['--calls-per-hour', '60', '--wave', '10m', '--retry', 'busy=10m,no_answer=20m', '--max-attempts', '2'];

function csvOf(people: readonly string[]): string {
  return `phone_number\n${people.map((number) => `${number}\n`).join('')}`;
}

async function create(machine: Machine, people: readonly string[], ...more: string[]): Promise<void> {
  const args = ['plan', 'create', '-', '--name', 'Spring', ...PLAN, ...PACE, '--yes', ...more];
  const { code, stderr } = await machine.run(args, { input: csvOf(people) });
  expect(code, stderr).toBe(0);
}

async function step(machine: Machine): Promise<Ran> {
  return JSON.parse(await machine.does('plan', 'run', '1', '--json'));
}

/** Runs the plan to its end, each step at the next machine. Returns how many steps that took. */
async function played({ service }: Team, machines: readonly Machine[]): Promise<number> {
  for (let at = 0; at < 200; at++) {
    const { state, next } = await step(machines[at % machines.length] as Machine);
    if (state !== 'open' || next === null) return at + 1;
    service.engine.clock.now = Math.max(Date.parse(next.at), service.engine.clock.now);
  }
  throw new Error('The plan does not end.');
}

/** Everything that happened to the plan. */
async function eventsOf(place: string): Promise<unknown[]> {
  const rows = await rowsAt(place);
  const events = await rows.read((sql) => sql.all<{ data: string }>('select data from plan_events order by number'));
  return events.map(({ data }) => JSON.parse(data));
}

async function dialled({ service }: Team): Promise<Map<string, number>> {
  const dials = new Map<string, number>();
  for (const call of await service.calls()) {
    const number = String(call.called_to);
    dials.set(number, (dials.get(number) ?? 0) + 1);
  }
  return dials;
}

describePostgres('a plan that machines share', () => {
  test('is run by three in turn as by one, and as one in a folder', async () => {
    const people = numbers(14);
    const histories: unknown[][] = [];
    // In a folder, and shared by one and by three.
    for (const count of [0, 1, 3]) {
      const register = count === 0 ? '' : ownSchema();
      const own = await team(register);
      const machines = Array.from({ length: Math.max(1, count) }, () => own.machine());
      await create(machines[0] as Machine, people);
      const steps = await played(own, machines);
      expect(steps).toBeGreaterThan(5);
      const lists = await Promise.all(machines.map((one) => one.does('plan', 'status', '1', '--json')));
      expect(new Set(lists).size).toBe(1);
      const results = await Promise.all(machines.map((one) => one.does('plan', 'results', '1')));
      expect(new Set(results).size).toBe(1);
      histories.push(await eventsOf(register || (machines[0] as Machine).state));
      expect(Math.max(...(await dialled(own)).values())).toBe(2);
    }
    for (const history of histories) expect(history).toEqual(histories[0]);
  });

  test('hands each wave over once, whoever runs it at the same moment', async () => {
    const own = await team(ownSchema());
    const machines = Array.from({ length: 4 }, () => own.machine());
    await create(machines[0] as Machine, numbers(8));
    const at = { frozenAt: new Date(own.service.engine.clock.now).toISOString() };
    const outcomes = await Promise.all(
      machines.map(({ operator }) => operator.runProgram(['plan', 'run', '1', '--json'], at)),
    );
    expect(own.service.sent).toHaveLength(1);
    expect(outcomes.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
    const waves = outcomes.flatMap(({ code, stdout }) => (code === 0 ? [JSON.parse(stdout).wave] : []));
    expect(waves.filter((wave) => wave !== null)).toHaveLength(1);
  });

  test('is stopped from another machine while a wave is chosen, by a wish that the database gets when it is repeated', async () => {
    const register = ownSchema();
    const own = await team(register);
    const [one, other] = [own.machine(), own.machine()];
    await create(one, numbers(20));
    let stopping: Promise<Outcome> | undefined;
    own.service.faults.getAgents = async (_request, answer) => {
      delete own.service.faults.getAgents;
      await sql(register, 'alter table plans rename to gone');
      expect((await other.operator.runProgram(['plan', 'stop', '1'])).code).toBe(9);
      await sql(register, 'alter table gone rename to plans');
      expect(await isWished(register)).toBe(false);
      stopping = other.operator.runProgram(['plan', 'stop', '1']);
      await expect.poll(() => isWished(register), { timeout: 20_000 }).toBe(true);
      return answer();
    };
    const { code, stdout } = await one.run(['plan', 'run', '1', '--json']);
    expect({ code, state: JSON.parse(stdout).state }).toEqual({ code: 11, state: 'stopped' });
    expect(own.service.sent).toHaveLength(0);
    expect(await stopping).toMatchObject({ code: 0, stdout: expect.stringContaining('stopped') });
  });

  test('whose lock was lost while a wave was sent is taken by another, who sends the wave to nobody again', async () => {
    const register = ownSchema();
    const own = await team(register);
    const [one, other] = [own.machine(), own.machine()];
    await create(one, numbers(6));
    own.service.faults.createCampaign = async (_request, answer) => {
      delete own.service.faults.createCampaign;
      await sql(
        register,
        'select pg_terminate_backend(pid) from pg_stat_activity where starts_with(application_name, $1)',
        [`process ${process.pid} of `],
      );
      const frozenAt = new Date(own.service.engine.clock.now).toISOString();
      const { stdout } = await other.operator.runProgram(['plan', 'run', '1', '--json'], { frozenAt });
      expect(JSON.parse(stdout).wave).toBeNull();
      return answer();
    };
    const { code, stderr } = await one.run(['plan', 'run', '1']);
    expect({ code, stderr }).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('was sent as campaign 1'),
    });
    await played(own, [other, one]);
    expect(Math.max(...(await dialled(own)).values())).toBeLessThanOrEqual(2);
    expect((await dialled(own)).size).toBe(6);
  });

  test('does not call at one machine whom the log of another says opted out', async () => {
    const own = await team(ownSchema());
    const [one, other] = [own.machine(), own.machine()];
    await create(one, numbers(6), '--opt-out', 'not_connected', '--retry', 'busy=10m,no_answer=10m,failed=10m');
    await played(own, [one, other]);
    for (const count of (await dialled(own)).values()) expect(count).toBe(1);
    // Nor does a machine that comes only now, by a single call.
    const out = (await own.service.calls()).find(({ call_outcome }) => call_outcome === 'not_connected');
    const { code, stderr } = await own.machine().run(callTo(String(out?.called_to)));
    expect([code, stderr]).toEqual([3, expect.stringContaining('has opted out of calls')]);
  });

  test('and a campaign are offered at Tab', async () => {
    const own = await team(ownSchema());
    const [one, other] = [own.machine(), own.machine()];
    await create(one, numbers(3));
    await step(one);
    const offered = async (...words: string[]) => await other.does('complete', '--', ...words, '');
    expect(await offered('plan', 'status')).toContain('Spring');
    expect(await offered('campaign', 'status')).toContain('Spring (plan 1, wave 1)');
  });
});

/** Whether every machine can know that the plan is to stop. */
async function isWished(register: string): Promise<boolean> {
  const rows = await sql(register, 'select from plans where stop_wish is not null');
  return rows.length === 1;
}
