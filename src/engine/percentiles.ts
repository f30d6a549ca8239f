/** How much the runs of a rehearsal differ. */

export interface Percentiles<T> {
  p5: T;
  p50: T;
  p95: T;
}

/** Of at least one value, by the nearest rank: each percentile is one of the values. */
export function percentiles<T>(values: readonly number[], show: (value: number) => T): Percentiles<T> {
  const rising = values.toSorted((a, b) => a - b);
  const at = (percent: number) => show(rising[Math.ceil((percent / 100) * rising.length) - 1] as number);
  return { p5: at(5), p50: at(50), p95: at(95) };
}
