/**
 * Sessions: shell transcripts as a person would see them. A line `$ command` is run by `sh` (a `>` line continues it), the
 * lines below it are what stdout and stderr show, `…` stands for any lines, and `[3]` is an exit code other than 0.
 */
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BIN, finished, freshEnvironment, ROOT, temporaryFolder } from './program.ts';

/** When every session takes place. */
export const NOW = '2026-11-20T09:00:00Z';

export interface Step {
  command: string;
  expected: string[];
}

export function parseSession(text: string): Step[] {
  const steps: Step[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), expected: [] });
    else if (line.startsWith('> ') && last !== undefined && last.expected.length === 0) {
      last.command += `\n${line.slice(2)}`;
    } else if (line !== '' || (last !== undefined && last.expected.length > 0)) last?.expected.push(line);
  }
  for (const { expected } of steps) while (expected.at(-1) === '') expected.pop();
  return steps;
}

/** A place to run steps in: an empty home with the samples, `vagent` on the PATH, and a clock that stands still. */
export class SessionRunner {
  readonly home = temporaryFolder();
  readonly #env: Record<string, string>;

  constructor(env: Record<string, string> = {}) {
    const bin = join(this.home, '.bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'vagent'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
    chmodSync(join(bin, 'vagent'), 0o755);
    cpSync(join(ROOT, 'samples'), join(this.home, 'samples'), { recursive: true });
    const fresh = freshEnvironment(this.home, { frozenAt: NOW });
    this.#env = { ...fresh, ...env, PATH: `${bin}:${fresh.PATH}` };
  }

  /** What the step shows, as lines; an exit code other than 0 is the last one. */
  async run({ command }: Step): Promise<string[]> {
    const child = spawn('sh', ['-c', `exec 2>&1\n${command}`], {
      cwd: this.home,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { code, stdout } = await finished(child);
    const lines = stdout.replaceAll(this.home, '~').split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    return code === 0 ? lines : [...lines, `[${code}]`];
  }
}

/** Whether lines are what was expected, `…` standing for any number of them. */
export function matches(actual: readonly string[], expected: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first !== '…') return actual[0] === first && matches(actual.slice(1), rest);
  return actual.some((_line, at) => matches(actual.slice(at), rest)) || matches([], rest);
}
