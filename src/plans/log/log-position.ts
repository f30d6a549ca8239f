/**
 * How far a plan has read the call log, in a small file of its own. It may be lost or be older than the plan's journal: then
 * entries are read again, which changes nothing.
 */
import { FIRST_INSTANT, isCalendarDate, LAST_INSTANT } from '../../contract.ts';
import { type FileSystem, quietly } from '../../files/file-system.ts';
import { readText } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import type { Heard } from './heard.ts';

/** An entry, and its place, counted from the end of the log: that stays the same when entries are added before it. */
export interface Rung {
  /** By which the entry is recognised. */
  mark: string;
  /** How many entries there are from this one to the end, itself included. */
  below: number;
}

export interface LogPosition {
  /** The first day that was asked for, YYYY-MM-DD; places are counted from there. */
  day: string;
  /** The day that was asked for at first: nothing before it matters to the plan. */
  floor: string;
  /** The first entry of the log, and some after it. */
  rungs: readonly Rung[];
  /** The place of the last entry that may still change; undefined if there is none. */
  unfinished: number | undefined;
}

/** What is known of a log that was read before. */
export interface KeptReading {
  heard: Heard;
  /** When all was heard that the log said of any request by then; absent where an earlier version kept it. */
  heardAllAt?: number | undefined;
  /** Milliseconds by which the service's clock was ahead of this machine's. */
  ahead?: number | undefined;
  /** Undefined if no place in the log is known: it may have been empty. */
  position: LogPosition | undefined;
}

const FORMAT = 2;

/** Undefined if there is none that can be used. */
export function readKept(fs: FileSystem, path: string): KeptReading | undefined {
  try {
    const { format, heard, heardAllAt, ahead, position } = JSON.parse(readText(fs, path));
    if (format !== FORMAT || !isHeard(heard)) return undefined;
    return {
      heard,
      ...(isInstant(heardAllAt) && { heardAllAt }),
      ...(Number.isFinite(ahead) && { ahead }),
      position: isPosition(position) ? position : undefined,
    };
  } catch {
    return undefined;
  }
}

/** It only saves time, so a failure is not reported. */
export function keepReading(fs: FileSystem, path: string, reading: KeptReading): void {
  quietly(() => replaceFile(fs, path, JSON.stringify({ format: FORMAT, ...reading })));
}

function isHeard(value: Partial<Heard> | undefined): boolean {
  return [value?.from, value?.until].every(isInstant) && Number.isFinite(value?.entry);
}

function isPosition(value: Partial<LogPosition> | undefined): boolean {
  const { unfinished } = value ?? {};
  const isPlace = unfinished === undefined || Number.isInteger(unfinished);
  return isPlace && isDay(value?.day) && isDay(value?.floor) && areRungs(value?.rungs);
}

/** Whether it is a time that can be, in milliseconds since the epoch. */
export function isInstant(value: unknown): boolean {
  return typeof value === 'number' && value >= FIRST_INSTANT && value <= LAST_INSTANT;
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && isCalendarDate(value);
}

function areRungs(value: unknown): boolean {
  return Array.isArray(value) && value.every(({ mark, below }) => typeof mark === 'string' && Number.isInteger(below));
}
