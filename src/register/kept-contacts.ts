/**
 * Who a campaign calls, kept beside the register: the service tells of calls, not of campaigns, and only with the contacts at
 * hand can be said what came of each.
 */
import { join } from 'node:path';
import type { ContactKey } from '../contract.ts';
import { FileError } from '../errors.ts';
import { Appender, type FileSystem, makePrivateFolder, syncFolder } from '../files.ts';

const FOLDER = 'campaigns';

function contactsPath(folder: string, entry: number): string {
  return join(folder, FOLDER, `${entry}.jsonl`);
}

/** Keeps the contacts of one entry, durably. */
export function keepContacts(fs: FileSystem, folder: string, entry: number, contacts: Iterable<ContactKey>): void {
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

/** The contacts of one entry, in the order they were sent. Throws FileError for a damaged line, and system errors. */
export function readKeptContacts(fs: FileSystem, folder: string, entry: number): ContactKey[] {
  const path = contactsPath(folder, entry);
  const lines = fs.readFileSync(path, 'utf8').split('\n');
  lines.pop();
  return lines.map((line, at) => parseContact(line) ?? damaged(path, at + 1));
}

export function dropContacts(fs: FileSystem, folder: string, entry: number): void {
  fs.rmSync(contactsPath(folder, entry), { force: true });
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
  throw new FileError(`${path}: line ${line} is damaged: it is no contact.`, {
    code: 'register_damaged',
    hint: 'Mend it from the file that the campaign was made of; nothing else is affected.',
  });
}
