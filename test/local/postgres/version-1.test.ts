/** A database whose tables a vagent made that kept no movements of wallets: kept in `fixtures/`, written by that program. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { localCredentials } from '../../../src/contract.ts';
import { EVERY_CALL } from '../../../src/engine/handlers.ts';
import type { LocalEngine } from '../../../src/local/open.ts';
import { MIGRATIONS } from '../../../src/local/postgres/schema.ts';
import { advance, CALL, campaign, service } from '../../support/changes.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';
import { sql } from '../../support/sql.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/postgres-version-1');
/** What the program of then made of the same store by `live`, newest first. */
const CONTINUED = readFileSync(join(FIXTURE, 'continued.jsonl'), 'utf8');
const OTHER_CALL = { ...CALL, use_agent_id: 3, called_to: '+14155550123', custom_first_line: 'Hello' };

async function ofVersion1(): Promise<string> {
  const url = ownSchema();
  const schema = new URL(url).searchParams.get('schema') as string;
  await sql(url, readFileSync(join(FIXTURE, 'store.sql'), 'utf8').replaceAll('version_1', schema));
  return url;
}

async function live(engine: LocalEngine): Promise<void> {
  await engine.backend(localCredentials(2)).triggerCall(OTHER_CALL);
  const numbers = Array.from({ length: 6 }, (_none, at) => `+1415555${2000 + at}`);
  const rules = { campaign_name: 'Two', calls_per_hour: 60, retry_attempts: 2, retry_delay: 600 };
  await service(engine).createCampaign(campaign(numbers, rules));
  await advance(engine, 'idle');
}

const check = ({ store }: LocalEngine) => store.check({ signal: new AbortController().signal, onCall: () => {} }, 1);

const versionOf = async (url: string) => await sql(url, 'select max(version) as version from migrations');

describePostgres('a database of version 1', () => {
  test('is read as it is, and changed by nobody who only reads', async () => {
    const url = await ofVersion1();
    const engine = postgresEngine({ url });
    expect(await check(engine)).toMatchObject({ problemCount: 0, facts: { calls: 8, campaigns: 1 } });
    expect((await (await engine.timeline.stored()).callPage(EVERY_CALL, 1_000, 0)).total).toBe(8);
    expect(await versionOf(url)).toEqual([{ version: 1 }]);
  });

  test('goes on as it would have under the program that made it, with the movements of its wallets', async () => {
    const url = await ofVersion1();
    const engine = postgresEngine({ url });
    await live(engine);
    const { calls } = await (await engine.timeline.stored()).callPage(EVERY_CALL, 1_000, 0);
    expect(calls.map((call) => `${JSON.stringify(call)}\n`).join('')).toBe(CONTINUED);
    expect(await versionOf(url)).toEqual([{ version: MIGRATIONS.length }]);
    expect(await check(engine)).toMatchObject({ problemCount: 0 });
    // Also of the campaigns of then.
    const voicemails = await sql(
      url,
      `select campaign_id::int, voicemail::int, (select count(*) from calls c where c.campaign_id = p.campaign_id
         and call_outcome = 'voicemail_left')::int as in_log from campaigns p order by campaign_id`,
    );
    expect(voicemails).toEqual([
      { campaign_id: 1, voicemail: 1, in_log: 1 },
      { campaign_id: 2, voicemail: 1, in_log: 1 },
    ]);
    // The conversations took ten minutes, at the price of then; what they had cost in truth is in the opening.
    const movements = await sql(
      url,
      `select kind, amount::int, call_number::int from wallet_movements where organization_id = 1 and coalesce(call_number, 0) < 10
         order by at, call_number nulls first`,
    );
    expect(movements).toEqual([
      { kind: 'opening', amount: 106_200_000, call_number: null },
      { kind: 'charge', amount: -500_000, call_number: 2 },
      { kind: 'charge', amount: -250_000, call_number: 4 },
      { kind: 'charge', amount: -750_000, call_number: 6 },
      { kind: 'charge', amount: -500_000, call_number: 8 },
      { kind: 'charge', amount: -500_000, call_number: 9 },
    ]);
  });

  test('is brought up to date by nobody but its owner', async () => {
    const url = await ofVersion1();
    const schema = new URL(url).searchParams.get('schema') as string;
    const user = `user_${schema}`;
    await sql(
      url,
      `create role ${user} login; grant usage on schema ${schema} to ${user};
       grant select, insert, update, delete on all tables in schema ${schema} to ${user}`,
    );
    onTestFinished(async () => {
      await sql(url, `drop owned by ${user}; drop role ${user}`);
    });
    const address = new URL(url);
    address.username = user;
    const writer = postgresEngine({ url: address.href });
    await expect(writer.timeline.change(() => {})).rejects.toMatchObject({
      exitCode: 9,
      message: expect.stringMatching(
        /^The tables of the database at .* are of an older version, and this user may not/,
      ),
    });
    expect(await versionOf(url)).toEqual([{ version: 1 }]);
  });
});
