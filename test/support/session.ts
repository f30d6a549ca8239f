/**
 * Sessions: shell transcripts as a person would see them. A line `$ command` is run by `sh` (a `>` line continues it), the
 * lines below it are what stdout and stderr show, `…` stands for any lines, and `[3]` is an exit code other than 0.
 */
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandSummaries } from '../../src/program.ts';
import { FILE } from '../../src/register/open-rows.ts';
import { isTurnOf } from './full-matrix.ts';
import { BIN, finished, freshEnvironment, Operator, type Outcome, ROOT } from './program.ts';
import { rowsOf } from './stored-plans.ts';

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
const VAGENT = `vagent(?:(?:\\s|\\\\\n)+${WORD.source})*`;
const PLAIN = new RegExp(`^${VAGENT}$`);

/** The words of a command that needs no shell, `vagent` not among them; undefined for any other. */
export function plainWords(command: string): string[] | undefined {
  if (!PLAIN.test(command)) return undefined;
  const words = command.match(new RegExp(WORD, 'g')) ?? [];
  return words.slice(1).map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** One command of vagent's, and what of the step a shell does before it and with its output. */
interface Single {
  words: string[];
  env: Record<string, string>;
  before?: string;
  /** What `before` prints is its input. */
  isPiped: boolean;
  after?: string;
}

const BEFORE = '(?:(?<before>[^|]+(?=;)|[^|;]+(?=[|]))(?<joint>[|;]) *)?';
const AFTER = '(?:(?: +|(?=;))(?<after>[|>;].*))?';
const SINGLE = new RegExp(`^${BEFORE}(?<env>(?:[A-Z_]+=[\\w/]+ )*)(?<vagent>${VAGENT})${AFTER}$`);
/** Another command of vagent's, or what only the shell of that command would have. */
const NEEDS_SHELL = /(?:^|[;|&(] *|do )(?:vagent|cd|umask|ulimit) /;

function single(command: string): Single | undefined {
  const { before, joint, env = '', vagent = '', after } = SINGLE.exec(command)?.groups ?? {};
  const words = plainWords(vagent);
  if (words === undefined || [before, after].some((part) => part !== undefined && NEEDS_SHELL.test(part)))
    return undefined;
  const settings = env.split(' ').filter((setting) => setting !== '');
  return {
    words,
    env: Object.fromEntries(settings.map((setting) => setting.split('=') as [string, string])),
    isPiped: joint === '|',
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

/** Those that run as the program in this run. */
const commands = [...commandSummaries().keys()].filter((_name, at) => isTurnOf(at, 3));
/** Of these, the ones that have. */
const started = new Set<string>();

/** Whether one of them runs for the first time; from now on none does. */
function isNew(step: string): boolean {
  const found = commands.filter((name) => `${step} `.includes(`vagent ${name} `) && !started.has(name));
  for (const name of found) started.add(name);
  return found.length > 0;
}

interface Settings {
  env?: Record<string, string>;
  /** Whether commands start the program once. */
  startsPrograms?: boolean;
  /** The home of an earlier runner, which this one begins with a copy of. */
  begunIn?: string | undefined;
}

/**
 * A place to run steps in: an empty home with the samples, `vagent` on the PATH, and a clock that stands still. Commands run in
 * the process of the test, but for the first run of some if `startsPrograms`, and for steps of several commands.
 */
export class SessionRunner {
  readonly #operator: Operator;
  readonly #env: Record<string, string>;
  readonly #startsPrograms: boolean;
  #moved: Promise<void> | undefined;

  constructor({ env = {}, startsPrograms = false, begunIn }: Settings = {}) {
    this.#startsPrograms = startsPrograms;
    // What Node.js reads at its start, the processes of tests were started with.
    const own = Object.entries(env).filter(([name]) => !name.startsWith('NODE_'));
    this.#operator = new Operator({ env: Object.fromEntries(own), frozenAt: NOW });
    const bin = join(this.home, '.bin');
    if (begunIn === undefined) this.#furnish(bin);
    else this.#goOnFrom(begunIn);
    const fresh = freshEnvironment(this.home, { frozenAt: NOW });
    this.#env = { ...fresh, ...env, PATH: `${bin}:${fresh.PATH}` };
  }

  #furnish(bin: string): void {
    mkdirSync(bin);
    writeFileSync(join(bin, 'vagent'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
    chmodSync(join(bin, 'vagent'), 0o755);
    cpSync(join(ROOT, 'samples'), join(this.home, 'samples'), { recursive: true });
  }

  /** A plan names the folder of its store by its whole path: here that is the one in this home. */
  #goOnFrom(earlier: string): void {
    cpSync(earlier, this.home, { recursive: true });
    for (const entry of readdirSync(this.home, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || entry.name.startsWith(FILE)) continue;
      const path = join(entry.parentPath, entry.name);
      const bytes = readFileSync(path, 'latin1');
      if (bytes.includes(earlier)) writeFileSync(path, Buffer.from(bytes.replaceAll(earlier, this.home), 'latin1'));
    }
    this.#moved = this.#moveRows(earlier);
  }

  /** The register and the plans are in a database, whose pages are not to be changed by others. */
  async #moveRows(earlier: string): Promise<void> {
    const state = join(this.home, '.local/state/vagent');
    if (!existsSync(join(state, FILE))) return;
    const there = (column: string) => `${column} = replace(${column}, $1, $2)`;
    await rowsOf(state).put(`update plans set ${there('service')}, ${there('plan')}`, [earlier, this.home]);
    await rowsOf(state).put(`update opted_out set ${there('service_key')}`, [earlier, this.home]);
  }

  get home(): string {
    return this.#operator.home;
  }

  /** What the step shows, as lines; an exit code other than 0 is the last one. */
  async run({ command }: Step): Promise<string[]> {
    await this.#moved;
    const parts = this.#startsPrograms && isNew(command) ? undefined : single(command);
    const { code, stdout } = await (parts === undefined ? this.#inShell(command) : this.#here(parts));
    const lines = stdout.replaceAll(this.home, '~').split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    return code === 0 ? lines : [...lines, `[${code}]`];
  }

  async #here({ words, env, before, isPiped, after }: Single): Promise<Pick<Outcome, 'code' | 'stdout'>> {
    const first = before === undefined ? undefined : await this.#inShell(before);
    const shown = isPiped ? '' : (first?.stdout ?? '');
    const input = isPiped ? (first?.stdout ?? '') : '';
    if (after === undefined || after.startsWith(';')) {
      const ran = await this.#operator.run(words, { env, input, isOneScreen: true });
      const then = after === undefined ? undefined : await this.#inShell(after.slice(1));
      return { code: (then ?? ran).code, stdout: shown + ran.stdout + (then?.stdout ?? '') };
    }
    const { code, stdout, stderr } = await this.#operator.run(words, { env, input });
    const isKept = after.startsWith('>');
    const last = await this.#inShell(isKept ? `cat ${after}` : after.slice(1), stdout);
    return { code: isKept ? code : last.code, stdout: shown + stderr + last.stdout };
  }

  #inShell(script: string, input = ''): Promise<Outcome> {
    const child = spawn('sh', ['-c', `exec 2>&1\n${script}`], { cwd: this.home, env: this.#env });
    child.stdin.on('error', () => {}).end(input);
    return finished(child);
  }
}

/** Whether lines are what was expected, `…` standing for any number of them. */
export function matches(actual: readonly string[], expected: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first !== '…') return actual[0] === first && matches(actual.slice(1), rest);
  return actual.some((_line, at) => matches(actual.slice(at), rest)) || matches([], rest);
}
