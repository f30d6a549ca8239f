/**
 * The contacts of each campaign, kept beside the register. The service reports calls, not campaigns, so the result for each
 * contact can be found only if the contacts are kept here.
 */
import { join } from 'node:path';
import type { ContactKey } from '../contract.ts';
import { FileError, systemCode } from '../errors.ts';
import { Appender } from '../files/appender.ts';
import type { FileSystem } from '../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../files/folder.ts';
import { readLines } from '../files/json-lines.ts';
import { type Called, calledBy } from './called.ts';
import { readNumbers } from './kept-numbers.ts';
import { keepPhones, readKeptPhones } from './kept-phones.ts';

const FOLDER = 'campaigns';

export function contactsPath(folder: string, entry: number): string {
  return join(folder, FOLDER, `${entry}.jsonl`);
}

function phonesPath(folder: string, entry: number): string {
  return join(folder, FOLDER, `${entry}.phones`);
}

/** The last entries with kept contacts and with kept phones; 0 if there are none. */
export interface LastKept {
  contacts: number;
  /** Phones are written after the entry is in the register. */
  phones: number;
}

/** Throws system errors. */
export function lastKept(fs: FileSystem, folder: string): LastKept {
  try {
    const names = fs.readdirSync(join(folder, FOLDER)).map(String);
    const last = (ending: string) => names.reduce((most, name) => Math.max(most, entryOf(name, ending)), 0);
    return { contacts: last('.jsonl'), phones: last('.phones') };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { contacts: 0, phones: 0 };
    throw error;
  }
}

function entryOf(name: string, ending: string): number {
  const entry = name.endsWith(ending) ? name.slice(0, -ending.length) : '';
  return /^[1-9]\d{0,14}$/.test(entry) ? Number(entry) : 0;
}

/** The contacts of a campaign, in the order of the request, and in the form that the guards compare. */
export interface CalledContacts {
  contacts: Iterable<ContactKey>;
  called: Called;
}

/** Keeps the contacts of one entry, durably. */
export function keepContacts(fs: FileSystem, folder: string, entry: number, { contacts }: CalledContacts): void {
  makePrivateFolder(fs, join(folder, FOLDER));
  const file = new Appender(fs, contactsPath(folder, entry), 0);
  try {
    for (const { phone_number, custom_identifiers } of contacts) {
      file.append(`${JSON.stringify({ phone_number, custom_identifiers })}\n`);
    }
    file.finish();
  } catch (error) {
    file.abandon();
    throw error;
  }
  syncFolder(fs, join(folder, FOLDER));
}

/** Keeps what the guards compare, for an entry that is already in the register. */
export function keepCalled(fs: FileSystem, folder: string, entry: number, { called }: CalledContacts): void {
  keepPhones(fs, phonesPath(folder, entry), called);
}

/** The contacts of one entry, in the order they were sent. Throws FileError for a damaged line, and system errors. */
export function readKeptContacts(fs: FileSystem, folder: string, entry: number): ContactKey[] {
  const path = contactsPath(folder, entry);
  const contacts: ContactKey[] = [];
  for (const { number, text, isWhole } of readLines(fs, path)) {
    if (isWhole) contacts.push(parseContact(text) ?? damaged(path, number));
  }
  return contacts;
}

/**
 * The phones of one entry's contacts, ascending and without repeats; the array is reused by the next read. `numbersSha256` and
 * `count` are the register's values. Throws FileError if the kept contacts do not match them, and system errors.
 */
export function readPhones(
  fs: FileSystem,
  folder: string,
  entry: number,
  { numbersSha256, count }: { numbersSha256: string; count: number },
): Float64Array {
  const kept = readKeptPhones(fs, phonesPath(folder, entry), numbersSha256);
  if (kept !== undefined) return kept;
  const path = contactsPath(folder, entry);
  const called = calledBy(readNumbers(fs, path, count));
  if (called.numbersSha256 !== numbersSha256) {
    throw new FileError(`${path} is damaged: its numbers are not those that were sent.`, { code: 'register_damaged' });
  }
  keepPhones(fs, phonesPath(folder, entry), called);
  return called.phones;
}

export function dropContacts(fs: FileSystem, folder: string, entry: number): void {
  fs.rmSync(contactsPath(folder, entry), { force: true });
  fs.rmSync(phonesPath(folder, entry), { force: true });
}

function parseContact(line: string): ContactKey | undefined {
  try {
    const contact: Partial<ContactKey> | null = JSON.parse(line);
    return typeof contact?.phone_number === 'string' ? (contact as ContactKey) : undefined;
  } catch {
    return undefined;
  }
}

function damaged(path: string, line: number): never {
  throw new FileError(`${path}: line ${line} is damaged: it is not a contact.`, {
    code: 'register_damaged',
    hint: 'Restore it from the file with which the campaign was created.',
  });
}
