/**
 * Four servers of one database, sixteen clients, a minute, two of the servers killed each second: what must hold, and how long what
 * was due waited.
 */
import { initialState } from '../../src/engine/state.ts';
import { engineOver } from '../../src/local/open.ts';
import { PostgresStore } from '../../src/local/postgres/postgres-store.ts';
import { serveByMany } from '../support/many-servers.ts';
import { measureIn, say, sizeOf } from './workplace.ts';

const SECONDS = sizeOf('SECONDS', 60);

await measureIn(async (place) => {
  const { url } = place.database('many');
  const initial = () => initialState({ seed: 1, now: Date.now(), empty: false });
  const around = { systemNow: Date.now, signal: new AbortController().signal };
  const engine = engineOver(new PostgresStore({ url, initial }), around);
  const { acknowledged, refused, kills, calls, wrong, longestDue } = await serveByMany(engine, {
    ...{ url, home: place.folder, servers: 4, clients: 16, lasts: SECONDS * 1_000, killsASecond: 2, contacts: 20_000 },
  });
  const counts = `${acknowledged} calls acknowledged, ${refused} not, ${calls} in the log`;
  say(`${SECONDS} s, 4 servers, 16 clients: ${kills} kills, ${counts}`);
  say(`what was due waited ${Math.round(longestDue)} ms at most (at most 2,000)`);
  say(wrong.length === 0 ? 'Nothing is wrong.' : wrong.join('\n'));
  process.exitCode = wrong.length === 0 ? 0 : 1;
});
