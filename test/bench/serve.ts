/** Requests a second of `vagent serve` on loopback: durable calls, and voices. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import autocannon from 'autocannon';
import { LOCAL_CREDENTIALS } from '../../src/contract.ts';
import { measureIn, say } from './workplace.ts';

const CONNECTIONS = 64;
const SECONDS = 5;

const bare = createServer((request, response) => {
  request
    .resume()
    .on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}'));
});
await measureIn(async (place) => {
  place.vagent('local', 'topup', '900000', '--store', place.path('store'));
  const { url } = await place.serve(place.path('store'));
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const body = JSON.stringify({
    ...{ ...LOCAL_CREDENTIALS, use_agent_id: 1, called_to: '+14155550123', call_from: '+14155550100' },
    ...{ custom_first_line: 'Hello, this is Ava.', custom_identifiers: '' },
  });
  const post = { method: 'POST' as const, headers: { 'content-type': 'application/json' }, body };
  const query = new URLSearchParams({ ...LOCAL_CREDENTIALS, organization_id: '1', language: 'en' });
  say(`vagent serve, ${CONNECTIONS} connections, ${SECONDS} s each`);
  await load('bare node:http, POST', { url: `http://127.0.0.1:${(bare.address() as AddressInfo).port}`, ...post });
  await load('trigger-call (at least 2,000 a second, p99 at most 100 ms)', { url: `${url}/trigger-call`, ...post });
  await load('get-voices (at least 8,000 a second)', { url: `${url}/get-voices?${query}` });
});
bare.close();
bare.closeAllConnections();

async function load(name: string, options: autocannon.Options): Promise<void> {
  const limits = { connections: CONNECTIONS, duration: SECONDS };
  const { requests, latency, non2xx, errors } = await autocannon({ ...limits, ...options });
  say(`  ${name}: ${Math.round(requests.average)} a second, p99 ${latency.p99} ms, ${non2xx + errors} failed`);
}
