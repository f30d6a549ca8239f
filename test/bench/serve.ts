/** Requests a second of `vagent serve` on loopback: durable calls, and voices. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import autocannon from 'autocannon';
import { addressOf, BIN, Workplace } from './workplace.ts';

const CONNECTIONS = 64;
const SECONDS = 5;
const CREDENTIALS = { organization_id: 1, api_key: 'local-demo-key' };

const place = new Workplace();
place.vagent('local', 'topup', '900000', '--store', place.path('store'));
const server = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json', '--store', place.path('store')], {
  env: { ...process.env, HOME: place.folder },
  stdio: ['ignore', 'pipe', 'ignore'],
});
const bare = createServer((request, response) => {
  request
    .resume()
    .on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}'));
});
try {
  const url = await addressOf(server);
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;

  const body = JSON.stringify({
    ...CREDENTIALS,
    use_agent_id: 1,
    called_to: '+14155550123',
    call_from: '+14155550100',
    custom_first_line: 'Hello, this is Ava.',
    custom_identifiers: '',
  });
  const post = { method: 'POST' as const, headers: { 'content-type': 'application/json' }, body };
  const query = new URLSearchParams({ ...CREDENTIALS, organization_id: '1', language: 'en' });
  process.stdout.write(`vagent serve, ${CONNECTIONS} connections, ${SECONDS} s each\n`);
  await load('bare node:http, POST', { url: bareUrl, ...post });
  await load('trigger-call (at least 2,000 a second, p99 at most 100 ms)', { url: `${url}/trigger-call`, ...post });
  await load('get-voices (at least 8,000 a second)', { url: `${url}/get-voices?${query}` });
} finally {
  server.kill('SIGINT');
  bare.close();
  bare.closeAllConnections();
  place.remove();
}

async function load(name: string, options: autocannon.Options): Promise<void> {
  const { requests, latency, non2xx, errors } = await autocannon({
    connections: CONNECTIONS,
    duration: SECONDS,
    ...options,
  });
  process.stdout.write(
    `  ${name}: ${Math.round(requests.average)} a second, p99 ${latency.p99} ms, ${non2xx + errors} failed\n`,
  );
}
