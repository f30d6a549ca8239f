/** A connection that is cut at a commit: what came of it is found out, not guessed. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Between } from '../../support/between.ts';
import { advance, CALL, campaign, service } from '../../support/changes.ts';
import { testEngine } from '../../support/engine.ts';
import { everythingOf, problemsOf } from '../../support/everything-of.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';

let open: Between | undefined;
afterEach(() => open?.close());

describePostgres('a connection that is cut', () => {
  test('at any message of what falls due changes no call of it', async () => {
    const { between, url } = await Between.before(ownSchema());
    open = between;
    const [engine, undisturbed] = [postgresEngine({ url }), testEngine()];
    const numbers = Array.from({ length: 12 }, (_none, at) => `+1415555${String(1000 + at)}`);
    const rules = { calls_per_hour: 60, retry_attempts: 2, retry_delay: 90 };
    for (const one of [engine, undisturbed]) await service(one).createCampaign(campaign(numbers, rules));
    await advance(undisturbed, 'idle');
    for (let at = 1; ; at += 2) {
      between.strike = { at, when: 'before' };
      const hasEnded = await advance(engine, 'idle').then(
        () => true,
        (error: { exitCode?: number }) => {
          if (error.exitCode !== 9) throw error;
        },
      );
      between.strike = undefined;
      if (hasEnded) break;
    }
    expect(await everythingOf(engine)).toEqual(await everythingOf(undisturbed));
    expect(await problemsOf(engine)).toEqual([]);
  });

  test('by a server that starts again: what comes meanwhile waits for it', async () => {
    const { between, url } = await Between.before(ownSchema());
    open = between;
    const engine = postgresEngine({ url });
    await service(engine).triggerCall(CALL);
    const back = between.restart(400);
    await delay(50);
    expect(await service(engine).triggerCall(CALL)).toMatchObject({ room_name: 'call-call_0000000002' });
    await back;
  });
});
