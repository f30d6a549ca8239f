/** On the way to a service, contacts are gone through no more often than needed: there may be a million. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Contact, checkContacts } from '../../src/contract.ts';
import { systemFiles } from '../../src/files/file-system.ts';
import { type Recording, recorded, requireNew } from '../../src/register/recorded.ts';
import { Register } from '../../src/register/register.ts';
import { remoteBackend } from '../../src/remote/client.ts';
import { checkedContacts } from '../support/contacts.ts';
import { sendJson, startServer } from '../support/http.ts';
import { temporaryFolder } from '../support/program.ts';

const HOW_MANY = 2500;
const ANSWER = { success: true, campaign_id: 9, campaign_name: 'Spring', status: 'running', total_contacts: HOW_MANY };

/** Contacts that count how often their numbers are looked at. */
class Watched {
  readonly contacts: Contact[];
  looks = 0;

  constructor() {
    this.contacts = Array.from({ length: HOW_MANY }, (_, at) => this.#contact(`+1415${5_560_000 + at}`));
  }

  #contact(number: string): Contact {
    const look = () => {
      this.looks++;
      return number;
    };
    return Object.defineProperty({}, 'phone_number', { get: look, enumerable: true }) as Contact;
  }

  /** Looks at each contact since the last time. */
  take(): number {
    const looks = this.looks / HOW_MANY;
    this.looks = 0;
    return looks;
  }
}

async function setUp() {
  const server = await startServer((_request, response) => sendJson(response, 200, ANSWER));
  const folder = temporaryFolder();
  const options = { fs: systemFiles, folder, systemNow: () => 0, command: 'test', warn: () => {} };
  const recording: Recording = {
    register: new Register(options),
    service: server.url,
    organizationId: 1,
    by: 'ana@desk',
    clockAhead: () => undefined,
    redact: (text) => text,
    note: () => {},
    warn: () => {},
  };
  const backend = remoteBackend({
    baseUrl: new URL(server.url),
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    proxy: undefined,
    redact: (text) => text,
    onRequest: () => {},
    random: () => 0,
  });
  const service = recorded(backend({ organization_id: 1, api_key: 'key' }), recording, {});
  const kept = () => readFileSync(join(folder, 'campaigns', '1.jsonl'), 'utf8').split('\n').length - 1;
  return { server, recording, service, kept };
}

const CAMPAIGN = { campaign_name: 'Spring', agent_id: 1, call_from: '+14155550100' };

describe('contacts on the way to a service', () => {
  test('are checked once, fingerprinted once, kept once and written to the wire once', async () => {
    const { server, recording, service, kept } = await setUp();
    const watched = new Watched();
    const contacts = checkedContacts(watched.contacts);
    expect(watched.take()).toBe(1);
    const request = { ...CAMPAIGN, contacts };
    requireNew({ operation: 'createCampaign', request }, recording, {});
    expect(watched.take()).toBe(1);
    await service.createCampaign(request);
    expect(watched.take()).toBe(2);
    expect(kept()).toBe(HOW_MANY);
    expect(JSON.parse(server.received[0]?.body ?? '').contacts).toHaveLength(HOW_MANY);
  });

  test('that nobody checked before are checked here, once', async () => {
    const { service } = await setUp();
    const watched = new Watched();
    await service.createCampaign({ ...CAMPAIGN, contacts: watched.contacts });
    expect(watched.take()).toBe(4);
  });

  test('are not sent where one is wrong, though a list of the same was checked before', async () => {
    const { server, service } = await setUp();
    const contacts = checkedContacts([{ phone_number: '+14155550101' }]);
    const sent = service.createCampaign({ ...CAMPAIGN, contacts: [...contacts, { phone_number: '12' }] });
    await expect(sent).rejects.toMatchObject({ issues: [{ field: 'contacts.1.phone_number' }] });
    expect(server.received).toEqual([]);
  });
});

describe('a checked list', () => {
  test('cannot be changed, and is not the list that was given', () => {
    const given: Contact[] = [{ phone_number: '+14155550101' }];
    const list = checkedContacts(given);
    given.push({ phone_number: '12' });
    expect(list).toEqual([{ phone_number: '+14155550101' }]);
    expect(() => (list as unknown as Contact[]).push({ phone_number: '12' })).toThrow(TypeError);
    expect(checkContacts(given)).toMatchObject({ ok: false });
  });
});

describe('a campaign in two parts', () => {
  test('is told its entry before it is sent, and the second part names the first, whose numbers it may call', async () => {
    const { recording, server } = await setUp();
    const backend = remoteBackend({
      baseUrl: new URL(server.url),
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      proxy: undefined,
      redact: (text) => text,
      onRequest: () => {},
      random: () => 0,
    });
    const service = backend({ organization_id: 1, api_key: 'key' });
    const contacts = checkedContacts([{ phone_number: '+14155550101' }]);
    let entry: number | undefined;
    const onEntry = (given: number) => {
      expect(server.received).toEqual([]);
      entry = given;
    };
    await recorded(service, recording, { onEntry }).createCampaign({ ...CAMPAIGN, contacts });
    expect(entry).toBe(1);
    const both = checkedContacts([{ phone_number: '+14155550101' }, { phone_number: '+14155550102' }]);
    const second = { ...CAMPAIGN, contacts: both };
    await expect(recorded(service, recording, {}).createCampaign(second)).rejects.toThrow('was sent before');
    await recorded(service, recording, { partOf: entry }).createCampaign(second);
    const { campaigns } = recording.register.campaigns(server.url, 1);
    expect(campaigns.map(({ sent }) => sent.part_of)).toEqual([1, undefined]);
  });
});
