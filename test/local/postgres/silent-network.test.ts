/**
 * A network that falls silent, without a word to either side: nobody waits for ever, what was acknowledged is there, and who has
 * vanished holds its organization for no longer than two seconds. That every change is made or not is in crash-matrix.test.ts.
 */
import { expect, test } from 'vitest';
import type { Limits } from '../../../src/storage/database/connection.ts';
import { Between } from '../../support/between.ts';
import { ANSWERS, CALL, campaign, service } from '../../support/changes.ts';
import { serveByMany } from '../../support/many-servers.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { type PostgresEngine, postgresEngine } from '../../support/postgres-engine.ts';
import { temporaryFolder } from '../../support/program.ts';
import { sql } from '../../support/sql.ts';

/**
 * Milliseconds: shorter than the program has them, so that less is waited for; long enough for what goes on after it on a busy
 * machine.
 */
const LIMITS = { silence: 2_000, connect: 10_000, gone: 600 };
/** As the program has it, and what a busy machine may add. */
const GONE_AFTER = 2_000;
const ADDED = 2_000;

const engineAt = (url: string, limits: Partial<Limits> = LIMITS): PostgresEngine =>
  postgresEngine({ url, dialsOfCommit: 10_000, limits });

describePostgres('a network that falls silent', () => {
  test.concurrent.for([
    ['a commit', { at: 'commit', when: 'before' }],
    ['the middle of a long message', { at: 'long', when: 'middle' }],
  ] as const)(
    'before %s, leaves the organization to others after two seconds',
    async ([, strike], { onTestFinished }) => {
      const limits = { silence: LIMITS.silence };
      const direct = ownSchema(onTestFinished);
      const { between, url } = await Between.before(direct);
      const [engine, beside] = [engineAt(url, limits), engineAt(direct, {})];
      await service(beside).triggerCall(CALL);
      await service(engine).triggerCall(CALL);
      between.strike = { ...strike, instead: 'silence' };
      const many = campaign(Array.from({ length: 3_000 }, () => ANSWERS));
      const { createCampaign, triggerCall } = service(engine);
      const lost = (strike.at === 'long' ? createCampaign(many) : triggerCall(CALL)).catch(
        (failure: unknown) => failure,
      );
      while (between.strikes === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      const begun = performance.now();
      await service(beside).triggerCall(CALL);
      expect(performance.now() - begun).toBeLessThan(GONE_AFTER + ADDED);
      expect(await lost).toMatchObject({ exitCode: 9, hint: 'The store is as it was before.' });
      expect(await service(engine).createCampaign(campaign([ANSWERS]))).toMatchObject({ total_contacts: 1 });
      between.close();
    },
  );

  test.concurrent('does not end what the database is still at work on, and who computes for long is not taken for gone', async ({
    onTestFinished,
  }) => {
    const engine = engineAt(ownSchema(onTestFinished));
    await service(engine).triggerCall(CALL);
    const slow = 'create trigger slow before insert on calls execute function wait()';
    await sql(
      engine.url,
      `create function wait() returns trigger language plpgsql as $$
       begin perform pg_sleep(${(LIMITS.silence * 2) / 1000}); return null; end $$; ${slow}`,
    );
    await service(engine).triggerCall(CALL);
    await engine.timeline.change(() => new Promise((resolve) => setTimeout(resolve, 2 * LIMITS.gone)));
    expect((await service(engine).getCallLogs({})).total).toBe(2);
  });

  test.concurrent('under servers: each acknowledged call is there once, and every server comes back', async ({
    onTestFinished,
  }) => {
    const direct = ownSchema(onTestFinished);
    const { between, url } = await Between.before(direct);
    const found = await serveByMany(postgresEngine({ url: direct, clock: { now: Date.now() } }), {
      ...{
        url: direct,
        home: temporaryFolder(),
        servers: 2,
        clients: 4,
        lasts: 4_000,
        killsASecond: 0.5,
        contacts: 300,
      },
      ...{ through: url, instead: async () => between.silence() },
    });
    expect(found.wrong).toEqual([]);
    expect(found.kills).toBeGreaterThan(1);
    expect(found.acknowledged).toBeGreaterThan(0);
    expect(found.calls).toBeGreaterThanOrEqual(found.acknowledged + 3 * 300);
    between.close();
  });
});
