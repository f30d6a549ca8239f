/** Numbers as people read them. */

/** `1,234,567`. */
export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/** A share from 0 to 1: `12.3 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** What follows a number: `plural(1, 'call')` is `call`, of 2 it is `calls`. */
export function plural(count: number, one: string, several = `${one}s`): string {
  return count === 1 ? one : several;
}

/** The number too: `1 call`, `2 calls`. */
export function counted(count: number, one: string, several?: string): string {
  return `${count} ${plural(count, one, several)}`;
}

/** Each value with how often it occurs, the least first. */
export type Occurrences = readonly (readonly [value: number, times: number])[];

/** By the nearest rank: the least value that so many percent do not exceed; null if there is none. */
export function percentile(occurrences: Occurrences, percent: number): number | null {
  const total = occurrences.reduce((sum, [, times]) => sum + times, 0);
  // Integers up to the division, because 0.9 × 70 is slightly more than 63 in floating point.
  const rank = Math.ceil((percent * total) / 100);
  let passed = 0;
  for (const [value, times] of occurrences) {
    passed += times;
    if (passed >= rank) return value;
  }
  return null;
}
