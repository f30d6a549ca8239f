/**
 * The service that examples speak of, https://voice.example.com: real TLS on this machine, reached as people behind a
 * company's proxy reach theirs, with HTTPS_PROXY and NODE_EXTRA_CA_CERTS.
 */
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { sendJson } from './http.ts';
import { temporaryFolder } from './program.ts';

/** Its own signer, for a name that belongs to nobody: it opens nothing. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBejCCAR+gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBF2b2ljZS5l
eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRdm9pY2UuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAAQxfRDqiKQwopwz3UviTU9Wh9BVZXIKIOL087YCqdBuYCwcZtMsnvTfQuqz
NjfnBJbRwhky47Pe/9XeoFixz3TJo1AwTjAcBgNVHREEFTATghF2b2ljZS5leGFt
cGxlLmNvbTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBRFFLqcFbLaSeBNZhZN
x3jLBV4CpTAKBggqhkjOPQQDAgNJADBGAiEAqyhfC1DRO5Lzb4FZg/3SlV8KhUIh
6vGmq1SlIgw/zFgCIQDmBo5lfFMvvx9zzq8lI96Pgs8sSEiBmA2AlX1deN6NwQ==
-----END CERTIFICATE-----
`;
const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmGU3DGPnonAjAMpR
3qIETIlH4S5hixBM/3UCEOgi6S2hRANCAAQxfRDqiKQwopwz3UviTU9Wh9BVZXIK
IOL087YCqdBuYCwcZtMsnvTfQuqzNjfnBJbRwhky47Pe/9XeoFixz3TJ
-----END PRIVATE KEY-----
`;

const AGENTS = [{ agent_id: 4, agent_name: 'Recall', status: 'paused', language: 'en', voice_id: 3 }];

const CAMPAIGN = { success: true, campaign_id: 91, campaign_name: 'Spring', status: 'running', total_contacts: 25 };

/** The environment in which https://voice.example.com/api is there, its clock standing at `now`. */
export async function voiceExample(now: string): Promise<Record<string, string>> {
  const service = createHttpsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, ({ url = '', socket }, response) => {
    response.setHeader('date', new Date(now).toUTCString());
    if (url.startsWith('/api/get-agents?')) sendJson(response, 200, { success: true, agents: AGENTS, total: 1 });
    else if (url.startsWith('/api/get-call-logs?')) sendJson(response, 200, { success: true, calls: [], total: 0 });
    else if (url === '/api/create-campaign') sendJson(response, 200, CAMPAIGN);
    // The one that goes wrong in the README.
    else if (url === '/api/trigger-call') socket.destroy();
    else sendJson(response, 404, { message: `There is no ${url}.` });
  });
  const servicePort = await listening(service);
  const proxy = createHttpServer();
  proxy.on('connect', ({ url }, socket) => {
    if (url !== 'voice.example.com:443') return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const upstream = connect(servicePort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on('error', () => {});
  });
  const certificate = join(temporaryFolder(), 'voice-example.pem');
  writeFileSync(certificate, CERTIFICATE);
  return { HTTPS_PROXY: `http://127.0.0.1:${await listening(proxy)}`, NODE_EXTRA_CA_CERTS: certificate };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  return (server.address() as AddressInfo).port;
}
