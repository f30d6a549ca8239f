/** What each caller number was given, and how much more it may be given. */
import type { Plan, Position } from './plan.ts';
import type { PlanRules } from './rules.ts';
import { endOf, intervalOf } from './waves.ts';

type Given = Position['given'];

/** Two are kept whatever their age: the last one says whose turn it is, and may yet be taken back. */
const ALWAYS_KEPT = 2;

/** What the numbers were given, and by how much later calls may be made than they are planned (`marginOf`). */
interface Known {
  given: Given;
  margin: number;
}

/** How long a planned dial counts: a service may make it later by a margin. */
export function countedFor({ within }: { within: number }, margin: number): number {
  return within + margin;
}

/** Adds a wave; those that no cap counts any more are dropped. */
export function withWave({ given, margin }: Known, wave: Given[number], rules: PlanRules): Given {
  const all = [...given, wave];
  const within = rules.fromCap === undefined ? 0 : countedFor(rules.fromCap, margin);
  return all.filter(
    ({ at, contacts }, index) =>
      index >= all.length - ALWAYS_KEPT ||
      endOf({ start: at, interval: intervalOf(rules), contacts }) + within > wave.at,
  );
}

/** Without a wave that was not placed. */
export function withoutWave(given: Given, wave: { from: string; start: number }): Given {
  const index = given.findLastIndex(({ from, at }) => from === wave.from && at === wave.start);
  return given.filter((_one, at) => at !== index);
}

/** The plan's numbers, the one whose turn it is first. */
export function turns({ from }: Plan, { given }: Position): string[] {
  const last = given.at(-1)?.from;
  const next = last === undefined ? 0 : from.indexOf(last) + 1;
  return [...from.slice(next), ...from.slice(0, next)];
}

/**
 * How many contacts, at most `most`, a number may be given from `start` on, so that none of its dials is one too many within
 * the period before it.
 */
export function roomOf(from: string, start: number, most: number, known: Known, rules: PlanRules): number {
  const { fromCap } = rules;
  if (fromCap === undefined) return most;
  const interval = intervalOf(rules);
  for (let contacts = 0; contacts < most; contacts++) {
    const since = start + contacts * interval - countedFor(fromCap, known.margin);
    if (dialsAfter(since, from, known.given, interval) + contacts >= fromCap.count) return contacts;
  }
  return most;
}

/** Planned dials of a number after an instant. */
function dialsAfter(since: number, from: string, given: Given, interval: number): number {
  let dials = 0;
  for (const wave of given) {
    if (wave.from !== from) continue;
    // Dial n happens at `at + n × interval`; the first that is later than `since`:
    const first = Math.max(0, Math.floor((since - wave.at) / interval) + 1);
    dials += Math.max(0, wave.contacts - first);
  }
  return dials;
}

/** The earliest instant from `start` on at which the number may be given a contact. */
export function hasRoomAt(from: string, start: number, { given, margin }: Known, rules: PlanRules): number {
  const { fromCap } = rules;
  if (fromCap === undefined) return start;
  const interval = intervalOf(rules);
  const within = countedFor(fromCap, margin);
  let at = start;
  while (dialsAfter(at - within, from, given, interval) >= fromCap.count) {
    // Later in any case: interval and index may be rounded.
    at = Math.max(at + 1, nextRelease(at - within, from, given, interval) + within);
  }
  return at;
}

/** The first planned dial of a number after an instant, rounded up to a whole millisecond. */
function nextRelease(since: number, from: string, given: Given, interval: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const wave of given) {
    if (wave.from !== from) continue;
    const index = Math.max(0, Math.floor((since - wave.at) / interval) + 1);
    if (index < wave.contacts) next = Math.min(next, Math.ceil(wave.at + index * interval));
  }
  return next;
}
