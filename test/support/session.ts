/**
 * Sessions: shell transcripts as a person would see them. A line `$ command` is run by `sh` (a `>` line continues it), the
 * lines below it are what stdout and stderr show, `…` stands for any lines, and `[3]` is an exit code other than 0.
 */
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandSummaries } from '../../src/program.ts';
import { BIN, finished, freshEnvironment, Operator, type Outcome, ROOT } from './program.ts';

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

const WORD = /(?:"[^"$`\\]*"|'[^']*'|[\w@%+=:,./-])+/;
const PLAIN = new RegExp(`^vagent(?:(?:\\s|\\\\\n)+${WORD.source})*$`);

/** The words of a command that needs no shell, `vagent` not among them; undefined for any other. */
export function plainWords(command: string): string[] | undefined {
  if (!PLAIN.test(command)) return undefined;
  const words = command.match(new RegExp(WORD, 'g')) ?? [];
  return words.slice(1).map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

const commands = [...commandSummaries().keys()];
/** Commands that have run as the program. */
const started = new Set<string>();

/** Whether it is the first time that this command runs. */
function isNew(words: readonly string[]): boolean {
  const command = commands.find((name) => `${words.join(' ')} `.startsWith(`${name} `));
  if (command === undefined || started.has(command)) return false;
  started.add(command);
  return true;
}

/**
 * A place to run steps in: an empty home with the samples, `vagent` on the PATH, and a clock that stands still. Each command
 * starts the program once; after that it runs in the process of the test, where it needs no shell.
 */
export class SessionRunner {
  readonly #operator: Operator;
  readonly #env: Record<string, string>;

  constructor(env: Record<string, string> = {}) {
    // What Node.js reads at its start, the processes of tests were started with.
    const own = Object.entries(env).filter(([name]) => !name.startsWith('NODE_'));
    this.#operator = new Operator({ env: Object.fromEntries(own), frozenAt: NOW });
    const bin = join(this.home, '.bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'vagent'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
    chmodSync(join(bin, 'vagent'), 0o755);
    cpSync(join(ROOT, 'samples'), join(this.home, 'samples'), { recursive: true });
    const fresh = freshEnvironment(this.home, { frozenAt: NOW });
    this.#env = { ...fresh, ...env, PATH: `${bin}:${fresh.PATH}` };
  }

  get home(): string {
    return this.#operator.home;
  }

  /** What the step shows, as lines; an exit code other than 0 is the last one. */
  async run({ command }: Step): Promise<string[]> {
    const words = plainWords(command);
    const { code, stdout } =
      words === undefined || isNew(words)
        ? await this.#inShell(command)
        : await this.#operator.run(words, { isOneScreen: true });
    const lines = stdout.replaceAll(this.home, '~').split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    return code === 0 ? lines : [...lines, `[${code}]`];
  }

  #inShell(command: string): Promise<Outcome> {
    return finished(
      spawn('sh', ['-c', `exec 2>&1\n${command}`], {
        cwd: this.home,
        env: this.#env,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }
}

/** Whether lines are what was expected, `…` standing for any number of them. */
export function matches(actual: readonly string[], expected: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first !== '…') return actual[0] === first && matches(actual.slice(1), rest);
  return actual.some((_line, at) => matches(actual.slice(at), rest)) || matches([], rest);
}
