/**
 * What is refused, in a table for each noun in `refusals`: the command line, its exit code, and what the one sentence says.
 * Nothing that is kept in the home changes by it, and nothing is printed as a result.
 */
import { execSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { casesBeside } from './support/cases.ts';
import { digestsIn } from './support/files.ts';
import { Operator } from './support/program.ts';

const FOLDER = join(import.meta.dirname, 'refusals');

interface More {
  /** What is prepared for this line alone, behind the rest. */
  before?: string[];
  env?: Record<string, string>;
  /** Standard input, as a text or the name of a file in the home. */
  input?: string;
  inputFile?: string;
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
  const cases = casesBeside(join(FOLDER, file));
  describe.concurrent(file.replace('.cases', ''), () => {
    const before = cases<string>('prepared');
    /** What is refused changes nothing, so that the lines can share one home. */
    let shared: Promise<Operator> | undefined;

    test.each(cases<Refusal>('refused'))('%j: exit %i', async (line, exitCode, says, more = {}) => {
      shared ??= prepared(before);
      const operator = await (more.before ? prepared([...before, ...more.before]) : shared);
      const kept = digestsIn(operator.home);
      const input = more.inputFile ? readFileSync(join(operator.home, more.inputFile)) : (more.input ?? '');
      const words = typeof line === 'string' ? line.split(' ') : line;
      const { code, stdout, stderr } = await operator.run(words, { input, env: more.env ?? {} });
      expect(stderr).toMatch(says);
      expect(stderr.match(/^(vagent: |\{"error":)/gm)).toHaveLength(1);
      expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
      expect(digestsIn(operator.home)).toEqual(kept);
    });
  });
}
