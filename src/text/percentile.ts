/** By the nearest rank: each percentile is one of the values. */

/** Each value with how often it occurs, the least first. */
export type Occurrences = readonly (readonly [value: number, times: number])[];

/** The least value that so many percent do not exceed; null if there is none. */
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
