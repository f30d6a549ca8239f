/**
 * Standard output or standard error as a file or a device: every byte reaches it, or an error gives the reason. Node's own
 * stream treats a partial write as a complete one.
 */
import { closeSync, fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { FileError, systemCode } from '../../errors.ts';

/** The reader of stdout has gone (`| head -1`): there is nothing left to do, and nothing to report. */
export class OutputClosed extends FileError {
  constructor() {
    super('The reader of standard output has closed it.', { code: 'output_closed' });
  }
}

/** Milliseconds before a busy device is tried again. */
const PAUSE = 10;

type Done = (error?: Error | null) => void;

class FileOutput extends Writable {
  readonly #fd: number;

  constructor(fd: number) {
    super();
    this.#fd = fd;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    let at = 0;
    try {
      while (at < chunk.length) {
        const written = writeSync(this.#fd, chunk, at);
        if (written === 0) throw Object.assign(new Error('nothing could be written'), { code: 'EIO' });
        at += written;
      }
      done();
    } catch (error) {
      if (systemCode(error) === 'EAGAIN') setTimeout(() => this._write(chunk.subarray(at), encoding, done), PAUSE);
      else done(error as Error);
    }
  }

  /** Some file systems report only when closing that they have no room for what they accepted. */
  override _final(done: Done): void {
    try {
      closeSync(this.#fd);
      done();
    } catch (error) {
      done(error as Error);
    }
  }
}

/** Ends a stream that is a file; resolves to the error, if any. Pipes and terminals are left to the system. */
export function closed(stream: Writable): Promise<Error | null | undefined> {
  if (!(stream instanceof FileOutput)) return Promise.resolve(undefined);
  return new Promise((resolve) => stream.end(resolve));
}

/** The stream for a descriptor; `standard` is Node's own stream for it. */
export function outputOf<T extends Writable>(fd: number, standard: () => T): T | FileOutput {
  const stat = fstatSync(fd);
  return stat.isFIFO() || stat.isSocket() || isatty(fd) ? standard() : new FileOutput(fd);
}
