/**
 * While one organization of a served database creates a campaign of a million contacts: how long the others wait for a call and a page of
 * their log, how long its own calls wait, and how long the server hears nobody at all.
 */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { localCredentials } from '../../src/contract.ts';
import { dropSchema } from '../support/sql.ts';
import { addressOf, BIN, Workplace } from './workplace.ts';

const ADDRESS = process.env.VAGENT_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test';
const CONTACTS = Number(process.env.VAGENT_BENCH_CONTACTS ?? 1_000_000);
/** Milliseconds between two requests of one client. */
const PAUSE = 50;

const place = new Workplace();
const schema = `bench_wait_${process.pid}`;
const address = new URL(ADDRESS);
address.searchParams.set('schema', schema);
for (const command of [
  ['topup', '1000000'],
  ['org', 'add'],
])
  place.vagent('local', ...command, '--store', address.href);
place.vagent('local', 'topup', '1000000', '--org', '2', '--store', address.href);
const server = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json', '--store', address.href], {
  env: { ...process.env, HOME: place.folder },
  stdio: ['ignore', 'pipe', 'inherit'],
});

interface Waits {
  name: string;
  longest: number;
  answers: Record<string, number>;
}

let isOver = false;

async function client(name: string, ask: () => Promise<Response>): Promise<Waits> {
  const waits: Waits = { name, longest: 0, answers: {} };
  while (!isOver) {
    const begun = performance.now();
    const answer = await ask().then(
      async (response) => {
        await response.arrayBuffer();
        return String(response.status);
      },
      () => 'cut',
    );
    waits.longest = Math.max(waits.longest, performance.now() - begun);
    waits.answers[answer] = (waits.answers[answer] ?? 0) + 1;
    await delay(PAUSE);
  }
  return waits;
}

try {
  const url = await addressOf(server);
  const post = (path: string, body: Buffer | object) =>
    fetch(`${url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
  const call = (organizationId: number) =>
    post('trigger-call', {
      ...localCredentials(organizationId),
      ...{ use_agent_id: organizationId, called_to: '+14155550123', call_from: '+14155550100' },
      ...{ custom_first_line: 'Hello.', custom_identifiers: '' },
    });
  const page = (organizationId: number) => {
    const { organization_id, api_key } = localCredentials(organizationId);
    return fetch(`${url}/get-call-logs?organization_id=${organization_id}&api_key=${api_key}&limit=10`);
  };
  const campaign = Buffer.from(
    JSON.stringify({
      ...localCredentials(1),
      ...{ campaign_name: 'Many', agent_id: 1, call_from: '+14155550100', start_time: '2099-01-01T00:00:00Z' },
      contacts: Array.from({ length: CONTACTS }, (_none, at) => ({
        phone_number: `+1415${String(5_560_000 + (at % 1_000_000)).padStart(7, '0')}`,
        ...{ custom_first_line: `Hello ${at}, this is Ava`, custom_identifiers: `crm-${at}` },
      })),
    }),
  );
  const clients = [
    client('another organization: a call', () => call(2)),
    client('another organization: a page', () => page(2)),
    client('the same organization: a call', () => call(1)),
    client('the same organization: a page', () => page(1)),
    client('nobody: a path that is not there', () => fetch(`${url}/none`)),
  ];
  await delay(2_000);
  const begun = performance.now();
  const answer = await post('create-campaign', campaign);
  const took = performance.now() - begun;
  await delay(1_000);
  isOver = true;
  process.stdout.write(
    `${CONTACTS} contacts, ${(campaign.length / 1e6).toFixed(0)} MB: ${answer.status} after ${Math.round(took)} ms\n`,
  );
  for (const { name, longest, answers } of await Promise.all(clients))
    process.stdout.write(
      `  ${name.padEnd(36)} ${String(Math.round(longest)).padStart(6)} ms at most  ${JSON.stringify(answers)}\n`,
    );
} finally {
  server.removeAllListeners('exit');
  server.kill();
  await dropSchema(address.href, schema);
  place.remove();
}
