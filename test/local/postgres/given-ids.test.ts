/** Ids count up over all organizations, and nobody waits for an id until another organization's large campaign is written. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { localCredentials } from '../../../src/contract.ts';
import { AGENT, ANSWERS, addOrganization, CALL, campaign, service } from '../../support/changes.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { type PostgresEngine, postgresEngine } from '../../support/postgres-engine.ts';
import { sql } from '../../support/sql.ts';

/** Milliseconds that the contacts of a campaign take to be written, and that others wait at most. */
const TAKES = 3_000;
const OTHERS_WAIT = 2_000;
const FIRST_IDS = { next_organization_id: 2, next_agent_id: 2, next_campaign_id: 1 };

async function withAnother(url: string): Promise<PostgresEngine> {
  const engine = postgresEngine({ url });
  await addOrganization(engine);
  await sql(
    engine.url,
    `create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(${TAKES / 1_000}); return null; end $$;
     create trigger slow before insert on contacts execute function wait()`,
  );
  return engine;
}

describePostgres('while a large campaign of one organization is written', () => {
  test.concurrent.for<[string, (beside: PostgresEngine) => Promise<unknown>]>([
    ['gets an agent', (beside) => beside.backend(localCredentials(2)).createAgent(AGENT)],
    ['places a call', (beside) => beside.backend(localCredentials(2)).triggerCall({ ...CALL, use_agent_id: 2 })],
    ['begins a third organization', addOrganization],
  ])('another %s at once, by the same server and by another', async ([, change], { onTestFinished }) => {
    const engine = await withAnother(ownSchema(onTestFinished));
    const created = service(engine).createCampaign(campaign([ANSWERS]));
    await delay(200);
    const begun = performance.now();
    await Promise.all([change(engine), change(postgresEngine({ url: engine.url }))]);
    expect(performance.now() - begun).toBeLessThan(OTHERS_WAIT);
    expect(await created).toMatchObject({ campaign_id: 1 });
  });

  test.concurrent('an id that was given to what failed is given to nobody else', async ({ onTestFinished }) => {
    const engine = await withAnother(ownSchema(onTestFinished));
    await sql(
      engine.url,
      'drop trigger slow on contacts; create rule refuse as on insert to contacts do instead select 1/0',
    );
    await expect(service(engine).createCampaign(campaign([ANSWERS]))).rejects.toMatchObject({ exitCode: 9 });
    await sql(engine.url, 'drop rule refuse on contacts');
    await expect(service(engine).createCampaign(campaign([ANSWERS], { agent_id: 999 }))).rejects.toMatchObject({
      status: 404,
    });
    expect(await service(engine).createCampaign(campaign([ANSWERS]))).toMatchObject({ campaign_id: 2 });
  });

  test.concurrent('another store of the same database is made at once', async ({ onTestFinished }) => {
    const url = ownSchema(onTestFinished);
    const created = postgresEngine({ url }).store.receive(() => delay(TAKES, FIRST_IDS));
    await delay(200);
    const begun = performance.now();
    await service(postgresEngine({ url: ownSchema(onTestFinished) })).triggerCall(CALL);
    expect(performance.now() - begun).toBeLessThan(OTHERS_WAIT);
    await created.catch(() => {});
  });
});
