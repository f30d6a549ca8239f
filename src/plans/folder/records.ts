/**
 * `states.bin`: the contacts' records, in which those that change are written in place. Before that they are written to
 * `changed.bin`, which counts as long as `plan.json` accounts for the same part of the journal: so a change that was cut off
 * in between is made good by the next reader. Throws FileErrors, and system errors.
 */
import { constants } from 'node:fs';
import { crc32 } from 'node:zlib';
import { systemCode } from '../../errors.ts';
import { readFully, writeFully } from '../../files/bytes.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { O_NOFOLLOW, openOrdinary, openToRead } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import type { Roster } from '../roster.ts';
import { damaged } from './damage.ts';
import type { PlanPaths } from './paths.ts';
import type { Sums } from './root.ts';

/** Of `changed.bin`: the journal's bytes that it belongs to, and the number of its rows, as doubles; and a check of all else. */
const HEADER_BYTES = 20;
const CHECK_AT = 16;
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

/** Of which plan `changed.bin` is read: how many contacts it has, and how many bytes a record takes. */
interface OfPlan {
  planId: number;
  contacts: number;
  stride: number;
}

/** The records of the last change that has changed any; undefined if there are none. */
export function readChanged(
  fs: FileSystem,
  { changed }: PlanPaths,
  { planId, contacts, stride }: OfPlan,
): Changed | undefined {
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
  const isWhole = bytes.length >= HEADER_BYTES && bytes.readUInt32LE(CHECK_AT) === checkOf(bytes);
  const count = isWhole ? bytes.readDoubleLE(8) : 0;
  const from = HEADER_BYTES + count * ROW_BYTES;
  if (!isWhole || bytes.length !== from + count * stride) throw damaged(planId, `${changed} is not as it was written`);
  const rows = new Uint32Array(count);
  for (let at = 0; at < count; at++) rows[at] = bytes.readUInt32LE(HEADER_BYTES + at * ROW_BYTES);
  if (rows.some((row) => row >= contacts))
    throw damaged(planId, `${changed} has a contact that the plan does not have`);
  return { applied: bytes.readDoubleLE(0), rows, records: bytes.subarray(from) };
}

function checkOf(bytes: Uint8Array): number {
  return crc32(bytes.subarray(HEADER_BYTES), crc32(bytes.subarray(0, CHECK_AT)));
}

/** Of all contacts: some tens of milliseconds for a million. */
export function sumsOf({ fixed, records }: Pick<Roster, 'fixed' | 'records'>): Sums {
  return { contacts: crc32(fixed), states: crc32(records) };
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
  bytes.writeUInt32LE(checkOf(bytes), CHECK_AT);
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
