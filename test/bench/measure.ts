/** Fair figures on a noisy machine: commands take turns, medians are compared, nothing is asserted. */
import { spawnSync } from 'node:child_process';

export interface Command {
  name: string;
  argv: string[];
  env?: Record<string, string>;
}

export interface Figure {
  name: string;
  /** Median of whole-process wall times, in milliseconds. */
  median: number;
}

/** Runs each command once to warm up, then all of them in turn, `rounds` times. Throws where one does not exit with 0. */
export function timeInTurns(commands: readonly Command[], rounds: number): Figure[] {
  const times = commands.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, { name, argv, env }] of commands.entries()) {
      const [file = '', ...args] = argv;
      const started = performance.now();
      const { status, stderr } = spawnSync(file, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${name} exited with ${status}: ${stderr}`);
      if (round > 0) times[at]?.push(performance.now() - started);
    }
  }
  return commands.map(({ name }, at) => ({ name, median: median(times[at] ?? []) }));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Prints each figure beside the first one, which is the bare limit. `limits` are the ratios that are asked for. */
export function printRatios(title: string, figures: readonly Figure[], limits: Record<string, number> = {}): void {
  const [base] = figures;
  if (base === undefined) return;
  process.stdout.write(`${title}\n`);
  for (const { name, median: value } of figures) {
    const limit = limits[name] === undefined ? '' : `  (at most ${limits[name]})`;
    const ratio = `${(value / base.median).toFixed(2)}×${limit}`;
    process.stdout.write(`  ${name.padEnd(42)} ${value.toFixed(1).padStart(9)} ms  ${ratio}\n`);
  }
}
