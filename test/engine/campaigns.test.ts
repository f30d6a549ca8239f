/** How campaigns run on the local engine, on a clock that obeys; handlers.test.ts has what must hold for all of them. */
import { expect, test } from 'vitest';
import { CREDENTIALS } from '../conformance.ts';
import { casesBeside } from '../support/cases.ts';
import { advance, CALL, campaign, service } from '../support/changes.ts';
import { EPOCH, type TestEngine, testEngine } from '../support/engine.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Every call so far, oldest first, as minutes since the start, last three digits, and status. */
async function history({ backend }: TestEngine): Promise<string[]> {
  const { calls } = await backend(CREDENTIALS).getCallLogs({ limit: 1000 });
  return calls.reverse().map(({ timestamp, called_to, call_status }) => {
    return `${(Date.parse(String(timestamp)) - EPOCH) / MINUTE} ${String(called_to).slice(-3)} ${call_status}`;
  });
}

type Played = [what: string, numbers: string[], rules: Record<string, number>, calls: string[]];

test.each(casesBeside(import.meta.filename)<Played>('played for an hour'))(
  '%s',
  async (_what, numbers, rules, calls) => {
    const engine = testEngine();
    await service(engine).createCampaign(campaign(numbers, rules));
    await advance(engine, HOUR);
    expect(await history(engine)).toEqual(calls);
  },
);

test('the clock never goes back, whatever the system does', async () => {
  const engine = testEngine();
  await service(engine).triggerCall(CALL);
  engine.clock.now -= HOUR;
  await service(engine).triggerCall(CALL);
  expect(await history(engine)).toEqual(['0 190 completed', '0 190 completed']);
});
