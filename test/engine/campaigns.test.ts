/** How campaigns run on the local engine, on a clock that obeys; handlers.test.ts has what must hold for all of them. */
import { expect, test } from 'vitest';
import { CREDENTIALS } from '../conformance.ts';
import { ANSWERS, ANSWERS_THE_SECOND_TIME, advance, CALL, campaign, service } from '../support/changes.ts';
import { EPOCH, type TestEngine, testEngine } from '../support/engine.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BUSY = '+14155550191';

/** Every call so far, oldest first, as minutes since the start, last three digits, and status. */
async function history({ backend }: TestEngine): Promise<string[]> {
  const { calls } = await backend(CREDENTIALS).getCallLogs({ limit: 1000 });
  return calls.reverse().map(({ timestamp, called_to, call_status }) => {
    return `${(Date.parse(String(timestamp)) - EPOCH) / MINUTE} ${String(called_to).slice(-3)} ${call_status}`;
  });
}

test.each([
  [
    'dials are evenly spaced, the first at the start, retries after their delay',
    [ANSWERS, BUSY, ANSWERS_THE_SECOND_TIME],
    { calls_per_hour: 30, retry_attempts: 1, retry_delay: 600 },
    ['0 190 completed', '2 191 busy', '4 194 busy', '12 191 busy', '14 194 completed'],
  ],
  [
    'a due retry goes before a new contact, and counts against the pace',
    [BUSY, ANSWERS, ANSWERS, ANSWERS],
    { calls_per_hour: 60, retry_attempts: 1, retry_delay: 120 },
    ['0 191 busy', '1 190 completed', '2 191 busy', '3 190 completed', '4 190 completed'],
  ],
])('%s', async (_what, numbers, rules, calls) => {
  const engine = testEngine();
  await service(engine).createCampaign(campaign(numbers, rules));
  await advance(engine, HOUR);
  expect(await history(engine)).toEqual(calls);
});

test('the clock never goes back, whatever the system does', async () => {
  const engine = testEngine();
  await service(engine).triggerCall(CALL);
  engine.clock.now -= HOUR;
  await service(engine).triggerCall(CALL);
  expect(await history(engine)).toEqual(['0 190 completed', '0 190 completed']);
});
