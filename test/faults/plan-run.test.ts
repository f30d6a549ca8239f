/**
 * `plan run`, killed without warning (SIGKILL) before each step of its writing and at each moment of its request: whatever was
 * done, the next runs find out. No wave is placed twice, nobody is called twice by one, and nobody is lost.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StoredPlan } from '../../src/plans/rows/stored-plan.ts';
import { EPOCH } from '../support/engine.ts';
import { howMany } from '../support/full-matrix.ts';
import {
  HOUR,
  type Interception,
  MINUTE,
  type PlannedService,
  plannedService,
  type Ran,
} from '../support/planned-service.ts';
import { finished, Operator, ROOT } from '../support/program.ts';
import { makePlan, planDraft, planRules } from '../support/stored-plans.ts';

const DYING = { NODE_OPTIONS: `--require=${join(ROOT, 'test/support/dying.cjs')}` };
/** Every so many steps, others in each run. */
const EVERY = howMany(8, 1);
const placesOf = (steps: number, every: number) => {
  const first = Date.now() % every;
  return Array.from({ length: Math.ceil((steps - first) / every) }, (_none, at) => first + at * every);
};
const PEOPLE = ['+12015550190', '+12025550191', '+12035550190', '+12045550190'];
/** At most this long after a wave nobody knows of a call whether it was made. */
const LATEST = 26 * HOUR;

/** A plan whose first wave is over, and whose second is due. */
async function prepared(): Promise<PlannedService & { folder: StoredPlan }> {
  const service = await plannedService();
  const folder = await service.plan(PEOPLE, {
    callsPerHour: 60,
    wave: 2 * MINUTE,
    minGap: 0,
    retry: { busy: 5 * MINUTE },
    maxAttempts: 2,
  });
  await service.step();
  service.engine.clock.now += 15 * MINUTE;
  return { ...service, folder };
}

async function killed(service: PlannedService, at: number | undefined) {
  const frozenAt = new Date(service.engine.clock.now).toISOString();
  const clock = { VAGENT_TEST_CLOCK: frozenAt };
  const node = `${DYING.NODE_OPTIONS} --import=${join(ROOT, 'test/support/frozen-clock.mjs')}`;
  const env = { ...clock, NODE_OPTIONS: node, ...(at !== undefined && { VAGENT_TEST_DIES_AT: String(at) }) };
  const child = service.operator.start(['plan', 'run', '1', '--json'], { env });
  child.stdin?.end();
  return { child, ended: finished(child) };
}

/** Runs the plan as cron does until it is done, and checks what came of it. */
async function goOn(service: PlannedService): Promise<Ran> {
  const end = service.engine.clock.now + LATEST;
  let last = await service.step();
  while (last.state === 'open' && service.engine.clock.now < end) {
    service.engine.clock.now += last.contacts.handed === 0 ? 10 * MINUTE : HOUR;
    last = await service.step();
  }
  const { campaigns } = (await service.engine.timeline.stored()).state;
  const names = campaigns.map(({ campaign_name }) => campaign_name);
  expect(new Set(names).size, names.join()).toBe(names.length);
  const attempts = new Map<unknown, number>();
  for (const { called_to } of await service.calls()) attempts.set(called_to, (attempts.get(called_to) ?? 0) + 1);
  for (const [number, count] of attempts) expect(count, String(number)).toBeLessThanOrEqual(2);
  expect(last.state).toBe('done');
  expect(Object.values(last.contacts).reduce((sum, count) => sum + count, 0)).toBe(PEOPLE.length);
  return last;
}

describe('killed before a step of its writing', async () => {
  const { ended } = await killed(await prepared(), undefined);
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([0, expect.stringMatching(/It made \d+ steps/)]);
  const steps = Number(/It made (\d+) steps/.exec(stderr)?.[1]);
  const places = placesOf(steps, EVERY);

  test('there are many', () => expect(steps).toBeGreaterThan(30));

  test.each(places)('%i', { timeout: 30_000 }, async (at) => {
    const victim = await prepared();
    const { ended } = await killed(victim, at);
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    const isHanded = (await victim.folder.load()).position.waves === 2;
    const isPlaced = victim.sent.length === 2;
    const { contacts } = await goOn(victim);
    // Of a wave that was about to be sent, nobody knows; every other is called to its end.
    expect(contacts.unseen).toBe(isHanded && !isPlaced ? 2 : 0);
  });
});

describe('killed while the request is under way', () => {
  test.each([
    ['before the service has read it', false],
    ['after the service has carried it out', true],
  ])('%s', { timeout: 30_000 }, async (_when, isCarriedOut) => {
    const service = await prepared();
    const sent = new Promise<void>((resolve) => {
      const fault: Interception = async (_request, answer) => {
        if (isCarriedOut) await answer();
        resolve();
        return new Promise(() => {});
      };
      service.faults.createCampaign = fault;
    });
    const { child, ended } = await killed(service, undefined);
    await sent;
    child.kill('SIGKILL');
    await ended;
    delete service.faults.createCampaign;
    const { contacts } = await goOn(service);
    expect(contacts.unseen).toBe(isCarriedOut ? 0 : 2);
  });
});

/** The same on the local engine, whose store says what became of a wave. */
describe('killed before a step of its writing, on the local engine', async () => {
  /** A step of the clock is killed in too, as any command of the engine is elsewhere. */
  const APART = EVERY === 1 ? 1 : 2 * EVERY;
  const PLAYED = ['plan', 'run', '1', '--advance', '--json'];
  const engine = async () => {
    const operator = new Operator({ env: { VAGENT_LOCAL: '1' }, frozenAt: new Date(EPOCH).toISOString() });
    const state = join(operator.home, '.local/state/vagent');
    const rules = planRules({ callsPerHour: 60, wave: 2 * MINUTE, minGap: 0, maxAttempts: 2 });
    const contacts = PEOPLE.map((phone_number) => ({ phone_number }));
    const people = {
      contacts,
      placeOf: new Uint16Array(PEOPLE.length),
      rows: undefined,
      redact: (text: string) => text,
    };
    await makePlan(state, people, planDraft({ service: join(state, 'store'), isLocal: true, rules }));
    await operator.json(['plan', 'run', '1']);
    return operator;
  };
  const struck = (operator: Operator, at: number | undefined) => {
    const node = `${DYING.NODE_OPTIONS} --import=${join(ROOT, 'test/support/frozen-clock.mjs')}`;
    const clock = { VAGENT_TEST_CLOCK: new Date(EPOCH).toISOString() };
    const env = { ...clock, NODE_OPTIONS: node, ...(at !== undefined && { VAGENT_TEST_DIES_AT: String(at) }) };
    const child = operator.start(PLAYED, { env });
    child.stdin?.end();
    return finished(child);
  };
  const { code, stderr } = await struck(await engine(), undefined);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/It made \d+ steps/)]);
  const steps = Number(/It made (\d+) steps/.exec(stderr)?.[1]);
  const places = placesOf(steps, APART);

  test('there are many', () => expect(steps).toBeGreaterThan(30));

  test.each(places)('%i', { timeout: 30_000 }, async (at) => {
    const operator = await engine();
    expect(await struck(operator, at)).toMatchObject({ signal: 'SIGKILL' });
    const { state, contacts } = await operator.json<Ran>([...PLAYED.slice(0, 3), '--until-done', '--advance']);
    const { reached = 0, exhausted = 0 } = contacts;
    expect([state, reached + exhausted]).toEqual(['done', PEOPLE.length]);
    const { campaigns } = await operator.json<{ campaigns: { campaign_name: string }[] }>(['local', 'status']);
    const names = campaigns.map(({ campaign_name }) => campaign_name);
    expect(new Set(names).size, names.join()).toBe(names.length);
    const { calls } = await operator.json<{ calls: { called_to: string }[] }>(['logs', 'list', '--all']);
    for (const person of PEOPLE) {
      const count = calls.filter(({ called_to }) => called_to === person).length;
      expect(count, person).toBeLessThanOrEqual(2);
      expect(count, person).toBeGreaterThan(0);
    }
  });
});
