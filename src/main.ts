/** `main` runs one command line and returns its exit code. */
import type { Process } from './run.ts';
import { outputOf } from './terminal/standard-output.ts';

export { run as main } from './run.ts';

/** The streams of a process, made when they are first used. */
export function standardStreams(standard: Process['streams']): Process['streams'] {
  const streams: Partial<Process['streams']> = {};
  return {
    get stdin() {
      return standard.stdin;
    },
    get stdout() {
      streams.stdout ??= outputOf(1, () => standard.stdout);
      return streams.stdout;
    },
    get stderr() {
      streams.stderr ??= outputOf(2, () => standard.stderr);
      return streams.stderr;
    },
  };
}
