/** Time goes on while a command is carried out: what falls due meanwhile does not come into the log behind younger calls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EVERY_CALL } from '../../src/engine/handlers.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import { advance, CALL, campaign, service } from '../support/changes.ts';
import { EPOCH, testEngine } from '../support/engine.ts';
import { describeStores } from '../support/stores.ts';

async function timesIn(engine: LocalEngine): Promise<number[]> {
  const numbers = Array.from({ length: 300 }, (_none, at) => `+1415555${String(1000 + at)}`);
  const rules = { calls_per_hour: 3_600_000, retry_attempts: 1, retry_delay: 0 };
  await service(engine).createCampaign(campaign(numbers, rules));
  for (let calls = 0; calls < 40; calls++) {
    await service(engine).triggerCall(CALL);
    if (calls % 10 === 0) await advance(engine, 5);
  }
  const { calls } = await (await engine.timeline.stored()).callPage(EVERY_CALL, 1_000, 0);
  return calls.map(({ timestamp }) => Date.parse(timestamp)).reverse();
}

const PACE = { calls_per_hour: 3_600_000 };

describeStores((newEngine) => {
  test('a clock that never stands still', async () => {
    const engine = newEngine();
    let now = EPOCH;
    // A millisecond later whenever somebody looks.
    Object.defineProperty(engine.clock, 'now', { get: () => now++ });
    const times = await timesIn(engine);
    expect(times.length).toBeGreaterThan(100);
    expect(times.filter((time, at) => time < (times[at - 1] ?? 0))).toEqual([]);
  });
});

test('what was read for a commit of a folder that failed is not taken for what is kept', async () => {
  const engine = testEngine();
  let now = EPOCH;
  Object.defineProperty(engine.clock, 'now', { get: () => (now += 1_000) });
  const people = Array.from({ length: 30 }, (_none, at) => `+1415555${1000 + at}`);
  // While the first is written, the others wait, and are committed together.
  const asked: Promise<unknown>[] = [];
  await new Promise<void>((begun) => {
    asked.push(engine.timeline.change(() => sleep(200, begun())));
  });
  asked.push(service(engine).createCampaign(campaign([...people, ...people], PACE)));
  await sleep(50);
  asked.push(engine.timeline.change(() => Promise.reject(new Error('a bug'))));
  const ends = (await Promise.allSettled(asked)).map(({ status }) => status);
  expect(ends).toEqual(['fulfilled', 'rejected', 'rejected']);
  await service(engine).createCampaign(campaign(people, PACE));
  expect((await service(engine).getCallLogs({})).calls.length).toBeGreaterThan(1);
});
