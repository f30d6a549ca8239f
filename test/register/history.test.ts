/** What was sent before, in the order of time: lines that came from another machine stand behind later ones. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Ledger } from '../../src/register/ledger.ts';
import type { Line, Outcome, SentCall, SentCampaign } from '../../src/register/lines.ts';
import { writtenLine } from '../../src/register/lines.ts';
import { Register } from '../../src/register/register.ts';
import { ownState } from '../../src/state/state-folder.ts';
import { setUp } from '../support/calling-service.ts';
import { startServer } from '../support/http.ts';
import { temporaryFolder } from '../support/program.ts';

const SERVICE = 'https://voice.example.com/api';
const TO = '+14155550123';
const minute = (at: number) => new Date(Date.UTC(2026, 10, 20, 9, at)).toISOString();
const common = { event: 'sent', by: 'ana@desk', service: SERVICE, organization_id: 7 } as const;

function call(entry: number, at: number, called_to = TO): SentCall {
  const request = {
    use_agent_id: 3,
    called_to,
    call_from: '+14155550100',
    custom_first_line: '',
    custom_identifiers: '',
  };
  return { entry, ...common, at: minute(at), operation: 'triggerCall', request };
}

function campaign(entry: number, at: number): SentCampaign {
  const request = { campaign_name: `At ${at}`, agent_id: 3, call_from: '+14155550100' };
  const contacts = { count: 1, numbers_sha256: `${entry}` };
  return { entry, ...common, at: minute(at), operation: 'createCampaign', request, contacts };
}

const ended = (entry: number, at: number, outcome: Outcome, more = {}): Line => {
  return { entry, event: 'ended', at: minute(at), outcome, answer: { success: true }, ...more };
};

function registerOf(lines: readonly Line[], tail = '') {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'register.jsonl'), `${lines.map((line) => `${writtenLine(line)}\n`).join('')}${tail}`);
  return new Register({ state: ownState(folder), systemNow: () => 0, command: 'test', warn: () => {} });
}

describe('a call', () => {
  const cases: Record<string, { lines: Line[]; unknown: number[] }> = {
    'that was accepted clears those before it': {
      lines: [call(1, 1), call(2, 2), ended(2, 3, 'accepted')],
      unknown: [],
    },
    'that was accepted earlier, and written later, clears no later one': {
      lines: [call(1, 5), call(2, 2), ended(2, 3, 'accepted')],
      unknown: [1],
    },
    'of the same instant goes by its entry': {
      lines: [call(1, 5), call(2, 5), ended(1, 6, 'accepted')],
      unknown: [2],
    },
    'that was refused clears itself alone': {
      lines: [call(1, 5), call(2, 2), ended(2, 3, 'refused')],
      unknown: [1],
    },
    'of unknown outcome is the last by its time, not by its entry': {
      lines: [call(1, 5), call(2, 2)],
      unknown: [2, 1],
    },
  };
  test.each(Object.entries(cases))('%s', (_name, { lines, unknown }) => {
    const ledger = new Ledger();
    for (const line of lines) ledger.take(line);
    expect(ledger.unknownCalls.map(({ entry }) => entry)).toEqual(unknown);
    expect(ledger.unknownCall(SERVICE, TO)?.entry).toBe(unknown.at(-1));
  });
});

test('campaigns are listed newest first by time', () => {
  const { campaigns } = registerOf([campaign(1, 5), campaign(2, 2), campaign(3, 9)]).campaigns(SERVICE, 7);
  expect(campaigns.map(({ sent }) => sent.entry)).toEqual([3, 1, 2]);
});

describe('the history', () => {
  test('holds what was or may have been carried out, in the order of sending, with what came of it', () => {
    const lines = [
      campaign(1, 5),
      ended(1, 6, 'accepted', { clock_ahead: -2500 }),
      call(2, 7),
      ended(2, 8, 'refused'),
      call(3, 9),
      ended(3, 10, 'not_sent'),
      call(4, 11),
      ended(4, 12, 'unknown'),
      call(5, 1, '+14155550124'),
      { ...call(6, 12), organization_id: 8 },
      { ...call(7, 12), service: 'https://other.example.com' },
      { ...campaign(8, 13), service: 'http://VOICE.example.com:80/api/', part_of: 1 },
    ];
    const { campaigns, calls, damage } = registerOf(lines, '{"entry":9,"ev').history(SERVICE, 7);
    expect(damage).toBeUndefined();
    expect(calls.map(({ sent, outcome }) => [sent.entry, outcome])).toEqual([
      [5, undefined],
      [4, 'unknown'],
    ]);
    expect(campaigns).toMatchObject([
      { sent: { entry: 1 }, outcome: 'accepted', endedAt: Date.parse(minute(6)), clockAhead: -2500 },
      { sent: { entry: 8, part_of: 1 } },
    ]);
    expect(calls[1]).not.toHaveProperty('clockAhead');
    const { calls: wanted } = registerOf(lines).history(SERVICE, 7, ({ entry }) => entry > 4);
    expect(wanted.map(({ sent }) => sent.entry)).toEqual([5]);
  });

  test('of a register with a damaged line has the rest, and the damage', () => {
    const { path } = registerOf([call(1, 1)], 'nonsense\n');
    const folder = join(path, '..');
    writeFileSync(path, `${readFileSync(path, 'utf8')}${writtenLine(call(3, 2))}\n`);
    const register = new Register({ state: ownState(folder), systemNow: () => 0, command: 'test', warn: () => {} });
    const { calls, damage } = register.history(SERVICE, 7);
    expect(calls.map(({ sent }) => sent.entry)).toEqual([1, 3]);
    expect(damage?.message).toContain('line 2 is damaged');
  });

  test('of a register that does not exist is empty', () => {
    const register = new Register({
      state: ownState(temporaryFolder()),
      systemNow: () => 0,
      command: '',
      warn: () => {},
    });
    expect(register.history(SERVICE, 7)).toEqual({ campaigns: [], calls: [], forgotten: [], damage: undefined });
  });
});

describe.concurrent('the clock of the service', () => {
  const CALL = ['call', TO, '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
  describe('that is an hour ahead', async () => {
    const { operator, lines } = await setUp();
    const server = await startServer((_request, response) => {
      const date = new Date(Date.now() + 3_600_000).toUTCString();
      response.writeHead(200, { 'content-type': 'application/json', date }).end('{"success":true}');
    });
    test('is written down with the outcome', async () => {
      expect(await operator.run(CALL, { env: { VAGENT_BASE_URL: server.url } })).toMatchObject({ code: 0 });
      const { clock_ahead = 0 } = lines().at(-1) as { clock_ahead?: number };
      expect(Math.abs(clock_ahead - 3_600_000)).toBeLessThan(60_000);
    });
  });
  describe('that is not told', async () => {
    const { operator, lines } = await setUp();
    const server = await startServer((_request, response) => {
      response.sendDate = false;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}');
    });
    test('is not guessed', async () => {
      expect(await operator.run(CALL, { env: { VAGENT_BASE_URL: server.url } })).toMatchObject({ code: 0 });
      expect(lines().at(-1)).not.toHaveProperty('clock_ahead');
    });
  });
});

describe.concurrent('kept contacts', () => {
  const CREATE = ['campaign', 'create', '--name', 'Spring', '--agent', '3', '--from', '+14155550100', '--yes'];
  describe('of a campaign', async () => {
    const { operator } = await setUp();
    test('hold everything that was sent, without the key', async () => {
      const input =
        'phone_number,custom_first_line,custom_instruction,custom_identifiers\n' +
        '+14155550190,"Hi ""Ana"", sk-PLANTED-key.",Be short.,crm-1\n+14155550191,,,\n';
      expect(await operator.run([...CREATE, '--contacts', '-'], { input })).toMatchObject({ code: 0 });
      const folder = join(operator.home, '.local/state/vagent');
      const kept = readFileSync(join(folder, 'campaigns/1.jsonl'), 'utf8');
      expect(kept).not.toContain('PLANTED');
      expect(kept).toMatch(/^\{"phone_number":"\+14155550190",/);
      const register = new Register({ state: ownState(folder), systemNow: () => 0, command: '', warn: () => {} });
      expect(register.contactsOf(1)).toEqual([
        {
          phone_number: '+14155550190',
          custom_first_line: 'Hi "Ana", <API_KEY>.',
          custom_instruction: 'Be short.',
          custom_identifiers: 'crm-1',
        },
        { phone_number: '+14155550191' },
      ]);
    });
  });
});
