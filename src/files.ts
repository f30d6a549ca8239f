/**
 * Files that are whole or not there at all. Everything vagent writes for good (the store, an export, a rejects file) goes
 * through here: a full write loop, a size check, fsync of the file and of its folder.
 *
 * Functions throw Node's own system errors; `fileError` says them to a person.
 */
import * as nodeFs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FileError, systemCode, VagentError } from './errors.ts';

/** The file-system calls that durable writing uses: a seam, so that a test can make any one of them fail. */
export type FileSystem = Pick<
  typeof nodeFs,
  | 'closeSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readFileSync'
  | 'readSync'
  | 'readdirSync'
  | 'renameSync'
  | 'rmSync'
  | 'statSync'
  | 'writeSync'
>;

export const systemFiles: FileSystem = nodeFs;

/** The code of a write that was done but may not outlast a power cut. */
export const NOT_DURABLE = 'not_durable';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Writes every byte at `position`: a short write is continued, not taken for success. */
export function writeFully(fs: FileSystem, fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += fs.writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
}

/** Does what nothing depends on any more, such as closing a file that was only read: how it ends is nobody's concern. */
export function quietly(tidy: () => void): void {
  try {
    tidy();
  } catch {
    // What matters was done before.
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(fs: FileSystem, folder: string): void {
  // Windows cannot open a folder, and makes renames durable by itself.
  if (process.platform === 'win32') return;
  const fd = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Creates a folder of the owner's own, its parents too, and makes their names durable: what is put into it counts on them. */
export function makePrivateFolder(fs: FileSystem, folder: string): void {
  const first = fs.mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  if (first === undefined) return;
  for (let made = resolve(folder); made !== dirname(resolve(first)); made = dirname(made))
    syncFolder(fs, dirname(made));
}

/** Replaces `path` by `text` in one step: afterwards it is the old file or the new one, also after a power cut. */
export function replaceFile(fs: FileSystem, path: string, text: string): void {
  const beside = `${path}.new`;
  const bytes = Buffer.from(text);
  const fd = fs.openSync(beside, 'w', PRIVATE_FILE);
  try {
    writeFully(fs, fd, bytes, 0);
    if (fs.fstatSync(fd).size !== bytes.length) throw new FileError(`${beside} was not written in full.`);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(beside, path);
  try {
    syncFolder(fs, dirname(path));
  } catch (error) {
    throw new FileError(`${path} was written, but it is not sure that it outlasts a power cut.`, {
      code: NOT_DURABLE,
      hint: 'The change is made: do not repeat it. Look at the disk.',
      cause: error,
    });
  }
}

/** How much is gathered before it is written: large enough that the calls cost nothing, small enough for any machine. */
const BUFFER_BYTES = 1 << 20;
/** A character of a string takes three bytes of UTF-8 at the most. */
const BYTES_A_CHARACTER = 3;

/** The buffer of an appender that was closed, for the next one: a long campaign closes hundreds. */
let spareBuffer: Buffer | undefined;

/**
 * Appends to a file of which only the first `committed` bytes exist: what lies beyond was never committed and is cut off.
 * Nothing is durable before `finish`.
 */
export class Appender {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #fd: number;
  #written: number;
  /** Lines are encoded one by one as they come: joined first, they would be copied twice. */
  #buffer: Buffer | undefined;
  #filled = 0;
  #isOpen = true;

  constructor(fs: FileSystem, path: string, committed: number) {
    this.#fs = fs;
    this.#path = path;
    this.#written = committed;
    this.#fd = fs.openSync(path, committed === 0 ? 'w' : 'r+', PRIVATE_FILE);
    try {
      if (committed > 0) {
        const { size } = fs.fstatSync(this.#fd);
        if (size < committed) {
          throw new FileError(`${path} is damaged: ${size} bytes, where ${committed} were committed.`);
        }
        if (size > committed) fs.ftruncateSync(this.#fd, committed);
      }
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  append(line: string): void {
    const room = line.length * BYTES_A_CHARACTER;
    if (this.#filled + room > BUFFER_BYTES) this.flush();
    if (room > BUFFER_BYTES) {
      this.#write(Buffer.from(line));
      return;
    }
    this.#buffer ??= this.#takeBuffer();
    this.#filled += this.#buffer.write(line, this.#filled, 'utf8');
  }

  /** Hands what is gathered to the system, so that a reader of the file sees it; returns the bytes of the file. */
  flush(): number {
    if (this.#buffer !== undefined && this.#filled > 0) {
      const bytes = this.#buffer.subarray(0, this.#filled);
      this.#filled = 0;
      this.#write(bytes);
    }
    return this.#written;
  }

  /** Makes everything durable, closes the file and returns its bytes. */
  finish(): number {
    try {
      this.flush();
      const { size } = this.#fs.fstatSync(this.#fd);
      if (size !== this.#written) throw new FileError(`${this.#path} was not written in full.`);
      this.#fs.fsyncSync(this.#fd);
      return size;
    } finally {
      this.#close();
    }
  }

  /** Closes the file without keeping anything: what was written stays beyond the committed length. */
  abandon(): void {
    quietly(() => this.#close());
  }

  #write(bytes: Uint8Array): void {
    writeFully(this.#fs, this.#fd, bytes, this.#written);
    this.#written += bytes.length;
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    spareBuffer ??= this.#buffer;
    this.#buffer = undefined;
    this.#fs.closeSync(this.#fd);
  }

  #takeBuffer(): Buffer {
    const buffer = spareBuffer ?? Buffer.allocUnsafe(BUFFER_BYTES);
    spareBuffer = undefined;
    return buffer;
  }
}

const REASONS: Record<string, string> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'something of that name is there already',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
  EFBIG: 'it would be larger than is allowed',
};

/** A system error as a sentence: `Cannot read contacts.csv: it does not exist.` Other errors come back as they are. */
export function fileError(error: unknown, doing: string, path: string, hint?: string): unknown {
  const code = systemCode(error);
  if (code === undefined || error instanceof VagentError) return error;
  const reason =
    code === 'ENOENT' && doing === 'write' ? 'its folder does not exist' : (REASONS[code] ?? `the system says ${code}`);
  return new FileError(`Cannot ${doing} ${path}: ${reason}.`, { cause: error, hint });
}

/** Where a file stands while it is written. */
function besidePath(path: string): string {
  return `${path}.part`;
}

/** Whether writing `out` would take the place of what is read from `source`, a path or `-`, whatever the names. */
export function wouldReplace(out: string, source: string): boolean {
  const read = identityOf(source);
  return (
    resolve(out) === resolve(source) ||
    [out, besidePath(out)].some((path) => read !== undefined && identityOf(path) === read)
  );
}

function identityOf(path: string): string | undefined {
  try {
    const stat = path === '-' ? nodeFs.fstatSync(0) : nodeFs.statSync(path);
    return stat.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
  } catch {
    // What cannot be looked at cannot be read or replaced either, and that is told there.
    return undefined;
  }
}

/** A file of the operator's that is being written: it appears under its name, whole, at `finish`. Throws FileErrors. */
export class FileInProgress {
  readonly #path: string;
  readonly #beside: string;
  readonly #file: Appender;

  private constructor(path: string, beside: string, file: Appender) {
    this.#path = path;
    this.#beside = beside;
    this.#file = file;
  }

  /** Goes on after the first `kept` bytes of what an earlier run left beside, or begins anew. */
  static open(named: string, kept = 0): FileInProgress {
    try {
      const path = writablePath(named);
      const beside = besidePath(path);
      return new FileInProgress(path, beside, new Appender(systemFiles, beside, kept));
    } catch (error) {
      throw fileError(error, 'write', named);
    }
  }

  /** The bytes that an earlier run left beside a file of that name. */
  static left(named: string): number {
    return systemFiles.statSync(besidePath(writablePath(named)), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Where it stands while it is written. */
  get beside(): string {
    return this.#beside;
  }

  /** Finds out beforehand whether a file of that name can be written. */
  static requireWritable(named: string): void {
    try {
      const beside = besidePath(writablePath(named));
      const isThere = systemFiles.statSync(beside, { throwIfNoEntry: false }) !== undefined;
      systemFiles.closeSync(systemFiles.openSync(beside, 'a', PRIVATE_FILE));
      if (!isThere) systemFiles.rmSync(beside);
    } catch (error) {
      throw fileError(error, 'write', named);
    }
  }

  write(text: string): void {
    this.#told(() => this.#file.append(text));
  }

  /** Hands what was written to the system, so that it outlasts this process; returns the bytes so far. */
  flush(): number {
    return this.#told(() => this.#file.flush());
  }

  finish(): void {
    this.#told(() => {
      this.#file.finish();
      systemFiles.renameSync(this.#beside, this.#path);
      syncFolder(systemFiles, dirname(this.#path));
    });
  }

  /** Leaves nothing behind; what stood under the name stays. */
  abandon(): void {
    this.#file.abandon();
    systemFiles.rmSync(this.#beside, { force: true });
  }

  /** Leaves what was flushed beside, for a later run. */
  leave(): void {
    this.#file.abandon();
  }

  #told<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw fileError(error, 'write', this.#path);
    }
  }
}

/** The file that a name means, links followed. A device or a pipe would be replaced by the renaming, not written to. */
function writablePath(named: string): string {
  const standing = nodeFs.statSync(named, { throwIfNoEntry: false });
  if (standing !== undefined && !standing.isFile()) {
    const hint = standing.isDirectory() ? undefined : 'Name a file, or redirect standard output.';
    throw new FileError(`Cannot write ${named}: it is no ordinary file.`, { hint });
  }
  return standing === undefined ? named : nodeFs.realpathSync(named);
}
