/** What is found in many worlds, by the kind of world. */
import type { Findings } from './examine.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;

/** A world is of as many kinds as fit. */
export function kindsOf(world: World): string[] {
  const { campaigns, calls, showing, entries, truth, isComplete, isRunning } = world;
  const phones = campaigns.map(({ contacts }) => [...contacts.phones]);
  const distinct = phones.flatMap((all) => [...new Set(all)]);
  const isShared = new Set(distinct).size < distinct.length;
  const starts = campaigns.map(({ start }) => Math.floor(start / MINUTE));
  const kinds: Record<string, boolean> = {
    'one campaign, nothing else': campaigns.length === 1 && calls.length === 0,
    'no list shares a number': !isShared,
    'lists that overlap': isShared,
    'a number twice in a list': phones.some((all) => new Set(all).size < all.length),
    'started in the same minute': new Set(starts).size < starts.length,
    'single calls': calls.length > 0,
    'times without zone, UTC': showing.zone === 'none',
    'times without zone, local': showing.zone === 'none, local',
    'rounded to seconds': showing.rounding !== 'none',
    'identifiers are echoed': showing.echoesIdentifiers,
    'campaigns are echoed': showing.echoesCampaigns,
    'calls of others': entries.some(({ call_id }) => !truth.has(String(call_id))),
    'still running': isRunning,
    'the last are missing': !isComplete,
  };
  return ['all', ...Object.keys(kinds).filter((kind) => kinds[kind])];
}

const NONE = {
  ...{ worlds: 0, entries: 0, contested: 0, marked: 0, wrongMarked: 0, wrongContested: 0, markedForNothing: 0 },
  ...{
    unclaimed: 0,
    rows: 0,
    wrongRows: 0,
    attempts: 0,
    trueAttempts: 0,
    attemptsBefore: 0,
    wrongRowsBefore: 0,
    faults: 0,
  },
};

export type Sums = typeof NONE;

/** Adds up findings. */
export class Totals {
  readonly #sums = new Map<string, Sums>();

  add(world: World, findings: Findings): void {
    const { before, faults, said: _said, ...counts } = findings;
    const more = { ...counts, attemptsBefore: before.attempts, wrongRowsBefore: before.wrongRows };
    for (const kind of kindsOf(world)) {
      const sums = this.of(kind);
      sums.worlds += 1;
      sums.faults += faults.length;
      for (const [name, count] of Object.entries(more)) sums[name as keyof Sums] += count;
      this.#sums.set(kind, sums);
    }
  }

  of(kind: string): Sums {
    return this.#sums.get(kind) ?? { ...NONE };
  }

  /** One line for each kind. */
  lines(): string[] {
    const heading = ['', 'worlds', 'entries', 'true', 'counted', 'before', 'contacts', 'wrong', 'before', 'shared'];
    const rows = [...this.#sums].map(([kind, sums]) => [
      ...[kind, sums.worlds, sums.entries, sums.trueAttempts, sums.attempts, sums.attemptsBefore],
      ...[sums.rows, sums.wrongRows, sums.wrongRowsBefore, sums.contested, share(sums.wrongContested, sums.contested)],
      ...[sums.marked, share(sums.wrongMarked, sums.marked), sums.markedForNothing, sums.unclaimed, sums.faults],
    ]);
    const headings = [...heading, 'wrong', 'marked', 'wrong', 'needless', 'unclaimed', 'FAULTS'];
    return [headings, ...rows].map((row) => {
      const [kind, ...cells] = row.map(String);
      return `${kind?.padEnd(28)}${cells.map((cell) => cell.padStart(10)).join('')}`;
    });
  }
}

function share(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(2)} %`;
}
