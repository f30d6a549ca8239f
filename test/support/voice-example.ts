/**
 * The service that examples speak of, https://voice.example.com: real TLS on this machine, reached as people behind a
 * company's proxy reach theirs, with HTTPS_PROXY and NODE_EXTRA_CA_CERTS.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { sendJson } from './http.ts';
import { AUTHORITY, listen, type Refusal, startProxy } from './wire.ts';

/**
 * Its own signer, for a name that belongs to nobody: it opens nothing. Node.js reads at its start whom to trust: the processes
 * of tests, too, are started with it (`process-start.ts`).
 */
const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmGU3DGPnonAjAMpR
3qIETIlH4S5hixBM/3UCEOgi6S2hRANCAAQxfRDqiKQwopwz3UviTU9Wh9BVZXIK
IOL087YCqdBuYCwcZtMsnvTfQuqzNjfnBJbRwhky47Pe/9XeoFixz3TJ
-----END PRIVATE KEY-----
`;

const AGENT = { agent_id: 4, agent_name: 'Recall', language: 'en', voice_id: 3 };

const CAMPAIGN = { success: true, campaign_id: 91, campaign_name: 'Spring', status: 'running', total_contacts: 25 };

/**
 * The environment in which https://voice.example.com/api is there, its clock standing at `now`. `afterwards` is what somebody
 * makes of the agent when its campaign is created.
 */
export async function voiceExample(now: string, afterwards = 'paused'): Promise<Record<string, string>> {
  let status = 'active';
  const service = createServer(
    { cert: readFileSync(AUTHORITY), key: PRIVATE_KEY },
    ({ url = '', socket }, response) => {
      response.setHeader('date', new Date(now).toUTCString());
      if (url.startsWith('/api/get-agents?'))
        sendJson(response, 200, { success: true, agents: [{ ...AGENT, status }], total: 1 });
      else if (url.startsWith('/api/get-call-logs?')) sendJson(response, 200, { success: true, calls: [], total: 0 });
      else if (url === '/api/create-campaign') {
        status = afterwards;
        sendJson(response, 200, CAMPAIGN);
      }
      // The one that goes wrong in the README.
      else if (url === '/api/trigger-call') socket.destroy();
      else sendJson(response, 404, { message: `There is no ${url}.` });
    },
  );
  const proxy = await startProxy(refuseOthers, { port: await listen(service) });
  return { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: AUTHORITY };
}

const refuseOthers: Refusal = ({ url }, socket) => {
  if (url === 'voice.example.com:443') return undefined;
  socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  return true;
};
