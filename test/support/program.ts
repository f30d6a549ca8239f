/** The built program as a child process, in a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
export const BIN = join(ROOT, 'bin/vagent.js');

export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  input?: string | Buffer;
  cwd?: string;
  /** ISO 8601: the program sees the system's clock stand still there. */
  frozenAt?: string;
}

/** A temporary folder; all of them go when the run ends (`vitest.config.ts`). */
export function temporaryFolder(): string {
  return mkdtempSync(join(process.env.VAGENT_TEST_TMP ?? tmpdir(), 'vagent-test-'));
}

/** The environment of a person who has never used vagent: nothing of this machine's settings comes along. */
export function freshEnvironment(home: string, { frozenAt }: RunOptions = {}): Record<string, string> {
  const frozen = frozenAt === undefined ? {} : { VAGENT_TEST_CLOCK: frozenAt, NODE_OPTIONS: frozenClockOption() };
  return { HOME: home, PATH: process.env.PATH ?? '', TZ: 'UTC', ...frozen };
}

function frozenClockOption(): string {
  return `--import=${join(ROOT, 'test/support/frozen-clock.mjs')}`;
}

/** A person with a home folder, who runs commands one after the other. */
export class Operator {
  readonly home = temporaryFolder();
  readonly #defaults: RunOptions;

  constructor(defaults: RunOptions = {}) {
    this.#defaults = defaults;
  }

  start(args: readonly string[], options: RunOptions = {}): ChildProcess {
    const merged = { ...this.#defaults, ...options };
    return spawn(process.execPath, [BIN, ...args], {
      cwd: merged.cwd ?? this.home,
      env: { ...freshEnvironment(this.home, merged), ...this.#defaults.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const child = this.start(args, options);
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
    return finished(child);
  }

  /** Runs a command that must succeed and returns what it printed as JSON. */
  async json<T = Record<string, unknown>>(args: readonly string[], options: RunOptions = {}): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], options);
    if (code !== 0) throw new Error(`vagent ${args.join(' ')} exited with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }
}

export function finished(child: ChildProcess): Promise<Outcome> {
  const collected = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      collected[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...collected }));
  });
}
