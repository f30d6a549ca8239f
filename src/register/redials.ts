/**
 * Lists of people to call again that were made from results, kept beside the register: a campaign to such people is no mistake,
 * although they were called before. A list is on the disk before anybody can send it.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';
import { type FileSystem, quietly } from '../files/file-system.ts';
import { makePrivateFolder } from '../files/folder.ts';
import { readText } from '../files/open.ts';
import { replaceFile } from '../files/replace.ts';
import { PHONE_KEY_RULES } from '../text/phone.ts';
import { calledBy } from './called.ts';

const FOLDER = 'redials';
const HOUR = 3_600_000;
/** Milliseconds. After this, too much can have happened that the list does not know. */
export const REDIAL_LASTS = 24 * HOUR;
/** Milliseconds. Until then it can be told that a list is too old; later it is removed, for it holds numbers of people. */
const KEPT_FOR = 7 * 24 * HOUR;

/** A campaign that the people of a list are from. */
export interface RedialledCampaign {
  entry: number;
  campaign_id: number;
  campaign_name: string;
}

export interface Redial {
  service: string;
  organizationId: number;
  /** When what was sent was read, in milliseconds since the epoch: of later requests the list knows nothing. */
  at: number;
  /** The last entry of the register then. */
  lastEntry: number;
  campaigns: readonly RedialledCampaign[];
  /** As `calledBy` returns them. */
  phones: Float64Array;
}

/** A list that is about to be written. `numbers` are the digits of E.164 numbers; they are sorted in place. */
export type NewRedial = Omit<Redial, 'phones'> & { numbers: Float64Array };

interface Written {
  at: string;
  service: string;
  organization_id: number;
  last_entry: number;
  campaigns: RedialledCampaign[];
  count: number;
  sha256: string;
  /** The bytes of the phones, in base64. */
  phones: string;
}

/** Keeps a list, durably, and removes those that are too old to matter. Throws system errors. */
export function keepRedial(fs: FileSystem, folder: string, redial: NewRedial): void {
  const { phones } = calledBy(redial.numbers);
  const bytes = Buffer.from(phones.buffer, phones.byteOffset, phones.byteLength);
  const written: Written = {
    at: new Date(redial.at).toISOString(),
    service: redial.service,
    organization_id: redial.organizationId,
    last_entry: redial.lastEntry,
    campaigns: redial.campaigns.map(({ entry, campaign_id, campaign_name }) => ({ entry, campaign_id, campaign_name })),
    count: phones.length,
    sha256: sealOf(bytes),
    phones: bytes.toString('base64'),
  };
  makePrivateFolder(fs, join(folder, FOLDER));
  const standing = numbersOf(fs, folder);
  replaceFile(fs, pathOf(folder, (standing[0] ?? 0) + 1), `${JSON.stringify(written)}\n`);
  for (const number of standing) {
    const old = readRedial(fs, folder, number);
    if (old !== undefined && old.at < redial.at - KEPT_FOR) quietly(() => fs.rmSync(pathOf(folder, number)));
  }
}

/** The newest first. One that cannot be read is passed over: then the guards are as strict as without it. */
export function* readRedials(fs: FileSystem, folder: string): Generator<Redial> {
  for (const number of numbersOf(fs, folder)) {
    const redial = readRedial(fs, folder, number);
    if (redial !== undefined) yield redial;
  }
}

/** Removes the lists that a forgotten campaign is in. Throws system errors. */
export function dropRedialsOf(fs: FileSystem, folder: string, isForgotten: (entry: number) => boolean): void {
  for (const number of numbersOf(fs, folder)) {
    const redial = readRedial(fs, folder, number);
    if (redial === undefined || redial.campaigns.some(({ entry }) => isForgotten(entry))) {
      fs.rmSync(pathOf(folder, number), { force: true });
    }
  }
}

/** Whether all of `phones` are in the list; both are ascending and without repeats. */
export function holdsAll(list: Float64Array, phones: Float64Array): boolean {
  if (phones.length > list.length) return false;
  let at = 0;
  for (const phone of phones) {
    while (at < list.length && (list[at] as number) < phone) at++;
    if (list[at] !== phone) return false;
  }
  return true;
}

function readRedial(fs: FileSystem, folder: string, number: number): Redial | undefined {
  try {
    const written = JSON.parse(readText(fs, pathOf(folder, number))) as Written;
    const bytes = Buffer.from(written.phones, 'base64');
    const at = Date.parse(written.at);
    if (written.sha256 !== sealOf(bytes) || Number.isNaN(at) || !Number.isSafeInteger(written.last_entry))
      return undefined;
    // A copy, because the bytes of a buffer need not begin where a number can.
    const phones = new Float64Array(new Uint8Array(bytes).buffer);
    const { service, organization_id: organizationId, last_entry: lastEntry, campaigns } = written;
    return phones.length === written.count ? { service, organizationId, at, lastEntry, campaigns, phones } : undefined;
  } catch {
    return undefined;
  }
}

/** The numbers of the lists, the newest first. */
function numbersOf(fs: FileSystem, folder: string): number[] {
  try {
    const names = fs.readdirSync(join(folder, FOLDER)).map(String);
    const numbers = names.flatMap((name) => (/^[1-9]\d{0,14}\.json$/.test(name) ? [Number.parseInt(name, 10)] : []));
    return numbers.sort((one, other) => other - one);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function pathOf(folder: string, number: number): string {
  return join(folder, FOLDER, `${number}.json`);
}

function sealOf(phones: Uint8Array): string {
  return createHash('sha256').update(`${PHONE_KEY_RULES}\n`).update(phones).digest('hex');
}
