/** Moving the engine's time: in small steps, whatever the computer does meanwhile, and never back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { engineSpeed } from '../../../src/campaigns/progress/watch.ts';
import { testEngine } from '../../support/engine.ts';

const HOUR = 3_600_000;

async function nowOf({ timeline }: ReturnType<typeof testEngine>): Promise<number> {
  return (await timeline.read()).now;
}

test('by so many seconds in a second', async () => {
  const engine = testEngine();
  const start = await nowOf(engine);
  const step = engineSpeed(engine.timeline, 1_000);
  const began = performance.now();
  for (let at = 0; at < 5; at++) {
    await sleep(50);
    await step();
  }
  const passed = performance.now() - began;
  const moved = (await nowOf(engine)) - start;
  expect(moved).toBeLessThanOrEqual(passed * 1_000);
  expect(moved).toBeGreaterThan(200 * 1_000);
});

test('a computer that was busy, or slept, makes no long step', async () => {
  const engine = testEngine();
  const start = await nowOf(engine);
  const step = engineSpeed(engine.timeline, 1_000);
  await sleep(600);
  await step();
  expect((await nowOf(engine)) - start).toBeLessThanOrEqual(250 * 1_000);
});

test('the time of the system passes as well, and is not counted twice', async () => {
  const engine = testEngine();
  const start = await nowOf(engine);
  const step = engineSpeed(engine.timeline, 1);
  for (let at = 0; at < 3; at++) {
    await sleep(20);
    engine.clock.now += 20;
    await step();
  }
  const moved = (await nowOf(engine)) - start;
  expect(moved).toBeGreaterThanOrEqual(60);
  expect(moved).toBeLessThan(200);
});

test('another who moves the clock further is not undone', async () => {
  const engine = testEngine();
  const step = engineSpeed(engine.timeline, 100);
  await step();
  await engine.timeline.move(
    (now) => now + HOUR,
    () => {},
  );
  const moved = await nowOf(engine);
  await sleep(20);
  await step();
  const now = await nowOf(engine);
  expect(now).toBeGreaterThanOrEqual(moved);
  expect(now - moved).toBeLessThan(60_000);
});
