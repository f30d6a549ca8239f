/** On the way to a service, contacts are gone through no more often than needed: there may be a million. */
import { describe, expect, test } from 'vitest';
import { type Contact, checkContacts } from '../../src/contract.ts';
import { remoteBackend } from '../../src/http/client/client.ts';
import { recorded, requireNew } from '../../src/register/guards.ts';
import { ringing } from '../../src/register/requests.ts';
import { checkedContacts } from '../support/contacts.ts';
import { Desk } from '../support/desk.ts';
import { sendJson, startServer } from '../support/http.ts';
import { temporaryFolder } from '../support/program.ts';

const HOW_MANY = 2500;
const ANSWER = { success: true, campaign_id: 9, campaign_name: 'Spring', status: 'running', total_contacts: HOW_MANY };
const CAMPAIGN = { campaign_name: 'Spring', agent_id: 1, call_from: '+14155550100' };

/** Contacts that count how often their numbers are looked at; and the looks at each since the last time. */
function watchedContacts(): { contacts: Contact[]; take: () => number } {
  let looks = 0;
  const contacts = Array.from({ length: HOW_MANY }, (_, at) => {
    const get = () => {
      looks++;
      return `+1415${5_560_000 + at}`;
    };
    return Object.defineProperty({}, 'phone_number', { get, enumerable: true }) as Contact;
  });
  const take = () => {
    const taken = looks / HOW_MANY;
    looks = 0;
    return taken;
  };
  return { contacts, take };
}

async function setUp() {
  const server = await startServer((_request, response) => sendJson(response, 200, ANSWER));
  const desk = await Desk.at(temporaryFolder());
  const recording = desk.recording({ service: server.url });
  const backend = remoteBackend({
    baseUrl: new URL(server.url),
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    proxy: undefined,
    redact: (text) => text,
    onRequest: () => {},
    random: () => 0,
    now: Date.now,
  });
  const remote = backend({ organization_id: 1, api_key: 'key' });
  const service = ringing(remote, (sent, send) => recorded(sent, send, recording, {}));
  return { server, desk, recording, service };
}

describe('contacts on the way to a service', () => {
  test('are checked once, fingerprinted once, kept once and written to the wire once', async () => {
    const { server, desk, recording, service } = await setUp();
    const watched = watchedContacts();
    const contacts = checkedContacts(watched.contacts);
    expect(watched.take()).toBe(1);
    const request = { ...CAMPAIGN, contacts };
    await requireNew({ operation: 'createCampaign', request }, recording, {});
    expect(watched.take()).toBe(1);
    await service.createCampaign(request);
    // And once to ask whether any of them opted out.
    expect(watched.take()).toBe(3);
    const kept = await desk.rows.read((sql) => sql.all('select count(*) as kept from request_contacts'));
    expect(kept).toEqual([{ kept: HOW_MANY }]);
    expect(JSON.parse(server.received[0]?.body ?? '').contacts).toHaveLength(HOW_MANY);
  });

  test('are neither sent nor kept where one is wrong, though a list of the same was checked before', async () => {
    const { server, desk, service } = await setUp();
    const contacts = checkedContacts([{ phone_number: '+14155550101' }]);
    const sent = service.createCampaign({ ...CAMPAIGN, contacts: [...contacts, { phone_number: '12' }] });
    await expect(sent).rejects.toMatchObject({ issues: [{ field: 'contacts.1.phone_number' }] });
    expect(server.received).toEqual([]);
    expect(await desk.register.lastEntry()).toBe(0);
  });
});

test('a checked list cannot be changed, and is not the list that was given', () => {
  const given: Contact[] = [{ phone_number: '+14155550101' }];
  const list = checkedContacts(given);
  given.push({ phone_number: '12' });
  expect(list).toEqual([{ phone_number: '+14155550101' }]);
  expect(() => (list as unknown as Contact[]).push({ phone_number: '12' })).toThrow(TypeError);
  expect(checkContacts(given)).toMatchObject({ ok: false });
});
