/**
 * While one organization of a served database creates a campaign of a million contacts: how long the others wait for a call and
 * a page of their log, how long its own calls wait, and how long the server hears nobody at all.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { localCredentials } from '../../src/contract.ts';
import { CONTACTS, measureIn, phoneAt, say } from './workplace.ts';

/** Milliseconds between two requests of one client. */
const PAUSE = 50;

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

await measureIn(async (place) => {
  const store = place.database('wait').url;
  place.vagent('local', 'topup', '1000000', '--store', store);
  place.vagent('local', 'org', 'add', '--store', store);
  place.vagent('local', 'topup', '1000000', '--org', '2', '--store', store);
  const { url } = await place.serve(store);
  const headers = { 'content-type': 'application/json' };
  const post = (path: string, body: string) => fetch(`${url}/${path}`, { method: 'POST', headers, body });
  const call = (organizationId: number) => {
    const numbers = { use_agent_id: organizationId, called_to: '+14155550123', call_from: '+14155550100' };
    const texts = { custom_first_line: 'Hello.', custom_identifiers: '' };
    return post('trigger-call', JSON.stringify({ ...localCredentials(organizationId), ...numbers, ...texts }));
  };
  const page = (organizationId: number) => {
    const { organization_id, api_key } = localCredentials(organizationId);
    return fetch(`${url}/get-call-logs?organization_id=${organization_id}&api_key=${api_key}&limit=10`);
  };
  const campaign = JSON.stringify({
    ...localCredentials(1),
    ...{ campaign_name: 'Many', agent_id: 1, call_from: '+14155550100', start_time: '2099-01-01T00:00:00Z' },
    contacts: Array.from({ length: CONTACTS }, (_none, at) => ({
      phone_number: phoneAt(at % 1_000_000),
      ...{ custom_first_line: `Hello ${at}, this is Ava`, custom_identifiers: `crm-${at}` },
    })),
  });
  const clients = [
    client('another organization: a call', () => call(2)),
    client('another organization: a page', () => page(2)),
    client('the same organization: a call', () => call(1)),
    client('the same organization: a page', () => page(1)),
    client('nobody: a path that is not there', () => fetch(`${url}/none`)),
  ];
  await delay(2_000);
  const begun = performance.now();
  const { status } = await post('create-campaign', campaign);
  const took = Math.round(performance.now() - begun);
  await delay(1_000);
  isOver = true;
  say(`${CONTACTS} contacts, ${(campaign.length / 1e6).toFixed(0)} MB: ${status} after ${took} ms`);
  for (const { name, longest, answers } of await Promise.all(clients)) {
    const figure = String(Math.round(longest)).padStart(6);
    say(`  ${name.padEnd(36)} ${figure} ms at most  ${JSON.stringify(answers)}`);
  }
});
