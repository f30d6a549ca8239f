/**
 * What is refused, in a table for each noun in `refusals`: the command line, its exit code, and what the one sentence says.
 * Each line runs for a person and for a program. Nothing that is kept in the home changes by it, and nothing is printed as a
 * result. Scripts branch on these codes, so the first line of each starts the built program.
 */
import { execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandSummaries } from '../src/program.ts';
import { casesBeside } from './support/cases.ts';
import { digestsIn } from './support/files.ts';
import { illService } from './support/ill-service.ts';
import { BIN, Operator } from './support/program.ts';
import { expectClearTalk, expectOneError } from './support/told-errors.ts';

const FOLDER = join(import.meta.dirname, 'refusals');

/** The key of the remote service: no output may show it, whatever happens. */
const KEY = 'never-to-be-shown-73519';

const service = await illService();
const NAMES = { KEY, SERVICE: service.url, PORT: new URL(service.url).port, VAGENT: BIN };

interface More {
  /** What is prepared for this line alone, behind the rest. */
  before?: string[];
  env?: Record<string, string>;
  /** Standard input, as a text or the name of a file in the home. */
  input?: string;
  inputFile?: string;
  /** Something is kept all the same: by the register, or, where only the reply is refused, by the engine. */
  changes?: true;
  /** Parts of the JSON error beside the exit code. */
  error?: { code?: string; status?: number };
}

type Refusal = [line: string | string[], code: number, says: RegExp, more?: More];

/** The exit codes of lines that start the program. */
const started = new Set<number>();

const OPTIONS = { frozenAt: '2026-11-20T09:00:00Z' };

/** Digests of what is kept in a home: what SQLite leaves beside a database that was only read is empty, or for itself. */
function keptIn({ home }: Operator): Record<string, string> {
  const empty = createHash('sha256').digest('hex');
  const isLeft = (path: string, digest: string) => path.endsWith('-shm') || (path.endsWith('-wal') && digest === empty);
  return Object.fromEntries(Object.entries(digestsIn(home)).filter((file) => !isLeft(...file)));
}

/** Commands of vagent's, and lines of the shell, in somebody's home. */
async function prepare(operator: Operator, lines: readonly string[], folder = operator.home): Promise<Operator> {
  for (const line of lines) {
    const [program, ...args] = line.split(' ');
    if (program !== 'vagent') execSync(line, { cwd: operator.home, env: operator.environment, stdio: 'pipe' });
    else {
      const { code, stderr } = await operator.run(args, { cwd: folder });
      expect(code, `${line}: ${stderr}`).toBe(0);
    }
  }
  return operator;
}

for (const file of readdirSync(FOLDER)) {
  const cases = casesBeside(join(FOLDER, file), NAMES);
  const before = cases<string>('prepared');
  const [usual = {}] = cases<Record<string, string>>('environment');
  const refusals = cases<Refusal>('refused');

  describe.concurrent(file.replace('.cases', ''), () => {
    /** What is refused changes nothing, so that the lines share one home. */
    const home = new Operator(OPTIONS);
    let kept: Record<string, string>;
    beforeAll(async () => {
      await prepare(home, before);
      kept = keptIn(home);
    });
    afterAll(() => expect(keptIn(home)).toEqual(kept));

    /** The home of a line that needs another one, and that nothing changes in. All lines have one working folder. */
    const ownHome = async (lines: readonly string[]) => {
      const own = new Operator(OPTIONS);
      cpSync(home.home, own.home, { recursive: true, verbatimSymlinks: true });
      return prepare(own, lines, home.home);
    };

    for (const [line, code, says, more = {}] of refusals) {
      const words = typeof line === 'string' ? line.split(' ') : line;
      const isFirst = !started.has(code);
      started.add(code);
      const run = async (words: string[], asProgram = false) => {
        const isAlone = more.before !== undefined || more.changes === true;
        const operator = isAlone ? await ownHome(more.before ?? []) : home;
        const own = isAlone && !more.changes ? keptIn(operator) : undefined;
        const input = more.inputFile ? readFileSync(join(home.home, more.inputFile)) : (more.input ?? '');
        const options = { input, env: { ...usual, ...more.env }, cwd: home.home };
        const told = await (asProgram ? operator.runProgram(words, options) : operator.run(words, options));
        expect(told.stderr).not.toContain(KEY);
        expect({ code: told.code, stdout: told.stdout }).toEqual({ code, stdout: '' });
        if (own !== undefined) expect(keptIn(operator)).toEqual(own);
        return told.stderr;
      };
      test(`${words.join(' ')}: exit ${code}`, async () => {
        const told = await run(words, isFirst);
        expect(told).toMatch(says);
        if (!told.startsWith('{')) expectClearTalk(told);
        expect(exitCodesOf(await help(words))).toContain(String(code));
        if (words.includes('--json')) return;
        expectOneError(await run(['--json', ...words]), { exit_code: code, ...more.error });
      });
    }
  });
}

/** Nothing came to the places that a refusal may not ask. */
afterAll(() => expect(service.unexpected).toEqual([]));

const helper = new Operator();
const shown = new Map<string, Promise<string>>();

/** The help of a command line's command; undefined where there is no such command. */
function help(words: readonly string[]): Promise<string> | undefined {
  const typed = `${words.join(' ')} `;
  const command = [...commandSummaries().keys()].find((path) => typed.includes(`${path} `));
  if (command === undefined) return undefined;
  const options = { columns: 1000, isTerminal: true, cwd: FOLDER };
  const text =
    shown.get(command) ?? helper.run([...command.split(' '), '--help'], options).then(({ stdout }) => stdout);
  shown.set(command, text);
  return text;
}

/** The exit codes that a help names. */
function exitCodesOf(text: string | undefined): string[] {
  const [, codes = ''] = /^Exit codes: (.*)$/m.exec(text ?? 'Exit codes: 2') ?? [];
  return codes.split('; ').map((code) => code.split(' ')[0] ?? '');
}
