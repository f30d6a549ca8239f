/**
 * The local engine over PostgreSQL, beside a bare loop with the same driver: a campaign of a million contacts created and
 * played by the program, with its memory; pages, statistics, and single calls at 64 connections.
 */
import pg from 'pg';
import { LOCAL_CREDENTIALS } from '../../src/contract.ts';
import { dayRange } from '../../src/engine/policy.ts';
import { initialState } from '../../src/engine/state.ts';
import { engineOver } from '../../src/local/open.ts';
import { PostgresStore } from '../../src/local/postgres/postgres-store.ts';
import { CONTACTS, campaignOf, type Measured, measureIn, median, phoneAt, say, type Workplace } from './workplace.ts';

const ROWS = 1_000;
/** Rounds of single calls, and the milliseconds of each half. */
const ROUNDS = 5;
const ROUND = 2_000;

const seconds = (from: number) => (performance.now() - from) / 1000;

async function clientOf({ address, schema }: ReturnType<Workplace['database']>): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address, options: `-c search_path=${schema}` });
  await client.connect();
  return client;
}

await measureIn(async (place) => {
  const [ours, theirs] = [place.database('engine'), place.database('bare')];
  const store = ['--store', ours.url];
  const contacts = place.file('contacts.csv', 'phone_number\n', CONTACTS, (row) => `${phoneAt(row)}\n`);
  place.vagent('local', 'topup', '900000000', ...store);
  const pace = ['--calls-per-hour', '3600000', '--retry-attempts', '1', '--retry-delay', '60', '--start', '+1h'];
  const made = place.vagent(...campaignOf('--yes', '--quiet', '--contacts', contacts, ...pace, ...store));
  say(`campaign create with ${CONTACTS} contacts: ${told(made)}`);
  const played = place.vagent('local', 'advance', '--until-idle', ...store);
  const playing = played.milliseconds / 1000;
  const client = await clientOf(ours);
  const { rows: counted } = await client.query('select count(*)::int as n from calls');
  const calls = counted[0].n as number;
  say(`playing it: ${calls} calls, ${Math.round(calls / playing)} a second: ${told(played)}`);

  // The bare loop -------------------------------------------------------------------------------------------------------
  const bare = await clientOf(theirs);
  await bare.query(`create schema ${theirs.schema}`);
  await bare.query(`create table calls (like ${ours.schema}.calls including all)`);
  await bare.query(
    'create table retries (campaign_id bigint, number bigint, contact bigint, attempt bigint, due bigint, ' +
      'primary key (campaign_id, number))',
  );
  let inLoop = 0;
  for (let first = 1; first <= calls; first += ROWS) {
    const part = async (sql: string) => JSON.stringify((await client.query(sql, [first, first + ROWS])).rows);
    const json = await part('select * from calls where call_number >= $1 and call_number < $2 order by call_number');
    const more = await part('select * from retries where number >= $1 and number < $2');
    const began = performance.now();
    await bare.query('begin');
    await bare.query('insert into calls select * from json_populate_recordset(null::calls, $1)', [json]);
    await bare.query('insert into retries select * from json_populate_recordset(null::retries, $1)', [more]);
    await bare.query('commit');
    inLoop += performance.now() - began;
  }
  const bareLoop = `a bare loop that inserts the same rows, ${ROWS} a transaction`;
  const playingRatio = (playing / (inLoop / 1000)).toFixed(2);
  say(`${bareLoop}: ${(inLoop / 1000).toFixed(1)} s; playing ${playingRatio}× of it (at most 1.5)`);

  const initial = () => initialState({ seed: 1, now: Date.now(), empty: false });
  const around = { systemNow: Date.now, signal: new AbortController().signal };
  const engine = engineOver(new PostgresStore({ url: ours.url, initial }), around);
  const service = engine.backend(LOCAL_CREDENTIALS);

  // Pages and statistics ----------------------------------------------------------------------------------------------
  const last = Math.max(0, calls - 1000);
  const pages: number[] = [];
  for (const offset of [0, Math.floor(calls / 2), last]) {
    const times: number[] = [];
    for (let at = 0; at < 7; at++) {
      const began = performance.now();
      await service.getCallLogs({ limit: 1000, offset });
      times.push(performance.now() - began);
    }
    pages.push(median(times));
  }
  const times = pages.map((ms) => ms.toFixed(1)).join(', ');
  const apart = (Math.max(...pages) / Math.min(...pages)).toFixed(2);
  say(`a page of 1,000 at offsets 0, ${Math.floor(calls / 2)} and ${last}: ${times} ms, ${apart}× (at most 3)`);

  const counting = performance.now();
  const snapshot = await engine.timeline.stored();
  await snapshot.callCounts?.({ ...dayRange(undefined, undefined), agentId: undefined });
  say(`statistics of ${calls} calls by SQL: ${seconds(counting).toFixed(2)} s (at most 2 for 1,000,000)`);

  // Single calls ------------------------------------------------------------------------------------------------------
  const single = async () =>
    void (await service.triggerCall({
      ...{ use_agent_id: 1, called_to: '+14155550190', call_from: '+14155550100', custom_first_line: 'Hello.' },
      custom_identifiers: '',
    }));
  await bare.query('create table one (id bigserial primary key, text text)');
  const insert = async () => void (await bare.query('insert into one (text) values ($1)', ['a line of a call']));
  const rounds: { calls: number; inserts: number }[] = [];
  // In turns: what the server does besides, such as cleaning up after a million calls, slows both.
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ calls: await rateOf(single, 64), inserts: await rateOf(insert, 1) });
  }
  const [called, inserted] = [median(rounds.map((one) => one.calls)), median(rounds.map((one) => one.inserts))];
  const beside = `${(called / inserted).toFixed(1)}× of one insert a commit (${inserted.toFixed(0)} a second; at least 5)`;
  say(`single calls by 64 at once: ${called.toFixed(0)} a second, ${beside}`);
  await client.end();
  await bare.end();
});

/** How often `body` ends in a second, done by so many at once. */
async function rateOf(body: () => Promise<void>, atOnce: number): Promise<number> {
  const until = performance.now() + ROUND;
  let done = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (; performance.now() < until; done++) await body();
    }),
  );
  return done / (ROUND / 1000);
}

function told({ milliseconds, megabytes }: Measured): string {
  return `${(milliseconds / 1000).toFixed(1)} s, ${megabytes.toFixed(0)} MB at the peak (at most 250)`;
}
