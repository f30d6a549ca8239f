/**
 * Who a campaign calls, kept beside the register: the service tells of calls, not of campaigns, and only with the contacts at
 * hand can be said what came of each.
 */
import { join } from 'node:path';
import type { Contact } from '../contract.ts';
import { Appender, type FileSystem, makePrivateFolder, syncFolder } from '../files.ts';

export type KeptContact = Pick<Contact, 'phone_number' | 'custom_identifiers'>;

const FOLDER = 'campaigns';

function contactsPath(folder: string, entry: number): string {
  return join(folder, FOLDER, `${entry}.jsonl`);
}

/** Keeps the contacts of one entry, durably. */
export function keepContacts(fs: FileSystem, folder: string, entry: number, contacts: readonly KeptContact[]): void {
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

/** The contacts of one entry, in the order they were sent. Throws system errors. */
export function readKeptContacts(fs: FileSystem, folder: string, entry: number): KeptContact[] {
  const text = fs.readFileSync(contactsPath(folder, entry), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
