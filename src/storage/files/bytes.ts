/** Reading and writing at a position. The system's calls may process fewer bytes than requested. Throws system errors. */
import type { FileSystem } from './file-system.ts';

/** Fills `into` from `position` on; returns the number of bytes, which is smaller only at the end of the file. */
export function readFully(fs: FileSystem, fd: number, into: Uint8Array, position: number): number {
  let done = 0;
  for (let read = -1; done < into.length && read !== 0; done += read) {
    read = fs.readSync(fd, into, done, into.length - done, position + done);
  }
  return done;
}

/** Writes every byte at `position`. */
export function writeFully(fs: FileSystem, fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += fs.writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
}
