/**
 * The contacts of each campaign, kept beside the register. The service reports calls, not campaigns, so the result for each
 * contact can be found only if the contacts are kept here.
 */
import { join } from 'node:path';
import type { Contact } from '../contract.ts';
import { FileError, systemCode } from '../errors.ts';
import { Appender } from '../files/appender.ts';
import type { FileSystem } from '../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../files/folder.ts';
import { readLines } from '../files/json-lines.ts';
import { countLines, type OriginalRows, readRows, writeRows } from '../files/rows.ts';
import { contactLine } from '../text/contact-line.ts';
import type { KeptRows } from '../text/kept-rows.ts';
import { masked, maskedLines } from '../text/redact.ts';
import { type Called, calledBy } from './called.ts';
import { readNumbers } from './kept-numbers.ts';
import { keepPhones, readKeptPhones } from './kept-phones.ts';

const FOLDER = 'campaigns';

/** Where everything about single campaigns is kept. */
export function contactsFolder(folder: string): string {
  return join(folder, FOLDER);
}

export function contactsPath(folder: string, entry: number): string {
  return join(folder, FOLDER, `${entry}.jsonl`);
}

export function rowsPath(folder: string, entry: number): string {
  return join(folder, FOLDER, `${entry}.rows.jsonl`);
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
  const names = namesIn(fs, folder);
  const last = (ending: string) => names.reduce((most, name) => Math.max(most, entryOf(name, ending)), 0);
  return { contacts: last('.jsonl'), phones: last('.phones') };
}

function entryOf(name: string, ending: string): number {
  const entry = name.endsWith(ending) ? name.slice(0, -ending.length) : '';
  return /^[1-9]\d{0,14}$/.test(entry) ? Number(entry) : 0;
}

/** The contacts of a campaign, in the order of the request, and in the form that the guards compare. */
export interface CalledContacts {
  contacts: readonly Contact[];
  /** Their original rows, if they came from a file. */
  rows: KeptRows | undefined;
  called: Called;
  /** Masks the key, which somebody may have pasted into a text. */
  redact: (text: string) => string;
}

/** Keeps the contacts of one entry and their original rows, durably. */
export function keepContacts(fs: FileSystem, folder: string, entry: number, callees: CalledContacts): void {
  makePrivateFolder(fs, join(folder, FOLDER));
  // Those of a program that was killed before it wrote the entry would be taken for rows of these contacts.
  fs.rmSync(rowsPath(folder, entry), { force: true });
  const file = new Appender(fs, contactsPath(folder, entry), 0);
  try {
    for (const lines of linesOf(callees)) file.append(lines);
    file.finish();
  } catch (error) {
    file.abandon();
    throw error;
  }
  if (callees.rows !== undefined) writeRows(fs, rowsPath(folder, entry), callees.rows.file(callees.redact));
  syncFolder(fs, join(folder, FOLDER));
}

/** Characters of lines that are masked and written together, which saves time. */
const WRITTEN_TOGETHER = 1 << 14;

/** The number comes first, which is how `readNumbers` finds it, and stays as it is. */
function* linesOf({ contacts, redact }: CalledContacts): Generator<string, void> {
  const maskTexts = (contact: unknown) => {
    const { phone_number, ...texts } = contact as Contact;
    return { phone_number, ...masked(texts, redact) };
  };
  let lines = '';
  for (const contact of contacts) {
    lines += contactLine(contact);
    if (lines.length < WRITTEN_TOGETHER) continue;
    yield maskedLines(lines, redact, maskTexts);
    lines = '';
  }
  yield maskedLines(lines, redact, maskTexts);
}

/** Keeps what the guards compare, for an entry that is already in the register. */
export function keepCalled(fs: FileSystem, folder: string, entry: number, { called }: CalledContacts): void {
  keepPhones(fs, phonesPath(folder, entry), called);
}

/**
 * The contacts of one entry, in the order they were sent; without their texts where an earlier version kept them. Throws
 * FileError for a damaged line, and system errors.
 */
export function* readKeptContacts(fs: FileSystem, folder: string, entry: number): Generator<Contact, void> {
  const path = contactsPath(folder, entry);
  for (const { number, text } of readLines(fs, path)) yield parseContact(text) ?? damaged(path, number);
}

/**
 * The original rows of one entry's contacts; undefined if none were kept. Throws FileError if they are damaged or not as many
 * as the contacts, and system errors.
 */
export function readKeptRows(fs: FileSystem, folder: string, entry: number): OriginalRows | undefined {
  if (!hasKeptRows(fs, folder, entry)) return undefined;
  return readRows(fs, rowsPath(folder, entry), countLines(fs, contactsPath(folder, entry)));
}

export function hasKeptRows(fs: FileSystem, folder: string, entry: number): boolean {
  return fs.statSync(rowsPath(folder, entry), { throwIfNoEntry: false }) !== undefined;
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
  fs.rmSync(rowsPath(folder, entry), { force: true });
  fs.rmSync(phonesPath(folder, entry), { force: true });
}

/** Removes what is kept of the entries that are gone. Throws system errors. */
export function dropAllContacts(fs: FileSystem, folder: string, isGone: (entry: number) => boolean): void {
  let isDropped = false;
  for (const name of namesIn(fs, folder)) {
    const [, entry = ''] = /^([1-9]\d{0,14})\.(?:jsonl|rows\.jsonl|phones)(?:\.new)?$/.exec(name) ?? [];
    if (entry === '' || !isGone(Number(entry))) continue;
    fs.rmSync(join(folder, FOLDER, name), { force: true });
    isDropped = true;
  }
  if (isDropped) syncFolder(fs, join(folder, FOLDER));
}

function namesIn(fs: FileSystem, folder: string): string[] {
  try {
    return fs.readdirSync(join(folder, FOLDER)).map(String);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function parseContact(line: string): Contact | undefined {
  try {
    const contact: Partial<Contact> | null = JSON.parse(line);
    return typeof contact?.phone_number === 'string' ? (contact as Contact) : undefined;
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
