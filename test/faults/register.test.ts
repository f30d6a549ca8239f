/**
 * The register, and whatever may go wrong with its files at any moment: a request that was sent is in it, whatever happens to
 * the machine afterwards; one that could not be written down is not sent; and no entry of before is lost.
 */

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ResponseOf, Service } from '../../src/contract.ts';
import { FileError, UsageError } from '../../src/errors.ts';
import type { FileSystem } from '../../src/files/file-system.ts';
import { recorded } from '../../src/register/recorded.ts';
import { Register } from '../../src/register/register.ts';
import { ownState } from '../../src/state/state-folder.ts';
import { KeptRows } from '../../src/text/kept-rows.ts';
import { Disk, everyFault, type FaultKind, FaultyFiles, hastyFiles, placesOf } from '../support/faulty-files.ts';
import { temporaryFolder } from '../support/program.ts';

const SERVICE = 'https://voice.example.com';
const EARLIER = '+14155550122';
const TO = '+14155550123';
const OTHER = '+14155550124';

const requestTo = (called_to: string) => ({
  use_agent_id: 3,
  called_to,
  call_from: '+14155550100',
  custom_first_line: 'Hello.',
  custom_identifiers: '',
});

const campaignOf = (numbers: string[]) => ({
  campaign_name: 'Spring',
  agent_id: 3,
  call_from: '+14155550100',
  contacts: numbers.map((phone_number) => ({ phone_number })),
});

/** One process: what it tells of the files is as told in `fs`, and `sent` hears of each call that leaves. */
function callerOver(fs: FileSystem, folder: string, sent: () => void) {
  const register = new Register({ state: ownState(folder, fs), systemNow: () => 0, command: 'test', warn: () => {} });
  const service = {
    async triggerCall(): Promise<ResponseOf<'triggerCall'>> {
      sent();
      return { success: true };
    },
    async createCampaign(): Promise<ResponseOf<'createCampaign'>> {
      sent();
      return { success: true, campaign_id: 1 };
    },
  } as Partial<Service> as Service;
  const recording = {
    register,
    service: SERVICE,
    organizationId: 7,
    by: 'ana@desk',
    clockAhead: () => undefined,
    redact: (text: string) => text,
    note: () => {},
    warn: () => {},
  };
  const call = (number: string) => recorded(service, recording, {}).triggerCall(requestTo(number));
  const create = (...numbers: string[]) => {
    const rows = new KeptRows(['phone', 'name']);
    for (const number of numbers) rows.add([number, 'Ana']);
    return recorded(service, recording, { rows }).createCampaign(campaignOf(numbers));
  };
  return { register, call, create };
}

/** A register with one call that is known to have been placed. */
async function withAnEarlierCall(): Promise<string> {
  const folder = join(temporaryFolder(), 'state');
  mkdirSync(folder, { mode: 0o700 });
  await callerOver(hastyFiles, folder, () => {}).call(EARLIER);
  return folder;
}

interface Ending {
  folder: string;
  faulty: FaultyFiles;
  disk: Disk;
  /** Calls of the file system that had been made when the request left; undefined where it did not. */
  sentAfter: number | undefined;
  error: unknown;
}

type Send = (caller: ReturnType<typeof callerOver>) => Promise<unknown>;
const placesACall: Send = ({ call }) => call(TO);
const createsACampaign: Send = ({ create }) => create(TO, OTHER);

async function sendWith(send: Send, kind: FaultKind | undefined, at: number): Promise<Ending> {
  const folder = await withAnEarlierCall();
  const faulty = new FaultyFiles(folder);
  const disk = new Disk(folder);
  faulty.disk = disk;
  if (kind !== undefined) faulty.fault = { kind, at };
  let sentAfter: number | undefined;
  const caller = callerOver(faulty.files, folder, () => {
    sentAfter = faulty.calls.length;
  });
  const error = await send(caller).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  faulty.die();
  return { folder, faulty, disk, sentAfter, error };
}

const whole = await sendWith(placesACall, undefined, 0);

test('a call without faults makes its line durable before it leaves', () => {
  expect(whole.error).toBeUndefined();
  const before = whole.faulty.calls.slice(0, whole.sentAfter);
  expect(before.filter((call) => call.startsWith('fsync'))).toEqual(['fsyncSync register.jsonl', 'fsyncSync .']);
  expect(whole.faulty.calls.slice(whole.sentAfter)).toContain('fsyncSync register.jsonl');
  expect(whole.faulty.left).toEqual([]);
});

describe('a call', () => {
  const seen = new Set<string>();
  test.each(everyFault(whole.faulty.calls))('$kind at call $at of the file system', async ({ kind, at }) => {
    const { folder, faulty, disk, sentAfter, error } = await sendWith(placesACall, kind, at);
    expect(faulty.misused).toEqual([]);
    if (sentAfter === undefined) expect(error).toBeInstanceOf(FileError);
    // Once it is sent, what happens to the register no longer changes what is told of the call.
    else expect(error).toBeUndefined();

    for (const place of placesOf({ folder, disk }, { seen, circumstances: String(sentAfter !== undefined) })) {
      const next = callerOver(hastyFiles, place, () => {});
      const { ledger, damage } = next.register.survey();
      expect(damage, readFileSync(next.register.path, 'utf8')).toBeUndefined();
      expect(ledger.lastEntry).toBeGreaterThanOrEqual(sentAfter === undefined ? 1 : 2);
      expect(ledger.unknownCall(SERVICE, EARLIER)).toBeUndefined();
      const isUnknown = ledger.unknownCall(SERVICE, TO) !== undefined;
      const isKnown = readFileSync(next.register.path, 'utf8').includes('"entry":2,"event":"ended"') && !isUnknown;
      if (sentAfter !== undefined) expect(isUnknown || isKnown).toBe(true);
      if (isUnknown) await expect(next.call(TO)).rejects.toThrow(UsageError);
      else await expect(next.call(TO)).resolves.toEqual({ success: true });
      await expect(next.call('+14155550129')).resolves.toEqual({ success: true });
    }
  });
});

describe('a campaign', async () => {
  const campaign = await sendWith(createsACampaign, undefined, 0);

  test('without faults makes its contacts and its line durable before it leaves', () => {
    expect(campaign.error).toBeUndefined();
    const before = campaign.faulty.calls.slice(0, campaign.sentAfter);
    expect(before.filter((call) => call.startsWith('fsync'))).toEqual([
      'fsyncSync .',
      'fsyncSync campaigns/2.jsonl',
      'fsyncSync campaigns/2.rows.jsonl',
      'fsyncSync campaigns',
      'fsyncSync register.jsonl',
      'fsyncSync .',
    ]);
    expect(campaign.faulty.left).toEqual([]);
  });

  const seen = new Set<string>();
  test.each(everyFault(campaign.faulty.calls))('$kind at call $at of the file system', async ({ kind, at }) => {
    const { folder, faulty, disk, sentAfter, error } = await sendWith(createsACampaign, kind, at);
    expect(faulty.misused).toEqual([]);
    if (sentAfter === undefined) expect(error).toBeInstanceOf(FileError);
    else expect(error).toBeUndefined();

    for (const place of placesOf({ folder, disk }, { seen, circumstances: String(sentAfter !== undefined) })) {
      const next = callerOver(hastyFiles, place, () => {});
      const { ledger, damage } = next.register.survey();
      expect(damage).toBeUndefined();
      // It can be said whom it called: the guards refuse, and do not ask for a file to be mended.
      if (ledger.campaigns(SERVICE).length > 0) await expect(next.create(OTHER, EARLIER)).rejects.toThrow(UsageError);
      else await expect(next.create(OTHER, EARLIER)).resolves.toMatchObject({ success: true });
      if (sentAfter !== undefined) expect(ledger.campaigns(SERVICE)).toHaveLength(1);
      // Its rows are those of its contacts, also where a program was killed before.
      for (const { sent } of ledger.campaigns(SERVICE)) {
        expect([...(next.register.rowsOf(sent.entry)?.rows ?? [])]).toEqual([
          [TO, 'Ana'],
          [OTHER, 'Ana'],
        ]);
      }
    }
  });
});
