/** A connection that is cut at a commit: what came of it is found out, not guessed. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { LOCAL_CREDENTIALS, type RequestOf } from '../../../src/contract.ts';
import type { LocalEngine } from '../../../src/local/open.ts';
import { Between } from '../../support/between.ts';
import { testEngine } from '../../support/engine.ts';
import { everythingOf, problemsOf } from '../../support/everything-of.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';

const CALL: RequestOf<'triggerCall'> = {
  ...{ use_agent_id: 1, called_to: '+14155550190', call_from: '+14155550100', custom_first_line: 'Hello.' },
  custom_identifiers: '',
};

let open: Between | undefined;
afterEach(() => open?.close());

describePostgres('a connection that is cut', () => {
  const CAMPAIGN: RequestOf<'createCampaign'> = {
    ...{ campaign_name: 'Spring', agent_id: 1, call_from: '+14155550100', calls_per_hour: 60 },
    ...{ retry_attempts: 2, retry_delay: 90 },
    contacts: Array.from({ length: 12 }, (_none, at) => ({ phone_number: `+1415555${String(1000 + at)}` })),
  };
  test('at any message of what falls due changes no call of it', async () => {
    const { between, url } = await Between.before(ownSchema());
    open = between;
    const [engine, undisturbed] = [postgresEngine({ url }), testEngine()];
    for (const one of [engine, undisturbed]) await one.backend(LOCAL_CREDENTIALS).createCampaign(CAMPAIGN);
    const idle = ({ timeline }: LocalEngine) =>
      timeline.move(
        () => 'idle',
        () => {},
      );
    await idle(undisturbed);
    for (let at = 1; ; at += 2) {
      between.strike = { at, when: 'before' };
      const hasEnded = await idle(engine).then(
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
    const service = engine.backend(LOCAL_CREDENTIALS);
    await service.triggerCall(CALL);
    const back = between.restart(400);
    await delay(50);
    expect(await service.triggerCall(CALL)).toMatchObject({ room_name: 'call-call_0000000002' });
    await back;
  });
});
