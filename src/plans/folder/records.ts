/**
 * `states.bin`: the contacts' records, in which those that change are written in place. Before that they are written to
 * `changed.bin`, which counts as long as `plan.json` accounts for the same part of the journal: so a change that was cut off
 * in between is made good by the next reader. Throws FileErrors, and system errors.
 */
import { constants } from 'node:fs';
import { systemCode } from '../../errors.ts';
import { readFully, writeFully } from '../../files/bytes.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { O_NOFOLLOW, openOrdinary, openToRead } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import { damaged } from './damage.ts';
import type { PlanPaths } from './paths.ts';

/** Of `changed.bin`: the journal's bytes that it belongs to, and the number of its rows, as doubles. */
const HEADER_BYTES = 16;
const ROW_BYTES = 4;

/** Records that a change has written. */
export interface Changed {
  applied: number;
  rows: Uint32Array;
  /** One after the other, in the order of `rows`. */
  records: Uint8Array;
}

/** The whole of a file of a known size. Throws FileError if it has another. */
export function readWhole(fs: FileSystem, path: string, bytes: number, planId: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let fd: number;
  try {
    fd = openToRead(fs, path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw damaged(planId, `${path} is missing`, error);
  }
  try {
    const { size } = fs.fstatSync(fd);
    if (size !== bytes) throw damaged(planId, `${path} has ${size} bytes instead of ${bytes}`);
    if (readFully(fs, fd, whole, 0) < bytes) throw damaged(planId, `${path} has become shorter than ${bytes} bytes`);
    return whole;
  } finally {
    fs.closeSync(fd);
  }
}

/** The records of the last change that has changed any; undefined if there are none. */
export function readChanged(fs: FileSystem, { changed }: PlanPaths, stride: number): Changed | undefined {
  let bytes: Buffer;
  try {
    const fd = openToRead(fs, changed);
    try {
      bytes = fs.readFileSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (bytes.length < HEADER_BYTES) return undefined;
  const count = bytes.readDoubleLE(8);
  const from = HEADER_BYTES + count * ROW_BYTES;
  if (bytes.length !== from + count * stride) return undefined;
  const rows = new Uint32Array(count);
  for (let at = 0; at < count; at++) rows[at] = bytes.readUInt32LE(HEADER_BYTES + at * ROW_BYTES);
  return { applied: bytes.readDoubleLE(0), rows, records: bytes.subarray(from) };
}

/** What a change writes; `records` are those of all contacts, `stride` bytes each. */
export function changedOf(applied: number, rows: readonly number[], records: Uint8Array, stride: number): Changed {
  const changed = new Uint8Array(rows.length * stride);
  for (const [at, row] of rows.entries()) changed.set(records.subarray(row * stride, (row + 1) * stride), at * stride);
  return { applied, rows: Uint32Array.from(rows), records: changed };
}

/** Durable when it returns. */
export function writeChanged(fs: FileSystem, { changed: path }: PlanPaths, { applied, rows, records }: Changed): void {
  const bytes = Buffer.alloc(HEADER_BYTES + rows.length * ROW_BYTES + records.length);
  bytes.writeDoubleLE(applied, 0);
  bytes.writeDoubleLE(rows.length, 8);
  for (const [at, row] of rows.entries()) bytes.writeUInt32LE(row, HEADER_BYTES + at * ROW_BYTES);
  bytes.set(records, HEADER_BYTES + rows.length * ROW_BYTES);
  replaceFile(fs, path, bytes);
}

export function overlay(records: Uint8Array, { rows, records: changed }: Changed, stride: number): void {
  for (const [at, row] of rows.entries()) records.set(changed.subarray(at * stride, (at + 1) * stride), row * stride);
}

/** Writes changed records, whose rows are rising, in place; neighbours together. Durable when it returns. */
export function writeInPlace(
  fs: FileSystem,
  { records: path }: PlanPaths,
  { rows, records }: Changed,
  stride: number,
): void {
  const fd = openOrdinary(fs, path, constants.O_RDWR | O_NOFOLLOW);
  try {
    for (let at = 0; at < rows.length; ) {
      const from = at;
      const first = rows[from] as number;
      for (at++; rows[at] === first + at - from; at++);
      writeFully(fs, fd, records.subarray(from * stride, at * stride), first * stride);
    }
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
