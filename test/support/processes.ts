import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves once no process of a process group is left. */
export async function gone(group: number): Promise<void> {
  while (isRunning(group)) await sleep(50);
}

/** A process that has ended and waits to be taken note of is none. */
function isRunning(group: number): boolean {
  const all = execFileSync('ps', ['-A', '-o', 'pgid=,stat='], { encoding: 'utf8' });
  return all.split('\n').some((line) => new RegExp(`^ *${group} +[^Z]`).test(line));
}
