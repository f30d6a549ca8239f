/** Moving the engine's time: in small steps, whatever the computer does meanwhile, and never back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { engineSpeed } from '../../../src/campaigns/progress/watch.ts';
import { testEngine } from '../../support/engine.ts';

const HOUR = 3_600_000;

/** An engine, a step of it at this speed, and how far its time has moved. */
async function moving(speed: number) {
  const engine = testEngine();
  const nowOf = async () => (await engine.timeline.read()).now;
  const start = await nowOf();
  return { engine, step: engineSpeed(engine.timeline, speed), moved: async () => (await nowOf()) - start };
}

test('by so many seconds in a second', async () => {
  const { step, moved } = await moving(1_000);
  const began = performance.now();
  for (let at = 0; at < 5; at++) {
    await sleep(50);
    await step();
  }
  const passed = performance.now() - began;
  expect(await moved()).toBeLessThanOrEqual(passed * 1_000);
  expect(await moved()).toBeGreaterThan(200 * 1_000);
});

test('a computer that was busy, or slept, makes no long step', async () => {
  const { step, moved } = await moving(1_000);
  await sleep(600);
  await step();
  expect(await moved()).toBeLessThanOrEqual(250 * 1_000);
});

test('the time of the system passes as well, and is not counted twice', async () => {
  const { engine, step, moved } = await moving(1);
  for (let at = 0; at < 3; at++) {
    await sleep(20);
    engine.clock.now += 20;
    await step();
  }
  expect(await moved()).toBeGreaterThanOrEqual(60);
  expect(await moved()).toBeLessThan(200);
});

test('another who moves the clock further is not undone', async () => {
  const { engine, step, moved } = await moving(100);
  await step();
  await engine.timeline.move(
    (now) => now + HOUR,
    () => {},
  );
  const before = await moved();
  await sleep(20);
  await step();
  expect(await moved()).toBeGreaterThanOrEqual(before);
  expect((await moved()) - before).toBeLessThan(60_000);
});
