/**
 * `logs export` and `logs stats` of a million calls beside a bare loop; an export over HTTP by its concurrency; and one over
 * TLS and a network of 20 ms, beside the same pages each on a connection of its own.
 */
import { BIN, beside, CALLS, campaignOf, compare, measureIn } from './workplace.ts';

const ROUNDS = 3;
/** Pages of the log behind HTTP, and milliseconds for each. */
const PAGES = 50;
const LATENCY = 100;
const FAR_PAGES = 200;
/** Another build of the program, to be compared with. */
const OTHER = process.env.VAGENT_BENCH_OTHER;

await measureIn(async (place) => {
  const store = place.path('store');
  const out = ['--out', place.path('calls.csv')];
  place.vagent('local', 'topup', '900000', '--store', store);
  const pace = ['--calls-per-hour', '3600000', '--retry-attempts', '0'];
  place.vagent(...campaignOf('--contacts', place.contacts(CALLS), ...pace, '--store', store));
  place.vagent('local', 'advance', '--until-idle', '--store', store);
  compare(`${CALLS} calls of a local store`, ROUNDS, {
    'read, parsed and written with csv-stringify': () =>
      place.node([beside('bare-export.mjs'), store, place.path('bare.csv')]),
    'logs export (at most 2×, 200 MB)': () => place.vagent('logs', 'export', ...out, '--store', store),
    'logs stats (at most 1.5× of the export)': () => place.vagent('logs', 'stats', '--json', '--store', store),
  });

  const exported = (bin: string, pages: string, env = {}) =>
    place.time([process.execPath, bin, 'logs', 'export', ...out, '--concurrency', pages], env);
  await place.service('slow-log.mjs', String(PAGES), String(LATENCY));
  const byPages = {
    '--concurrency 1': () => exported(BIN, '1'),
    '--concurrency 4 (at most 0.33×)': () => exported(BIN, '4'),
  };
  compare(`logs export of ${PAGES} pages, ${LATENCY} ms each`, ROUNDS, byPages, { isWarm: true });

  const url = await place.service('far-log.mjs', String(FAR_PAGES));
  const trust = { NODE_EXTRA_CA_CERTS: beside('../support/certificates/authority.pem') };
  const bare = [process.execPath, beside('bare-pages.mjs'), url, String(FAR_PAGES), '4'];
  const byConnections = {
    'node:https, a connection a page': () => place.time(bare, trust),
    'logs export (at most 0.77×)': () => exported(BIN, '4', trust),
    ...(OTHER !== undefined && { [`logs export of ${OTHER}`]: () => exported(OTHER, '4', trust) }),
  };
  compare(`${FAR_PAGES} pages behind TLS and 20 ms, 4 at a time`, 5, byConnections, { isWarm: true });
});
