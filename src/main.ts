/** `main` runs one command line and returns its exit code. */
import packageJson from '../package.json' with { type: 'json' };
import type { Process } from './run.ts';

export async function main(process: Process): Promise<number> {
  const { argv, streams } = process;
  // The most frequent question of scripts is answered before anything else is loaded.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    streams.stdout.write(`${packageJson.version}\n`);
    return 0;
  }
  const { run } = await import('./run.ts');
  return run(process);
}
