/**
 * `plan run`, the real program, killed without warning (SIGKILL) before each step of its writing: whatever was done, the next runs
 * find out. No wave is placed twice, nobody is called twice by one, and nobody is lost. Random worlds die at every other moment.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StoredPlan } from '../../src/plans/rows/stored-plan.ts';
import { howMany } from '../support/full-matrix.ts';
import { HOUR, MINUTE, type PlannedService, plannedService, type Ran } from '../support/planned-service.ts';
import { finished, ROOT } from '../support/program.ts';

/** Every so many steps, others in each run. */
const EVERY = howMany(8, 1);
const FIRST = Date.now() % EVERY;
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

function killed(service: PlannedService, at?: number) {
  const clock = { VAGENT_TEST_CLOCK: new Date(service.engine.clock.now).toISOString() };
  const node = `--require=${join(ROOT, 'test/support/dying.cjs')} --import=${join(ROOT, 'test/support/frozen-clock.mjs')}`;
  const env = { ...clock, NODE_OPTIONS: node, ...(at !== undefined && { VAGENT_TEST_DIES_AT: String(at) }) };
  const child = service.operator.start(['plan', 'run', '1', '--json'], { env });
  child.stdin?.end();
  return finished(child);
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
  const { code, stderr } = await killed(await prepared());
  expect([code, stderr]).toEqual([0, expect.stringMatching(/It made \d+ steps/)]);
  const steps = Number(/It made (\d+) steps/.exec(stderr)?.[1]);
  const places = Array.from({ length: Math.ceil((steps - FIRST) / EVERY) }, (_none, at) => FIRST + at * EVERY);

  test('there are many', () => expect(steps).toBeGreaterThan(30));

  test.each(places)('%i', { timeout: 30_000 }, async (at) => {
    const victim = await prepared();
    expect(await killed(victim, at)).toMatchObject({ signal: 'SIGKILL' });
    const isHanded = (await victim.folder.load()).position.waves === 2;
    const isPlaced = victim.sent.length === 2;
    const { contacts } = await goOn(victim);
    // Of a wave that was about to be sent, nobody knows; every other is called to its end.
    expect(contacts.unseen).toBe(isHanded && !isPlaced ? 2 : 0);
  });
});
