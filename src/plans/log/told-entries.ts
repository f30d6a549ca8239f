/**
 * The latest entries of the log whose owner a plan has found out, in a small file of its own. An entry that is read again keeps its
 * owner, whatever would explain it by now. The file may be lost: then entries are told apart anew. It may be older than the plan's
 * journal, which tells what was revised since.
 */
import { type FileSystem, quietly } from '../../files/file-system.ts';
import { readText } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import type { Called, PlanEvent } from '../events.ts';
import { RESULTS } from '../rules.ts';
import { isInstant } from './log-position.ts';

/** A call of the plan's own, as its journal has it. */
export interface ToldCall extends Pick<Called, 'row' | 'wave' | 'at' | 'result' | 'seconds' | 'status' | 'outcome'> {
  isAmbiguous: boolean;
}

export interface ToldEntry {
  /** By which it is known again. */
  identity: string;
  /** The time that it says itself. */
  saidAt: number;
  /** Until when it may change. */
  until: number;
  /** Undefined for what others called, or what the plan knew of already. */
  own: ToldCall | undefined;
}

export type ToldEntries = ReadonlyMap<string, ToldEntry>;

const FORMAT = 1;
const NONE: ToldEntries = new Map();

export interface ReadOptions {
  /** The part of the plan's journal that counts. */
  journalBytes: number;
  /** How many the plan has. */
  contacts: number;
  eventsFrom(byte: number): Iterable<PlanEvent>;
}

/** None if there is no file that can be used. */
export function readTold(
  fs: FileSystem,
  path: string,
  { journalBytes, contacts, eventsFrom }: ReadOptions,
): ToldEntries {
  try {
    const { format, journal, entries } = JSON.parse(readText(fs, path));
    if (format !== FORMAT || !(journal <= journalBytes) || !entries.every((entry: unknown) => isTold(entry, contacts)))
      return NONE;
    const told = (entries as ToldEntry[]).map((entry) => [entry.identity, entry] as const);
    return caughtUp(new Map(told), eventsFrom(journal));
  } catch {
    return NONE;
  }
}

/** A failure is not reported: entries are told apart anew then. */
export function keepTold(fs: FileSystem, path: string, told: ToldEntries, journalBytes: number): void {
  const content = JSON.stringify({ format: FORMAT, journal: journalBytes, entries: [...told.values()] });
  quietly(() => replaceFile(fs, path, content));
}

/** A process that was stopped has perhaps written its events, and not what it found out. */
function caughtUp(told: Map<string, ToldEntry>, events: Iterable<PlanEvent>): ToldEntries {
  for (const event of events) {
    if (event.event !== 'revised') continue;
    for (const [identity, entry] of told) {
      const { own } = entry;
      if (own?.row === event.row && own.at === event.at) told.set(identity, { ...entry, own: toldCall(event) });
    }
  }
  return told;
}

export function toldCall(event: Omit<Called, 'event'>): ToldCall {
  const { row, wave, at, result, seconds, status, outcome, ambiguous } = event;
  return { row, wave, at, result, seconds, status, outcome, isAmbiguous: ambiguous === true };
}

function isTold(value: unknown, contacts: number): boolean {
  const { identity, saidAt, until, own } = value as ToldEntry;
  const areTimes = isInstant(saidAt) && isInstant(until);
  return typeof identity === 'string' && areTimes && (own === undefined || isOwn(own, contacts));
}

function isOwn({ row, wave, at, seconds, result }: ToldCall, contacts: number): boolean {
  const isOfPlan = Number.isSafeInteger(row) && row >= 0 && row < contacts && Number.isSafeInteger(wave);
  return isOfPlan && isInstant(at) && Number.isFinite(seconds) && RESULTS.includes(result);
}
