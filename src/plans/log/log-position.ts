/**
 * How far a plan has read the call log, in a small file of its own. It may be lost or be older than the plan's journal: then
 * entries are read again, which changes nothing.
 */
import { type FileSystem, quietly } from '../../files/file-system.ts';
import { readText } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';

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

const FORMAT = 1;

/** Undefined if there is none that can be used. */
export function readPosition(fs: FileSystem, path: string): LogPosition | undefined {
  try {
    const { format, day, floor, rungs, unfinished } = JSON.parse(readText(fs, path));
    const isSound = format === FORMAT && isDay(day) && isDay(floor) && areRungs(rungs);
    return isSound
      ? { day, floor, rungs, unfinished: Number.isInteger(unfinished) ? unfinished : undefined }
      : undefined;
  } catch {
    return undefined;
  }
}

/** It only saves time, so a failure is not reported. */
export function keepPosition(fs: FileSystem, path: string, position: LogPosition): void {
  quietly(() => replaceFile(fs, path, JSON.stringify({ format: FORMAT, ...position })));
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
}

function areRungs(value: unknown): boolean {
  return Array.isArray(value) && value.every(({ mark, below }) => typeof mark === 'string' && Number.isInteger(below));
}
