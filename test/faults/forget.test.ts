/**
 * Forgetting, and whatever may go wrong with its files at any moment: afterwards the register is as it was, or the campaign is
 * forgotten. In neither do the guards complain that something is missing, and what is said to be forgotten is gone.
 */

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
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
const FORGOTTEN = '+14155550122';
const REMEMBERED = '+14155550123';

function callerOver(fs: FileSystem, folder: string) {
  const register = new Register({ state: ownState(folder, fs), systemNow: () => 0, command: 'test', warn: () => {} });
  const service = {
    async createCampaign(): Promise<ResponseOf<'createCampaign'>> {
      return { success: true, campaign_id: 1 };
    },
  } as Partial<Service> as Service;
  const quiet = { redact: (text: string) => text, note: () => {}, warn: () => {} };
  const recording = { register, service: SERVICE, organizationId: 7, by: 'ana@desk', clockAhead: () => 0, ...quiet };
  const create = (phone_number: string) => {
    const rows = new KeptRows(['phone']);
    rows.add([phone_number]);
    const contacts = [{ phone_number }];
    const request = { campaign_name: 'Spring', agent_id: 3, call_from: '+14155550100', contacts };
    return recorded(service, recording, { rows }).createCampaign(request);
  };
  return { register, create };
}

async function withTwoCampaigns(): Promise<string> {
  const folder = join(temporaryFolder(), 'state');
  mkdirSync(folder, { mode: 0o700 });
  const { create } = callerOver(hastyFiles, folder);
  await create(FORGOTTEN);
  await create(REMEMBERED);
  return folder;
}

async function forgetWith(kind: FaultKind | undefined, at: number) {
  const folder = await withTwoCampaigns();
  const faulty = new FaultyFiles(folder);
  const disk = new Disk(folder);
  faulty.disk = disk;
  if (kind !== undefined) faulty.fault = { kind, at };
  const { register } = callerOver(faulty.files, folder);
  const error = await register
    .forget(({ sent }) => sent.entry === 1)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  faulty.die();
  return { folder, faulty, disk, error };
}

const kept = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    .join('\n');

const whole = await forgetWith(undefined, 0);

test('without faults nothing is left', () => {
  expect(whole.error).toBeUndefined();
  expect(whole.faulty.left).toEqual([]);
  expect(kept(whole.folder)).not.toContain(FORGOTTEN);
  expect(kept(whole.folder)).toContain(REMEMBERED);
});

describe('a fault', () => {
  const seen = new Set<string>();
  test.each(everyFault(whole.faulty.calls))('$kind at call $at of the file system', async ({ kind, at }) => {
    const { folder, faulty, disk, error } = await forgetWith(kind, at);
    expect(faulty.misused).toEqual([]);
    if (error !== undefined) expect(error).toBeInstanceOf(FileError);
    for (const place of placesOf({ folder, disk }, { seen, circumstances: String(error === undefined) })) {
      const { register, create } = callerOver(hastyFiles, place);
      const { ledger, damage } = register.survey();
      expect(damage).toBeUndefined();
      expect(ledger.campaigns(SERVICE)).toHaveLength(2);
      const isForgotten = ledger.forgotten.has(1);
      if (error === undefined && place === folder) expect(isForgotten).toBe(true);
      await expect(create(REMEMBERED)).rejects.toThrow(UsageError);
      if (!isForgotten) {
        expect([...(register.rowsOf(1)?.rows ?? [])]).toEqual([[FORGOTTEN]]);
        await expect(create(FORGOTTEN)).rejects.toThrow(UsageError);
      } else {
        // Whoever sends next, or forgets again, removes what was left.
        await register.forget(() => false);
        expect(kept(place)).not.toContain(FORGOTTEN);
        await expect(create(FORGOTTEN)).resolves.toMatchObject({ success: true });
      }
    }
  });
});
