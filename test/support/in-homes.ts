/** Many command lines of the built program in one process other than this one: a start for each takes ten times as long. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { finished, freshEnvironment, type Outcome, temporaryFolder } from './program.ts';

export interface Line {
  /** The working folder, and where its settings are. */
  home: string;
  args: readonly string[];
  env?: Record<string, string>;
}

export interface InHomesOptions {
  /** Of the process, and of each line. */
  env?: Record<string, string>;
  /** What the shell does before it starts the process: `ulimit -f 0`. */
  before?: string;
  /** Milliseconds after which the process is killed. */
  patience?: number;
}

/** One line after the other; undefined for one that did not come to an end, and for those behind it. */
export async function runInHomes(
  lines: readonly Line[],
  { env = {}, before = ':', patience }: InHomesOptions = {},
): Promise<(Outcome | undefined)[]> {
  const all = lines.map((line) => ({ ...line, env: { ...freshEnvironment(line.home), ...env, ...line.env } }));
  const home = temporaryFolder();
  const program = [process.execPath, join(import.meta.dirname, 'in-homes.mjs'), JSON.stringify(all)];
  const child = spawn('sh', ['-c', `${before}; exec "$0" "$@"`, ...program], {
    cwd: home,
    env: { ...freshEnvironment(home), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(patience === undefined ? {} : { timeout: patience, killSignal: 'SIGKILL' as const }),
  });
  const { stdout, stderr } = await finished(child);
  if (stderr !== '') throw new Error(stderr);
  const told = stdout.split('\n').filter((line) => line !== '');
  return lines.map((_line, at) => (told[at] === undefined ? undefined : (JSON.parse(told[at]) as Outcome)));
}
