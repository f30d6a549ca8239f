/** Keeps the contacts of requests that are taken over, and removes them again if the program was killed before it was done. */
import { join } from 'node:path';
import type { Contact } from '../../contract.ts';
import { FileError, systemCode } from '../../errors.ts';
import { Appender } from '../../files/appender.ts';
import { type FileSystem, quietly } from '../../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../../files/folder.ts';
import { readLines } from '../../files/json-lines.ts';
import { readText } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import { contactsFolder, contactsPath, dropAllContacts, rowsPath } from '../kept-contacts.ts';

/** Names the entries that are being taken over: their contacts come before their lines. */
function markPath(folder: string): string {
  return join(folder, 'register.import');
}

export interface NewEntries {
  first: number;
  last: number;
}

/** Durable before any contacts are kept for these entries. */
export function markTakeOver(fs: FileSystem, folder: string, entries: NewEntries): void {
  replaceFile(fs, markPath(folder), `${JSON.stringify(entries)}\n`);
}

export function endTakeOver(fs: FileSystem, folder: string): void {
  fs.rmSync(markPath(folder), { force: true });
  syncFolder(fs, folder);
}

/** Removes what a program left that was killed before its requests were in the register; `lastEntry` is the last one there. */
export function settleTakeOver(fs: FileSystem, folder: string, lastEntry: number): void {
  const entries = markedEntries(fs, folder);
  if (entries === undefined) return;
  const { first, last } = entries;
  const isDone = lastEntry >= last;
  if (!isDone) dropAllContacts(fs, folder, (entry) => entry >= first && entry <= last);
  endTakeOver(fs, folder);
}

/** What a program left that was killed, or may have been; undefined if nothing. Throws FileError if it is damaged. */
export function markedEntries(fs: FileSystem, folder: string): NewEntries | undefined {
  const path = markPath(folder);
  let text: string;
  try {
    text = readText(fs, path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const [, first, last] = /^\{"first":(\d{1,15}),"last":(\d{1,15})\}\n$/.exec(text) ?? [];
  if (first !== undefined && last !== undefined) return { first: Number(first), last: Number(last) };
  throw new FileError(`${path} is damaged: it does not name the entries of an import that was stopped.`, {
    code: 'register_damaged',
    hint: `Remove it, and the files in ${contactsFolder(folder)} with numbers above the last entry of the register. Then import again.`,
  });
}

/** One line of a file that was checked. */
type Line = { request?: { entry: number }; contact?: Contact; columns?: string[]; row?: string[] };

/** What is taken over of a request there: its contacts and rows, or its rows only; `entry` is the one here. */
export interface Taken {
  entry: number;
  isRowsOnly: boolean;
}

/** Copies the contacts of an exported register that was checked; `takenOf` tells of an entry there what is taken. */
export function takeContacts(
  fs: FileSystem,
  folder: string,
  path: string,
  takenOf: (there: number) => Taken | undefined,
): void {
  makePrivateFolder(fs, contactsFolder(folder));
  let taken: Taken | undefined;
  let file: WholeFile | undefined;
  const begin = (own: string) => {
    file?.finish();
    file = new WholeFile(fs, own);
  };
  try {
    for (const { text } of readLines(fs, path)) {
      const { request, contact, columns, row }: Line = JSON.parse(text);
      if (request !== undefined) {
        file?.finish();
        file = undefined;
        taken = takenOf(request.entry);
      } else if (taken === undefined) continue;
      else if (contact !== undefined) {
        if (taken.isRowsOnly) continue;
        if (file === undefined) begin(contactsPath(folder, taken.entry));
        file?.append(`${lineOf(contact)}\n`);
      } else if (columns !== undefined) {
        begin(rowsPath(folder, taken.entry));
        file?.append(`${JSON.stringify({ columns })}\n`);
      } else if (row !== undefined) file?.append(`${JSON.stringify(row)}\n`);
    }
    file?.finish();
  } catch (error) {
    file?.abandon();
    throw error;
  }
  syncFolder(fs, contactsFolder(folder));
}

/** Gets its name when it is whole: rows that come later belong to a campaign whose results somebody may be reading. */
class WholeFile {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #file: Appender;

  constructor(fs: FileSystem, path: string) {
    this.#fs = fs;
    this.#path = path;
    this.#file = new Appender(fs, `${path}.new`, 0);
  }

  append(text: string): void {
    this.#file.append(text);
  }

  finish(): void {
    this.#file.finish();
    this.#fs.renameSync(`${this.#path}.new`, this.#path);
  }

  abandon(): void {
    this.#file.abandon();
    quietly(() => this.#fs.rmSync(`${this.#path}.new`, { force: true }));
  }
}

/** The number comes first. */
function lineOf({ phone_number, custom_first_line, custom_instruction, custom_identifiers }: Contact): string {
  return JSON.stringify({ phone_number, custom_first_line, custom_instruction, custom_identifiers });
}
