/** The system's file functions as a value, so that a test can make any call fail. */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';

/** The file-system calls used for reading and durable writing. */
export const systemFiles = {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
};

export type FileSystem = typeof systemFiles;

/** Runs a clean-up that nothing depends on, such as closing a file that was only read; a failure is ignored. */
export function quietly(tidy: () => void): void {
  try {
    tidy();
  } catch {
    // The work was finished before.
  }
}
