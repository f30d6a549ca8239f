/**
 * A network that falls silent, without a word to either side, at any message and in either direction: nobody waits for ever, what was
 * acknowledged is there, and who has vanished holds its organization for no longer than two seconds.
 */
import { expect, test } from 'vitest';
import type { LocalEngine } from '../../../src/local/open.ts';
import type { Limits } from '../../../src/storage/database/connection.ts';
import { Between, type Strike, type When } from '../../support/between.ts';
import { ANSWERS, CALL, CHANGES, type Change, campaign, requireWhole, service } from '../../support/changes.ts';
import { everythingButIdsOf } from '../../support/everything-of.ts';
import { IS_FULL } from '../../support/full-matrix.ts';
import { serveByMany } from '../../support/many-servers.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { type PostgresEngine, postgresEngine } from '../../support/postgres-engine.ts';
import { temporaryFolder } from '../../support/program.ts';
import { sql } from '../../support/sql.ts';

const SEED = Number(process.env.VAGENT_TEST_SEED ?? Date.now() % 1_000_000);
const AT_ONCE = 10;
/** Milliseconds: shorter than the program has them, so that less is waited for; long enough for what goes on after it on a busy machine. */
const LIMITS = { silence: 2_000, connect: 10_000, gone: 600 };
/** As the program has it, and what a busy machine may add. */
const GONE_AFTER = 2_000;
const ADDED = 2_000;

const engineAt = (url: string, limits: Partial<Limits> = LIMITS): PostgresEngine =>
  postgresEngine({ url, dialsOfCommit: 10_000, limits });

/** What is to be done when the test is over, of tests that run side by side. */
type Finished = Parameters<typeof ownSchema>[0];

interface Place {
  direct: string;
  between: Between;
  engine: LocalEngine;
}

async function placeAfter(kind: Change, finished: Finished, limits?: Partial<Limits>): Promise<Place> {
  const direct = ownSchema(finished);
  const { between, url } = await Between.before(direct);
  await kind.before?.(engineAt(direct, {}));
  return { direct, between, engine: engineAt(url, limits) };
}

/** Undefined if it was done; what it was refused with; or that nothing was heard. */
async function outcomeOf(change: Promise<unknown>): Promise<unknown> {
  const late = new Promise((resolve) => setTimeout(() => resolve(new Error('it waits for ever')), 60_000).unref());
  const ended = change.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return await Promise.race([ended, late]);
}

async function silenced(
  kind: Change,
  { at, when }: Omit<Strike, 'instead'>,
  finished: Finished,
  old: string,
  fresh: string,
): Promise<void> {
  const { direct, between, engine } = await placeAfter(kind, finished);
  between.strike = { at, when, instead: 'silence' };
  const error = await outcomeOf(kind.change(engine));
  const where = `seed ${SEED}, silent ${when} ${at}: ${error}`;
  const found = await everythingButIdsOf(engineAt(direct, {}));
  await requireWhole({ kind, engine, error, old, fresh, found }, where);
  between.close();
}

describePostgres('a network that falls silent', () => {
  test.concurrent(`at ${IS_FULL ? 'every message' : 'one message of each change'}, in either direction: every change ends, and is made or not`, async ({
    onTestFinished,
  }) => {
    const kinds = Object.values(CHANGES);
    for (let first = 0; first < kinds.length; first += AT_ONCE) {
      const some = kinds.slice(first, first + AT_ONCE).map(async (kind, place) => {
        const rehearsed = await placeAfter(kind, onTestFinished);
        const old = await everythingButIdsOf(engineAt(rehearsed.direct, {}));
        await kind.change(rehearsed.engine);
        const { pieces } = rehearsed.between;
        const fresh = await everythingButIdsOf(engineAt(rehearsed.direct, {}));
        rehearsed.between.close();
        const turn = SEED + first + place;
        const all = Array.from({ length: pieces }, (_none, at) => at + 1);
        for (const at of IS_FULL ? all : [1 + (turn % pieces)]) {
          for (const when of IS_FULL
            ? (['before', 'after'] as const)
            : ([turn % 2 === 0 ? 'before' : 'after'] as When[]))
            await silenced(kind, { at, when }, onTestFinished, old, fresh);
        }
      });
      await Promise.all(some);
    }
  });

  test.concurrent.for([
    ['a commit', { at: 'commit', when: 'before' }],
    ['the middle of a long message', { at: 'long', when: 'middle' }],
  ] as const)(
    'before %s, leaves the organization to others after two seconds',
    async ([, strike], { onTestFinished }) => {
      const limits = { silence: LIMITS.silence };
      const { direct, between, engine } = await placeAfter({ change: async () => {} }, onTestFinished, limits);
      const beside = engineAt(direct, {});
      await service(beside).triggerCall(CALL);
      await service(engine).triggerCall(CALL);
      between.strike = { ...strike, instead: 'silence' };
      const many = campaign(Array.from({ length: 3_000 }, () => ANSWERS));
      const { createCampaign, triggerCall } = service(engine);
      const lost = outcomeOf(strike.at === 'long' ? createCampaign(many) : triggerCall(CALL));
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
      `create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(${(LIMITS.silence * 2) / 1000}); return null; end $$; ${slow}`,
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
