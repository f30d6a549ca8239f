/**
 * Taking over what another machine sent, and whatever may go wrong with the files at any moment: afterwards the register is as
 * it was, or has all of it. In both cases the guards know whom they can know, and nobody's contacts are left without a request.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RequestOf, ResponseOf, Service } from '../../src/contract.ts';
import { FileError, UsageError } from '../../src/errors.ts';
import type { FileSystem } from '../../src/files/file-system.ts';
import { recorded } from '../../src/register/recorded.ts';
import { Register } from '../../src/register/register.ts';
import { exportLines } from '../../src/register/transfer/export-lines.ts';
import { ImportCheck } from '../../src/register/transfer/import-lines.ts';
import { ownState } from '../../src/state/state-folder.ts';
import { KeptRows } from '../../src/text/kept-rows.ts';
import { Disk, everyFault, type FaultKind, FaultyFiles, hastyFiles, placesOf } from '../support/faulty-files.ts';
import { temporaryFolder } from '../support/program.ts';

const SERVICE = 'https://voice.example.com';
const HERE = '+14155550121';
const THERE = ['+14155550122', '+14155550123'];

function callerOver(fs: FileSystem, folder: string, by: string) {
  let now = 0;
  const register = new Register({
    state: ownState(folder, fs),
    systemNow: () => now++,
    command: 'test',
    warn: () => {},
  });
  const service = {
    async createCampaign({ contacts }: RequestOf<'createCampaign'>): Promise<ResponseOf<'createCampaign'>> {
      return { success: true, campaign_id: Number(contacts[0]?.phone_number.slice(-3)) };
    },
  } as Partial<Service> as Service;
  const quiet = { redact: (text: string) => text, note: () => {}, warn: () => {} };
  const recording = { register, service: SERVICE, organizationId: 7, by, clockAhead: () => 0, ...quiet };
  const create = (phone_number: string) => {
    const rows = new KeptRows(['phone']);
    rows.add([phone_number]);
    const contacts = [{ phone_number }];
    const request = { campaign_name: 'Spring', agent_id: 3, call_from: '+14155550100', contacts };
    return recorded(service, recording, { rows }).createCampaign(request);
  };
  return { register, create };
}

function newFolder(): string {
  const folder = join(temporaryFolder(), 'state');
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** The files of the other machine with their requests: before and after it forgot whom it called. */
async function exportsThere() {
  const { register, create } = callerOver(hastyFiles, newFolder(), 'bo@other');
  for (const number of THERE) await create(number);
  const full = checked(register);
  await register.forget(() => true);
  return { full, forgotten: checked(register) };
}

function checked(register: Register) {
  const text = [...exportLines(register, (line) => line)].join('');
  const path = join(temporaryFolder(), 'there.ndjson');
  writeFileSync(path, text);
  const check = new ImportCheck(path);
  for (const line of text.trimEnd().split('\n')) check.take(line);
  check.finish();
  return { path, requests: check.requests };
}

const { full: foreign, forgotten } = await exportsThere();

async function takeOverWith(kind: FaultKind | undefined, at: number, before?: typeof forgotten) {
  const folder = newFolder();
  const earlier = callerOver(hastyFiles, folder, 'ana@desk');
  await earlier.create(HERE);
  if (before !== undefined) await earlier.register.takeOver(before.path, before.requests);
  const faulty = new FaultyFiles(folder);
  const disk = new Disk(folder);
  faulty.disk = disk;
  if (kind !== undefined) faulty.fault = { kind, at };
  const { register } = callerOver(faulty.files, folder, 'ana@desk');
  const error = await register.takeOver(foreign.path, foreign.requests).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  faulty.die();
  return { folder, faulty, disk, error };
}

const whole = await takeOverWith(undefined, 0);

test('without faults everything is durable', () => {
  expect(whole.error).toBeUndefined();
  expect(whole.faulty.left).toEqual([]);
  expect(readdirSync(whole.folder)).not.toContain('register.import');
});

describe('a fault', () => {
  const seen = new Set<string>();
  test.each(everyFault(whole.faulty.calls))('$kind at call $at of the file system', async ({ kind, at }) => {
    const { folder, faulty, disk, error } = await takeOverWith(kind, at);
    expect(faulty.misused).toEqual([]);
    if (error !== undefined) expect(error).toBeInstanceOf(FileError);
    for (const place of placesOf({ folder, disk }, { seen, circumstances: String(error === undefined) })) {
      const { register, create } = callerOver(hastyFiles, place, 'ana@desk');
      const { ledger, damage } = register.survey();
      expect(damage).toBeUndefined();
      const count = ledger.campaigns(SERVICE).length;
      expect([1, 3]).toContain(count);
      if (error === undefined && place === folder) expect(count).toBe(3);
      await expect(create(HERE)).rejects.toThrow(UsageError);
      if (count === 3) for (const number of THERE) await expect(create(number)).rejects.toThrow(UsageError);
      else {
        const own = readdirSync(join(place, 'campaigns')).filter((name) => !name.startsWith('1.'));
        expect(own).toEqual([]);
        await expect(create(THERE[0] as string)).resolves.toMatchObject({ success: true });
        expect([...(register.rowsOf(2)?.rows ?? [])]).toEqual([[THERE[0]]]);
      }
      // Again, after whatever happened, it is all there once.
      await register.takeOver(foreign.path, foreign.requests);
      const { campaigns } = register.campaigns(SERVICE, 7);
      expect(campaigns.filter(({ sent }) => sent.by === 'bo@other')).toHaveLength(2);
      for (const { sent } of campaigns) expect(register.contactsOf(sent.entry)).toHaveLength(1);
      expect(readFileSync(register.path, 'utf8').endsWith('\n')).toBe(true);
    }
  });
});

const restored = await takeOverWith(undefined, 0, forgotten);

describe('a fault, where the requests came before, forgotten', () => {
  const seen = new Set<string>();
  test.each(everyFault(restored.faulty.calls))('$kind at call $at of the file system', async ({ kind, at }) => {
    const { folder, faulty, disk, error } = await takeOverWith(kind, at, forgotten);
    expect(faulty.misused).toEqual([]);
    if (error !== undefined) expect(error).toBeInstanceOf(FileError);
    for (const place of placesOf({ folder, disk }, { seen, circumstances: String(error === undefined) })) {
      const { register, create } = callerOver(hastyFiles, place, 'ana@desk');
      const { ledger, damage } = register.survey();
      expect(damage).toBeUndefined();
      expect(ledger.campaigns(SERVICE)).toHaveLength(3);
      const left = ledger.forgotten.size;
      expect([0, 2]).toContain(left);
      if (error === undefined && place === folder) expect(left).toBe(0);
      await expect(create(HERE)).rejects.toThrow(UsageError);
      // What was not taken over leaves nobody's number.
      if (left > 0) expect(readdirSync(join(place, 'campaigns')).filter((name) => !name.startsWith('1.'))).toEqual([]);
      await register.takeOver(foreign.path, foreign.requests);
      for (const number of THERE) await expect(create(number)).rejects.toThrow(UsageError);
      for (const entry of [2, 3]) expect([...(register.rowsOf(entry)?.rows ?? [])]).toHaveLength(1);
    }
  });
});
