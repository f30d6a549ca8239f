/** Four servers of one database, sixteen clients, a minute, two of the servers killed each second: what must hold, and how long what was due waited. */
import { initialState } from '../../src/engine/state.ts';
import { engineOver } from '../../src/local/open.ts';
import { PostgresStore } from '../../src/local/postgres/postgres-store.ts';
import { serveByMany } from '../support/many-servers.ts';
import { dropSchema } from '../support/sql.ts';
import { Workplace } from './workplace.ts';

const ADDRESS = process.env.VAGENT_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test';
const SECONDS = Number(process.env.VAGENT_BENCH_SECONDS ?? 60);
const schema = `bench_many_${process.pid}`;
const address = new URL(ADDRESS);
address.searchParams.set('schema', schema);
const url = address.href;

const place = new Workplace();
const organizations = new PostgresStore({
  url,
  initial: () => initialState({ seed: 1, now: Date.now(), empty: false }),
});
const engine = engineOver(organizations, { systemNow: Date.now, signal: new AbortController().signal });
try {
  const { acknowledged, refused, kills, calls, wrong, longestDue } = await serveByMany(engine, {
    ...{ url, home: place.folder, servers: 4, clients: 16, lasts: SECONDS * 1_000, killsASecond: 2, contacts: 20_000 },
  });
  process.stdout.write(
    `${SECONDS} s, 4 servers, 16 clients: ${kills} kills, ${acknowledged} calls acknowledged, ${refused} not, ${calls} in the log\n` +
      `what was due waited ${Math.round(longestDue)} ms at most (at most 2,000)\n` +
      `${wrong.length === 0 ? 'Nothing is wrong.' : wrong.join('\n')}\n`,
  );
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await dropSchema(url, schema);
  place.remove();
}
