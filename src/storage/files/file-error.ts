/** System errors as sentences for people. */
import { FileError, type Reason, systemCode, VagentError } from '../../errors.ts';
import { NOT_MADE } from './durable.ts';
import { NOT_ORDINARY } from './file-system.ts';

const REASONS: Record<string, string> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  ERR_FS_EISDIR: 'it is a folder, not a file',
  [NOT_ORDINARY]: 'it is not an ordinary file',
  [NOT_MADE]: 'no folder can be made there',
  // The system's codes for a socket, a device without a driver, and a pipe without a reader.
  ENXIO: 'it is not an ordinary file',
  ENODEV: 'it is not an ordinary file',
  ELOOP: 'it is a link, or its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  EEXIST: 'something of that name is there already',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
  EFBIG: 'it would be larger than is allowed',
};

/**
 * A system error as a sentence: `Cannot read contacts.csv: it does not exist.` Other errors are returned unchanged. `next` is
 * what to do about it, in words or as a reason.
 */
export function fileError(error: unknown, doing: string, path: string, next?: string | Reason): unknown {
  const code = systemCode(error);
  if (code === undefined || error instanceof VagentError) return error;
  const reason =
    code === 'ENOENT' && doing === 'write' ? 'its folder does not exist' : (REASONS[code] ?? `the system says ${code}`);
  return new FileError(`Cannot ${doing} ${path}: ${reason}.`, {
    cause: error,
    ...(typeof next === 'string' ? { hint: next } : { reason: next }),
  });
}

/** Runs `act` on a file; a system error is thrown as the FileError that `fileError` makes of it. */
export function withFileErrors<T>(doing: string, path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw fileError(error, doing, path);
  }
}
