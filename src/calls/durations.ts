/** How long calls lasted: percentiles, and bands for a chart. */

/** How many completed calls lasted at least `from` and less than `until` seconds; `until` is null in the last band. */
export interface DurationBand {
  from: number;
  until: number | null;
  calls: number;
}

/** Each duration in seconds with its number of calls, the shortest first. */
export type Durations = readonly (readonly [seconds: number, calls: number])[];

/** The shortest duration that so many percent of the calls do not exceed; null if there are none. */
export function percentile(durations: Durations, percent: number): number | null {
  const total = durations.reduce((sum, [, calls]) => sum + calls, 0);
  // Integers up to the division, because 0.9 × 70 is slightly more than 63 in floating point.
  const rank = Math.ceil((percent * total) / 100);
  let passed = 0;
  for (const [seconds, calls] of durations) {
    passed += calls;
    if (passed >= rank) return seconds;
  }
  return null;
}

const BAND_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const BANDS = 12;

/** Bands of one round width: at most 12, which hold all but the longest 1 %; the last band holds everything longer. */
export function bands(durations: Durations): DurationBand[] {
  const long = percentile(durations, 99);
  if (long === null) return [];
  const width = BAND_SECONDS.find((seconds) => long < seconds * BANDS) ?? Math.ceil((long + 1) / BANDS);
  const closed = Math.floor(long / width) + 1;
  const made = Array.from({ length: closed }, (_none, at): DurationBand => {
    return { from: at * width, until: (at + 1) * width, calls: 0 };
  });
  const longer: DurationBand = { from: closed * width, until: null, calls: 0 };
  for (const [seconds, calls] of durations) (made[Math.floor(seconds / width)] ?? longer).calls += calls;
  return longer.calls === 0 ? made : [...made, longer];
}
