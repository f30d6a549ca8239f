/** How much the runs of a rehearsal differ. */
import { isoTimeOrNull } from '../text/iso.ts';
import { percentile } from '../text/numbers.ts';
import { fromMicros } from './money.ts';

export interface Percentiles<T> {
  p5: T;
  p50: T;
  p95: T;
}

export interface Spread {
  /** Over the runs in which somebody was called. */
  lastCall: Percentiles<string | null>;
  attempts: Percentiles<number>;
  cost: Percentiles<number>;
}

/** What counts of one run. Milliseconds since the epoch, and millionths. */
export interface Run {
  lastCall: number | undefined;
  attempts: number;
  cost: number;
}

export function spreadOf(runs: readonly Run[]): Spread {
  const lastCalls = runs.map(({ lastCall }) => lastCall).filter((instant) => instant !== undefined);
  const [costs, attempts] = [runs.map(({ cost }) => cost), runs.map((run) => run.attempts)];
  return {
    lastCall: percentiles(lastCalls, isoTimeOrNull),
    attempts: percentiles(attempts, (count) => count ?? 0),
    cost: percentiles(costs, (amount) => fromMicros(amount ?? 0)),
  };
}

function percentiles<T>(values: readonly number[], show: (value: number | null) => T): Percentiles<T> {
  const rising = values.toSorted((a, b) => a - b).map((value) => [value, 1] as const);
  return { p5: show(percentile(rising, 5)), p50: show(percentile(rising, 50)), p95: show(percentile(rising, 95)) };
}
