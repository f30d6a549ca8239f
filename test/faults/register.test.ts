/**
 * The register, and whatever may go wrong with its files at any moment: a request that was sent is in it, whatever happens to
 * the machine afterwards; one that could not be written down is not sent; and no entry of before is lost.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ResponseOf, Service } from '../../src/contract.ts';
import { FileError, UsageError } from '../../src/errors.ts';
import type { FileSystem } from '../../src/files.ts';
import { recorded } from '../../src/register/recorded.ts';
import { Register } from '../../src/register/register.ts';
import { Disk, FAULTS, type FaultKind, FaultyFiles, hastyFiles, KEPT, writeImage } from '../support/faulty-files.ts';
import { temporaryFolder } from '../support/program.ts';

const SERVICE = 'https://voice.example.com';
const EARLIER = '+14155550122';
const TO = '+14155550123';

const requestTo = (called_to: string) => ({
  use_agent_id: 3,
  called_to,
  call_from: '+14155550100',
  custom_first_line: 'Hello.',
  custom_identifiers: '',
});

/** One process: what it tells of the files is as told in `fs`, and `sent` hears of each call that leaves. */
function callerOver(fs: FileSystem, folder: string, sent: () => void) {
  const register = new Register({ fs, folder, systemNow: () => 0, command: 'test', warn: () => {} });
  const service = {
    async triggerCall(): Promise<ResponseOf<'triggerCall'>> {
      sent();
      return { success: true };
    },
  } as Partial<Service> as Service;
  const recording = {
    register,
    service: SERVICE,
    organizationId: 7,
    by: 'ana@desk',
    redact: (text: string) => text,
    warn: () => {},
    localTime: (at: string) => at,
    look: () => 'a look',
  };
  const call = (number: string) => recorded(service, recording, {}).triggerCall(requestTo(number));
  return { register, call };
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

async function callWith(kind: FaultKind | undefined, at: number): Promise<Ending> {
  const folder = await withAnEarlierCall();
  const faulty = new FaultyFiles(folder);
  const disk = new Disk(folder);
  faulty.disk = disk;
  if (kind !== undefined) faulty.fault = { kind, at };
  let sentAfter: number | undefined;
  const caller = callerOver(faulty.files, folder, () => {
    sentAfter = faulty.calls.length;
  });
  const error = await caller.call(TO).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  faulty.die();
  return { folder, faulty, disk, sentAfter, error };
}

const whole = await callWith(undefined, 0);
const calls = whole.faulty.calls.length;

test('a call without faults makes its line durable before it leaves', () => {
  expect(whole.error).toBeUndefined();
  const before = whole.faulty.calls.slice(0, whole.sentAfter);
  expect(before.filter((call) => call.startsWith('fsync'))).toEqual(['fsyncSync register.jsonl', 'fsyncSync .']);
  expect(whole.faulty.calls.slice(whole.sentAfter)).toContain('fsyncSync register.jsonl');
  expect(whole.faulty.left).toEqual([]);
});

describe.each(FAULTS)('%s', (kind) => {
  test.each(Array.from({ length: calls }, (_none, at) => at + 1))('at call %i of the file system', async (at) => {
    const { folder, faulty, disk, sentAfter, error } = await callWith(kind, at);
    expect(faulty.misused).toEqual([]);
    if (sentAfter === undefined) expect(error).toBeInstanceOf(FileError);
    // Once it is sent, what happens to the register no longer changes what is told of the call.
    else expect(error).toBeUndefined();

    // As the next process finds it, and as it is found after a power cut.
    const places = [folder];
    for (const kept of KEPT) {
      const place = join(temporaryFolder(), 'state');
      mkdirSync(place);
      writeImage(place, disk.image(kept));
      places.push(place);
    }
    for (const place of places) {
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
