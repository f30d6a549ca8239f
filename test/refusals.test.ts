/**
 * What is refused, in a table for each noun in `refusals`: the command line, its exit code, and what the one sentence says.
 * Each line runs for a person and for a program. Nothing that is kept in the home changes by it, and nothing is printed as a
 * result. Scripts branch on these codes, so in each table the first line of a code starts the built program.
 */
import { execSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { commandSummaries } from '../src/program.ts';
import { casesBeside } from './support/cases.ts';
import { digestsIn } from './support/files.ts';
import { illService } from './support/ill-service.ts';
import { Operator } from './support/program.ts';
import { expectClearTalk, expectOneError } from './support/told-errors.ts';

const FOLDER = join(import.meta.dirname, 'refusals');

/** The key of the remote service: no output may show it, whatever happens. */
const KEY = 'never-to-be-shown-73519';

const service = await illService();
const NAMES = { KEY, SERVICE: service.url, PORT: new URL(service.url).port };

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

/** Somebody in whose home commands of vagent's and lines of the shell have run. */
async function prepared(lines: readonly string[]): Promise<Operator> {
  const operator = new Operator({ frozenAt: '2026-11-20T09:00:00Z' });
  for (const line of lines) {
    const [program, ...args] = line.split(' ');
    if (program !== 'vagent') execSync(line, { cwd: operator.home });
    else {
      const { code, stderr } = await operator.run(args);
      expect(code, `${line}: ${stderr}`).toBe(0);
    }
  }
  return operator;
}

for (const file of readdirSync(FOLDER)) {
  const cases = casesBeside(join(FOLDER, file), NAMES);
  describe.concurrent(file.replace('.cases', ''), () => {
    const before = cases<string>('prepared');
    const [usual = {}] = cases<Record<string, string>>('environment');
    /** What is refused changes nothing, so that the lines can share one home. */
    let shared: Promise<Operator> | undefined;
    const refusals = cases<Refusal>('refused');
    const isFirst = (code: number, at: number) => refusals.findIndex(([, other]) => other === code) === at;

    for (const [at, [line, code, says, more = {}]] of refusals.entries()) {
      const words = typeof line === 'string' ? line.split(' ') : line;
      const run = async (words: string[], asProgram = false) => {
        shared ??= prepared(before);
        const isAlone = more.before !== undefined || more.changes === true || asProgram;
        const operator = await (isAlone ? prepared([...before, ...(more.before ?? [])]) : shared);
        const kept = digestsIn(operator.home);
        const input = more.inputFile ? readFileSync(join(operator.home, more.inputFile)) : (more.input ?? '');
        const options = { input, env: { ...usual, ...more.env } };
        const told = await (asProgram ? operator.runProgram(words, options) : operator.run(words, options));
        expect(told.stderr).not.toContain(KEY);
        expect({ code: told.code, stdout: told.stdout }).toEqual({ code, stdout: '' });
        if (!more.changes) expect(digestsIn(operator.home)).toEqual(kept);
        return told.stderr;
      };
      test(`${words.join(' ')}: exit ${code}`, async () => {
        const told = await run(words, isFirst(code, at));
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

/** The help of a command line's command; undefined where there is no such command. */
async function help(words: readonly string[]): Promise<string | undefined> {
  const typed = `${words.join(' ')} `;
  const command = [...commandSummaries().keys()].find((path) => typed.includes(`${path} `));
  if (command === undefined) return undefined;
  return (await helper.run([...command.split(' '), '--help'], { columns: 1000, isTerminal: true })).stdout;
}

/** The exit codes that a help names. */
function exitCodesOf(text: string | undefined): string[] {
  const [, codes = ''] = /^Exit codes: (.*)$/m.exec(text ?? 'Exit codes: 2') ?? [];
  return codes.split('; ').map((code) => code.split(' ')[0] ?? '');
}
