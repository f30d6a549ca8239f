/** `main` runs one command line and returns its exit code. */
import packageJson from '../package.json' with { type: 'json' };
import type { Process } from './run.ts';

export async function main(process: Process): Promise<number> {
  const { argv, streams } = process;
  // The most frequent question of scripts is answered before anything else is loaded.
  const isVersion = argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V');
  if (isVersion && (await isWritten(streams.stdout, `${packageJson.version}\n`))) return 0;
  const { run } = await import('./run.ts');
  return run(process);
}

/** Whether a text could be written; why not is found out and told by the ordinary way. */
function isWritten(stdout: Process['streams']['stdout'], text: string): Promise<boolean> {
  stdout.on('error', () => {});
  return new Promise((resolve) => stdout.write(text, (error) => resolve(error == null)));
}
