/**
 * `contacts.jsonl` and `contacts.bin`: the contacts as they will be sent, and for each of them its phone, its place and where
 * its line begins. Both are written once. Throws FileErrors, and system errors.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Contact } from '../../contract.ts';
import { InputError, systemCode } from '../../errors.ts';
import { Appender } from '../../files/appender.ts';
import { readFully } from '../../files/bytes.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { LineChunks, readLines } from '../../files/json-lines.ts';
import { openToRead } from '../../files/open.ts';
import { contactLine } from '../../text/contact-line.ts';
import { phoneKeyOfDigits } from '../../text/phone.ts';
import { STATIC_BYTES } from '../roster.ts';
import { damaged } from './damage.ts';
import type { PlanPaths } from './paths.ts';
import type { FileMark } from './root.ts';

const PLACE = 8;
/** An offset takes six bytes: the lowest two, then the others. */
const OFFSET_LOW = 10;
const OFFSET_HIGH = 12;
const LOW = 1 << 16;
/** Characters that are hashed and written together, which saves time. */
const WRITTEN_TOGETHER = 1 << 14;
/** More than most lines have. */
const LINE_BYTES = 1 << 11;

export interface WrittenPeople {
  contacts: readonly Contact[];
  /** For each contact the index of its place. */
  placeOf: ArrayLike<number>;
  /** Masks the key. */
  redact: (text: string) => string;
}

export interface WrittenContacts {
  sha256: string;
  mark: FileMark;
  /** The crc32 of `contacts.bin`. */
  sum: number;
}

/** Throws InputError if a text holds the key, which must be in no file. */
export function writeContacts(
  fs: FileSystem,
  paths: PlanPaths,
  { contacts, placeOf, redact }: WrittenPeople,
): WrittenContacts {
  const fixed = new Uint8Array(contacts.length * STATIC_BYTES);
  const view = new DataView(fixed.buffer);
  const hash = createHash('sha256');
  writing(new Appender(fs, paths.contacts, 0), (file) => {
    let together = '';
    const pass = () => {
      if (redact(together) !== together) throw holdsKey('A text of the contacts');
      hash.update(together);
      file.append(together);
      together = '';
    };
    let offset = 0;
    for (const [row, contact] of contacts.entries()) {
      const at = row * STATIC_BYTES;
      view.setFloat64(at, phoneOf(contact), true);
      view.setUint16(at + PLACE, placeOf[row] as number, true);
      view.setUint16(at + OFFSET_LOW, offset % LOW, true);
      view.setUint32(at + OFFSET_HIGH, Math.floor(offset / LOW), true);
      const line = contactLine(contact);
      offset += Buffer.byteLength(line);
      together += line;
      if (together.length >= WRITTEN_TOGETHER) pass();
    }
    pass();
  });
  writing(new Appender(fs, paths.fixed, 0), (file) => file.appendBytes(fixed));
  return { sha256: hash.digest('hex'), mark: markOf(fs, paths.contacts), sum: crc32(fixed) };
}

/** `what` begins the sentence. */
export function holdsKey(what: string): InputError {
  return new InputError(`${what} holds the API key, which must be in no file. Nothing was written.`, {
    code: 'key_in_texts',
    hint: 'Take it out.',
  });
}

function writing(file: Appender, write: (file: Appender) => void): void {
  try {
    write(file);
    file.finish();
  } catch (error) {
    file.abandon();
    throw error;
  }
}

/** Throws FileError, or the system's error, if the file of contacts is not the one that was written. Returns its mark. */
export function requireContacts(
  fs: FileSystem,
  { contacts: path }: PlanPaths,
  known: { planId: number; sha256: string; mark: FileMark },
): FileMark {
  const { planId, sha256, mark } = known;
  let found: FileMark;
  try {
    found = markOf(fs, path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw damaged(planId, `${path} is missing`, error);
  }
  if (found.bytes !== mark.bytes) throw changed(planId, path, `it has ${found.bytes} bytes instead of ${mark.bytes}`);
  if (found.mtime_ms === mark.mtime_ms && found.inode === mark.inode) return mark;
  // A copy that was put back has another date and the same content.
  if (sha256Of(fs, path) !== sha256) throw changed(planId, path, 'its content is not what was written');
  return found;
}

function changed(planId: number, path: string, how: string): Error {
  return damaged(planId, `${path} has been changed since the plan was created: ${how}`);
}

function markOf(fs: FileSystem, path: string): FileMark {
  const { size, mtimeMs, ino } = fs.statSync(path);
  return { bytes: size, mtime_ms: mtimeMs, inode: ino };
}

function sha256Of(fs: FileSystem, path: string): string {
  const hash = createHash('sha256');
  const chunks = new LineChunks(fs, path, 0);
  try {
    for (let bytes = chunks.next(); bytes !== undefined; bytes = chunks.next()) hash.update(bytes);
    return hash.update(chunks.rest).digest('hex');
  } finally {
    chunks.close();
  }
}

/** Reads the contacts of single rows, by the offsets in `fixed`. */
export class ContactReader {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #planId: number;
  readonly #fixed: DataView;

  constructor(fs: FileSystem, { contacts }: PlanPaths, planId: number, fixed: Uint8Array) {
    this.#fs = fs;
    this.#path = contacts;
    this.#planId = planId;
    this.#fixed = new DataView(fixed.buffer, fixed.byteOffset, fixed.length);
  }

  of(rows: Iterable<number>): Contact[] {
    const fd = openToRead(this.#fs, this.#path);
    try {
      return Array.from(rows, (row) => this.#checked(row, this.#lineAt(fd, this.#offsetOf(row))));
    } finally {
      this.#fs.closeSync(fd);
    }
  }

  *all(): Generator<Contact, void> {
    let row = 0;
    for (const { text } of readLines(this.#fs, this.#path)) yield this.#checked(row++, text);
  }

  #lineAt(fd: number, offset: number): string {
    for (let size = LINE_BYTES; ; size *= 2) {
      const bytes = Buffer.allocUnsafe(size);
      const read = readFully(this.#fs, fd, bytes, offset);
      const end = bytes.subarray(0, read).indexOf('\n');
      if (end !== -1) return bytes.toString('utf8', 0, end);
      if (read < size) return '';
    }
  }

  /** A line that has become another contact's must never be sent in its name. */
  #checked(row: number, line: string): Contact {
    const contact = parse(line);
    if (contact !== undefined && phoneOf(contact) === this.#fixed.getFloat64(row * STATIC_BYTES, true)) return contact;
    throw damaged(this.#planId, `line ${row + 1} of ${this.#path} is not the contact that was written there`);
  }

  #offsetOf(row: number): number {
    const at = row * STATIC_BYTES;
    return this.#fixed.getUint16(at + OFFSET_LOW, true) + this.#fixed.getUint32(at + OFFSET_HIGH, true) * LOW;
  }
}

function phoneOf({ phone_number }: Contact): number {
  return phoneKeyOfDigits(Number(phone_number.slice(1)));
}

function parse(line: string): Contact | undefined {
  try {
    const contact: Partial<Contact> | null = JSON.parse(line);
    return typeof contact?.phone_number === 'string' ? (contact as Contact) : undefined;
  } catch {
    return undefined;
  }
}
