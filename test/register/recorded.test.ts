/** On the way to a service, contacts are gone through no more often than needed: there may be a million. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Contact, checkContacts } from '../../src/contract.ts';
import { isWaveOf, type SentLine } from '../../src/register/lines.ts';
import { CHOOSE_ANEW } from '../../src/register/planned-wave.ts';
import { type Recording, recorded, requireNew } from '../../src/register/recorded.ts';
import { Register } from '../../src/register/register.ts';
import { exportLines } from '../../src/register/transfer/export-lines.ts';
import { ImportCheck } from '../../src/register/transfer/import-lines.ts';
import { remoteBackend } from '../../src/remote/client.ts';
import { ownState } from '../../src/state/state-folder.ts';
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
  const options = { state: ownState(folder), systemNow: () => 0, command: 'test', warn: () => {} };
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
    now: Date.now,
  });
  const direct = backend({ organization_id: 1, api_key: 'key' });
  const service = recorded(direct, recording, {});
  const kept = () => readFileSync(join(folder, 'campaigns', '1.jsonl'), 'utf8').split('\n').length - 1;
  return { server, recording, direct, service, kept };
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
    const { recording, server, direct: service } = await setUp();
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

describe('a wave of a plan', () => {
  const contacts = checkedContacts([{ phone_number: '+14155550101' }]);
  const request = { ...CAMPAIGN, contacts };
  const wave = (number: number, lookedAt: number) => ({ id: 3, wave: number, createdAt: 5000, lookedAt });
  const outcomes = (register: Register) =>
    [...register.requests().requests].map(({ sent, outcome }) => [
      sent.operation === 'createCampaign' ? sent.plan : undefined,
      outcome,
    ]);
  const mark = (number: number) => ({ id: 3, wave: number, created_at: '1970-01-01T00:00:05.000Z' });

  test('is recorded with its plan, repeats calls unasked, and is a campaign to all others', async () => {
    const { recording, direct } = await setUp();
    await recorded(direct, recording, {}).createCampaign(request);
    await recorded(direct, recording, { plan: wave(1, 1) }).createCampaign(request);
    await recorded(direct, recording, { plan: wave(2, 2) }).createCampaign(request);
    expect(outcomes(recording.register)).toEqual([
      [undefined, 'accepted'],
      [mark(1), 'accepted'],
      [mark(2), 'accepted'],
    ]);
    const [last] = recording.register.campaigns(recording.service, 1).campaigns;
    const isWave = (plan_id: number, createdAt: number) => isWaveOf(last?.sent as SentLine, { plan_id, createdAt });
    expect([isWave(3, 5000), isWave(4, 5000), isWave(3, 6000)]).toEqual([true, false, false]);
    const again = recorded(direct, recording, {}).createCampaign(request);
    await expect(again).rejects.toMatchObject({ code: 'repeated_campaign' });
  });

  test('is refused if something was sent since it was chosen', async () => {
    const { server, recording, direct } = await setUp();
    await recorded(direct, recording, {}).createCampaign(request);
    const late = recorded(direct, recording, { plan: wave(1, 0) }).createCampaign(request);
    await expect(late).rejects.toMatchObject({ code: CHOOSE_ANEW, exitCode: 7 });
    expect(outcomes(recording.register)).toHaveLength(1);
    expect(server.received).toHaveLength(1);
  });

  test('is not sent where its entry cannot be noted', async () => {
    const { server, recording, direct } = await setUp();
    const onEntry = () => {
      throw new Error('the disk is full');
    };
    const sent = recorded(direct, recording, { plan: wave(1, 0), onEntry }).createCampaign(request);
    await expect(sent).rejects.toThrow('the disk is full');
    expect(server.received).toEqual([]);
    expect(outcomes(recording.register)).toEqual([[mark(1), 'not_sent']]);
  });

  test('is still one when whom it called is forgotten, and where it is taken over', async () => {
    const { recording, direct } = await setUp();
    await recorded(direct, recording, { plan: wave(1, 0) }).createCampaign(request);
    await recording.register.forget(() => true);
    await recorded(direct, recording, { plan: wave(2, 1) }).createCampaign(request);
    const path = join(temporaryFolder(), 'register.ndjson');
    writeFileSync(path, [...exportLines(recording.register, (text) => text)].join(''));
    const check = new ImportCheck(path);
    for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) check.take(line);
    check.finish();
    const { recording: other } = await setUp();
    await other.register.takeOver(path, check.requests);
    expect(outcomes(other.register)).toEqual([
      [mark(1), 'accepted'],
      [mark(2), 'accepted'],
    ]);
  });
});
